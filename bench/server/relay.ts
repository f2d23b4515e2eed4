/**
 * A server of one chat's events, in a process of its own: a relay over a log, or raw server-sent events of the same bytes.
 * It makes the next delta of an answer when told to, and measures itself.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createRelay, type EventLog, memoryLog } from "agentwire/server";
import { relayListener, sqliteLog } from "agentwire/server/node";
import { redisLog } from "agentwire/server/redis";
import { agentStep, MockAgent, type MockAgentScript } from "agentwire/testing/agent";
import { createClient } from "redis";
import * as z from "zod/mini";
import { childSettings, now, serveCalls } from "../support/child.ts";
import { heapUsed } from "../support/heap.ts";
import { TEXTS } from "./frames.ts";
import { rawEvents } from "./raw-events.ts";

const settings = z
  .object({
    /** `raw`, `memory`, `sqlite` or `redis`. */
    log: z.string(),
    /** The file or the socket of the log. */
    place: z.optional(z.string()),
    /** Options of the relay. */
    limits: z.optional(z.record(z.string(), z.number())),
  })
  .parse(childSettings());

async function openLog(): Promise<EventLog> {
  const { log, place = "" } = settings;
  if (log === "memory") return memoryLog();
  if (log === "sqlite") return sqliteLog(place);
  if (log !== "redis") throw new Error(`no such log: ${log}`);
  const client = createClient({ socket: { path: place, tls: false } });
  client.on("error", () => {}); // the measurement ends the server
  await client.connect();
  return redisLog(client as Parameters<typeof redisLog>[0]);
}

/** When deltas were made, by number. */
const madeAt: number[] = [];
let emitted = 0;

const textOf = (delta: number): string => TEXTS[delta % TEXTS.length] ?? "";

/** Answers "steps" step by step, and a number with so many deltas at once. */
const script: MockAgentScript = function* ({ text }) {
  for (let delta = 1; text === "steps" || delta <= Number(text); delta++) {
    if (text === "steps") {
      yield agentStep.wait(String(delta));
      madeAt[delta] = now();
    }
    yield agentStep.text(textOf(delta), { deltas: "whole" });
  }
};

/** Of the chat `chat`. Each other chat has an agent of its own. */
const agent = new MockAgent({ script });

const raw = settings.log === "raw" ? rawEvents() : undefined;
const log = raw ? undefined : await openLog();
const relay =
  log &&
  createRelay({
    source: (chat) => (chat === "chat" ? agent : new MockAgent({ script })),
    log,
    authorize: () => ({ user: "user_1" }),
    maxViewers: 10_000,
    maxCommands: 1_000_000,
    ...settings.limits,
  });
const http = createServer(raw ? raw.listener : relay && relayListener(relay.handler));
await new Promise<void>((resolve) => void http.listen(0, "127.0.0.1", 1_024, resolve));

let keys = 0;

async function prompt(chat: string, text: string): Promise<void> {
  const body = JSON.stringify({ key: `${process.pid}.${++keys}`, type: "prompt", input: { text } });
  const headers = { "content-type": "application/json" };
  const request = new Request(`http://localhost/chats/${chat}/commands`, { method: "POST", headers, body });
  const response = await relay?.handler(request);
  if (response && response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
}

/** Resolves once the chat has answered all prompts, and its log rests. */
async function over(chat: string): Promise<void> {
  for (let before = ""; ; await new Promise((resolve) => setTimeout(resolve, 20))) {
    const [head, state, queue] = [
      await log?.head(chat),
      await log?.get(chat, "state"),
      await log?.queue(chat),
    ];
    const now = JSON.stringify([head, state]);
    if (now === before && queue?.length === 0 && now.includes('"busy":false')) return;
    before = now;
  }
}

/** Holds sources that no relay drives. */
const alone: unknown[] = [];

serveCalls({
  port: () => (http.address() as AddressInfo).port,
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  heap: () => heapUsed(),
  /** Begins an answer that goes on step by step. */
  async begin() {
    await prompt("chat", "steps");
    return 0;
  },
  /** Makes the next delta. Returns when it was made. */
  async emit() {
    const delta = ++emitted;
    if (raw) {
      madeAt[delta] = now();
      raw.emit(delta, textOf(delta));
    } else agent.release(String(delta));
    for (;;) {
      const at = madeAt[delta];
      if (at !== undefined) return at;
      await new Promise((resolve) => setImmediate(resolve));
    }
  },
  /** Has the chat `chat` answer so many turns with so many deltas. */
  async fill(turns = 1, deltas = 1) {
    for (let turn = 0; turn < turns; turn++) await prompt("chat", String(deltas));
    await over("chat");
    return 0;
  },
  /** So many chats answer a turn. */
  async drive(first = 0, count = 1) {
    const chats = Array.from({ length: count }, (_, at) => `chat_${first + at}`);
    for (const chat of chats) await prompt(chat, "1");
    await Promise.all(chats.map(over));
    return 0;
  },
  /** The same turns by the source alone: a client, its conversation and its events. */
  async converse(count = 1) {
    for (let chat = 0; chat < count; chat++) {
      const source = new MockAgent({ script });
      const client = source.client();
      const conversation = client.conversation();
      const events = source.toUniversal(conversation);
      await conversation.prompt("1", { read: false }).result;
      alone.push(source, client, conversation, events);
    }
    return alone.length;
  },
  /** Resolves once none of the chats that were driven is driven. */
  async undriven(count = 1) {
    for (let chat = 0; chat < count; chat++)
      while (!JSON.stringify(await log?.get(`chat_${chat}`, "state")).includes('"driver":"idle"'))
        await new Promise((resolve) => setTimeout(resolve, 10));
    return 0;
  },
});
