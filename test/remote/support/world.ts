// A chat over `remote`, its relay, and the events of one session that the relay tells.

import type { Chat, ChatOptions, ChatSnapshot } from "agentwire/chat";
import { createChat } from "agentwire/chat";
import { type RemoteOptions, remote } from "agentwire/remote";
import type { UniversalEvent } from "agentwire/universal";
import { checkTranscript } from "agentwire/universal";
import { expect } from "vitest";
import { type Clock, systemClock } from "../../../src/core/clock.ts";
import { Script } from "../../universal/build.ts";
import { CHAT } from "./real-relay.ts";

/** Waits between attempts take no time. Counts its timers. */
export class HastyClock implements Clock {
  readonly running = new Set<object>();
  now = systemClock.now;
  wallTime = systemClock.wallTime;
  random = (): number => 0;

  setTimeout(callback: () => void, delay: number): () => void {
    const key = {};
    this.running.add(key);
    const cancel = systemClock.setTimeout(() => {
      this.running.delete(key);
      callback();
    }, delay);
    return () => {
      this.running.delete(key);
      cancel();
    };
  }
}

/** A viewer of a relay's chat. */
export class Viewer implements AsyncDisposable {
  readonly chat: Chat;
  readonly clock = new HastyClock();
  /** The events since the last reset, with their positions. */
  events: UniversalEvent[] = [];
  positions: (string | undefined)[] = [];
  resets = 0;

  constructor(relay: { readonly url: string }, options: Partial<RemoteOptions> = {}, chat: ChatOptions = {}) {
    this.chat = createChat(remote({ url: relay.url, chat: CHAT, clock: this.clock, ...options }), chat);
    this.chat.on("event", (event, position) => {
      this.events.push(event);
      this.positions.push(position);
    });
    this.chat.on("reset", () => {
      this.events = [];
      this.positions = [];
      this.resets++;
    });
  }

  get now(): ChatSnapshot {
    return this.chat.getSnapshot();
  }

  get lines(): readonly string[] {
    return this.now.messages.toArray().map(lineOf);
  }

  async until(holds: (snapshot: ChatSnapshot) => boolean): Promise<void> {
    if (holds(this.now)) return;
    await new Promise<void>((resolve) => {
      const off = this.chat.subscribe(() => {
        if (!holds(this.now)) return;
        off();
        resolve();
      });
    });
  }

  ready(): Promise<void> {
    return this.until(({ loading, connection }) => !loading && connection.status === "ready");
  }

  /** Until it has got this number of events since the last reset. */
  async has(events: number): Promise<void> {
    await this.until(() => this.events.length >= events);
    expect(this.events.length).toBe(events);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.chat.close();
  }
}

export function lineOf({
  role,
  status,
  parts,
}: ReturnType<ChatSnapshot["messages"]["toArray"]>[number]): string {
  const text = parts
    .toArray()
    .map((part) => (part.type === "text" ? part.text : `<${part.type}>`))
    .join("");
  return `${role} ${status}: ${text}`;
}

/** One message, without what differs between two readings. */
export const plain = (snapshot: ChatSnapshot): unknown => JSON.parse(JSON.stringify(snapshot.messages));

/** Two turns with calls, an approval, a question and a failure, in two sessions. */
export function conversation(): readonly UniversalEvent[] {
  const first = new Script("ses_1", 1_000);
  first.session().turn("Prompt 1", { prompt_id: "p_1" }).message(["It ", "is ", "so."]);
  const call = first.call("delete_file", { path: "a.txt" });
  const asked = { permission_id: "ses_1.1", action: "delete_file", item_id: call.item, call_id: call.call };
  first.permission("requested", {
    ...asked,
    metadata: { request_id: "r1", input: { path: "a.txt" }, grant: "a.txt" },
  });
  first.permission("accept", asked);
  first.result(call, "deleted", { pieces: ["del"] });
  first.turnEnded({ usage: { input_tokens: 3, output_tokens: 4 } });
  first.turn("Prompt 2", { prompt_id: "p_2" });
  first.question("requested", { question_id: "ses_1.2" });
  first.question("rejected", { question_id: "ses_1.2", reason: "disconnected" });
  first.error("the server stopped", { code: "relay.driver-lost", turn_id: first.turnId });
  first.turnEnded({ status: "failed" });
  first.sessionEnded({ reason: "error", terminated_by: "daemon", message: "the server stopped" });
  const second = new Script("ses_2", 2_000);
  second.session().turn("Prompt 3", { prompt_id: "p_3" });
  second.message(["Hm."], { type: "reasoning" });
  second.message(["Yes", "."]);
  second.turnEnded();
  return [...first.events, ...second.events];
}

export function expectSound(viewer: Viewer, live = true): void {
  expect(checkTranscript(viewer.events, live ? { live: true } : {})).toEqual([]);
}
