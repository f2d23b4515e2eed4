import { ManualClock, MockAgent } from "agentwire/testing";
import { expect } from "vitest";
import type { Chat } from "../../../src/chat/chat.ts";
import { createChat } from "../../../src/chat/create-chat.ts";
import type { ChatPending } from "../../../src/chat/pending.ts";
import { readSaved, type SavedChat } from "../../../src/chat/saving/saved.ts";
import type { ChatSnapshot } from "../../../src/chat/snapshot.ts";
import { loadTranscript } from "../../../src/chat/store/load.ts";
import type { MockAgentClient } from "../../../src/testing/agent/client.ts";
import { settle } from "../../../src/testing/settle.ts";
import { cutOff } from "../../../src/universal/transcript/cut-off.ts";
import type { ChatMessage } from "../../../src/universal/transcript/message.ts";
import type { Act, Life, Which } from "./life.ts";
import { MemoryStore } from "./memory-store.ts";
import { WatchedSource } from "./watched-source.ts";

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const ENDED: readonly string[] = ["sent", "completed", "failed", "cancelled"];

/** A chat that lives through one life, and what has to hold at each of its steps. */
export class LivingChat {
  readonly #clock = new ManualClock({ epoch: 1_770_714_000_000 });
  readonly #life: Life;
  readonly #agent: MockAgent;
  readonly #source: WatchedSource<MockAgentClient>;
  readonly #store = new MemoryStore();
  /** Ids that were pending at some time. */
  readonly #asked = new Set<string>();
  readonly #thrown: unknown[] = [];
  #chat: Chat;
  #ids = 0;
  #sessions = 0;
  #before: ChatSnapshot;
  /** The snapshot at the last notification. */
  #told: ChatSnapshot;
  #wasToldInThisMicrotask = false;
  #isClosed = false;
  #isComparable = true;

  constructor(life: Life) {
    const { answers, survivesReconnect, reconnects, hasOneConversation } = life;
    const { connectDelay, pace, cancelDelay, approvalTimeout } = life;
    this.#life = life;
    this.#agent = new MockAgent({
      clock: this.#clock,
      script: answers,
      capabilities: { survivesReconnect, conversations: hasOneConversation ? "one" : "many" },
      reconnect: reconnects ? { maxAttempts: 3, delay: 40 } : false,
      connectDelay,
      pace,
      cancelDelay,
      approvalTimeout,
    });
    this.#source = new WatchedSource(this.#agent);
    this.#chat = this.#make();
    this.#before = this.#chat.getSnapshot();
    this.#told = this.#before;
    this.#listen();
  }

  async run(): Promise<void> {
    for (const act of this.#life.acts) {
      await this.#act(act);
      this.#check();
    }
    await this.#end();
  }

  #make(from?: SavedChat): Chat {
    const { hasStore, whenBusy } = this.#life;
    return createChat(this.#source, {
      clock: this.#clock,
      whenBusy,
      newId: () => `msg_${++this.#ids}`,
      universal: { newSessionId: () => `ses_${++this.#sessions}`, clock: this.#clock },
      onListenerError: (error) => this.#thrown.push(error),
      ...(hasStore ? { store: this.#store, id: "chat" } : {}),
      ...(from ? { from } : {}),
    });
  }

  #listen(): void {
    this.#chat.subscribe(() => {
      expect(this.#wasToldInThisMicrotask, "told twice in one microtask").toBe(false);
      this.#wasToldInThisMicrotask = true;
      queueMicrotask(() => {
        this.#wasToldInThisMicrotask = false;
      });
      this.#told = this.#chat.getSnapshot();
    });
  }

  async #act(act: Act): Promise<void> {
    const chat = this.#chat;
    switch (act.do) {
      case "send":
        chat.send(act.text);
        return;
      case "cancel":
        expect(chat.cancel(act.what)).toEqual({ ok: true });
        if (act.what === "all") expect(chat.getSnapshot().queue.length).toBe(0);
        return;
      case "retry":
        chat.retry(this.#before.messages.at(act.at)?.id ?? "nothing");
        return;
      case "decide":
        chat.decide(this.#idOf(act.which), act.decision);
        return;
      case "answer":
        chat.answer(this.#idOf(act.which), act.answer);
        return;
      case "resume":
        chat.resume(act.how);
        return;
      case "connect":
        expect(chat.connect().ok).toBe(!this.#isClosed);
        return;
      case "dismiss":
        chat.dismiss();
        expect(chat.getSnapshot().problem).toBeUndefined();
        return;
      case "close":
        await this.#close();
        return;
      case "restore":
        await this.#startAgain(this.#chat.getSnapshot().saved);
        return;
      case "reload":
        await this.#startAgain(undefined);
        return;
      case "settle":
        await settle();
        return;
      case "pass":
        await this.#clock.advance(act.ms);
        return;
      case "open gate":
        this.#agent.release("gate");
        return;
      case "lose":
        this.#agent.disconnect(act.loss);
        return;
      case "refuse":
        this.#agent.set({ refuseConnect: act.connections });
        return;
      case "store":
        this.#setStore(act.is);
        return;
    }
  }

  #idOf(which: Which): string {
    const { pending } = this.#chat.getSnapshot();
    if (which === "unknown") return "unknown";
    if (which === "old") return [...this.#asked].find((id) => !pending.some((now) => now.id === id)) ?? "old";
    return pending.at(which === "first" ? 0 : -1)?.id ?? "none";
  }

  #setStore(is: "slow" | "broken" | "well"): void {
    this.#store.failure = is === "broken" ? new Error("the disk is full") : undefined;
    if (is === "slow") this.#store.hold();
    else this.#store.release();
  }

  /** What holds at every moment. */
  #check(): void {
    const before = this.#before;
    const now = this.#chat.getSnapshot();
    this.#before = now;
    expect(this.#chat.getSnapshot()).toBe(now);
    expect(this.#thrown).toEqual([]);

    const ids = now.messages.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const shown = before.messages.toArray().filter(({ status }) => status !== "queued"); // one that is held lets others pass
    const kept = new Set(shown.map(({ id }) => id));
    expect(ids.filter((id) => kept.has(id))).toEqual(shown.map(({ id }) => id));
    expect(before.messages.toArray().filter(({ id }) => !ids.includes(id))).toEqual([]);

    const known = new Map(before.messages.map((message) => [message.id, message]));
    for (const message of now.messages) {
      const old = known.get(message.id);
      if (!old || old === message) continue;
      expect(JSON.stringify(message), "a message that is the same is the same object").not.toBe(
        JSON.stringify(old),
      );
      if (old.status !== "sent" && ENDED.includes(old.status)) expect(message.status).toBe(old.status);
    }

    this.#lateReplies(before, now);
    expect(now.pending.map(({ type }) => type)).toEqual(this.#source.pending.map(({ type }) => type));
    if (this.#isClosed) expect(now.pending).toEqual([]);

    const saved: unknown = plain(now.saved);
    const read = readSaved(saved);
    const waits = new Set(read.queue.map(({ id }) => id));
    const rest = now.messages.toArray().filter(({ id }) => !waits.has(id));
    expect(plain(read.messages)).toEqual(plain(rest.map(cutOff)));
    if (!this.#isClosed) expect([...waits]).toEqual(now.queue.map(({ id }) => id));
    if (!now.busy && now.queue.length === 0 && !now.loading) this.#checkIdle(now);
    if (this.#isClosed) {
      expect(now).toMatchObject({ busy: false, queue: { length: 0 }, loading: false });
      expect(now.connection.status).toBe("closed");
    }
  }

  /** Old dialogs decide and answer at every moment, and nothing follows: what is open stays open. */
  #lateReplies(before: ChatSnapshot, { pending }: ChatSnapshot): void {
    const wereOpen = new Set(before.pending.map(({ id }) => id));
    const isNew = ({ id }: ChatPending): boolean => !wereOpen.has(id);
    expect(pending.filter(isNew).filter(({ id }) => this.#asked.has(id))).toEqual([]);
    const open = new Set(pending.map(({ id }) => id));
    const requests = this.#source.pending;
    for (const id of this.#asked) {
      if (open.has(id)) continue;
      expect(this.#chat.decide(id, "once")).toEqual({ ok: true });
      expect(this.#chat.answer(id, "A")).toEqual({ ok: true });
    }
    expect(this.#source.pending).toEqual(requests);
    for (const id of open) this.#asked.add(id);
    this.#before = this.#chat.getSnapshot(); // a call that worked takes a problem away
  }

  #checkIdle({ messages }: ChatSnapshot): void {
    for (const { status, role, parts } of messages) {
      expect(ENDED, `an idle chat has a message of the ${role}`).toContain(status);
      for (const part of parts) if ("open" in part) expect(part.open).toBe(false);
    }
  }

  /** Everything that can end without the user has ended, and the store has all. */
  async #end(): Promise<void> {
    this.#setStore("well");
    await this.#rest();
    this.#checkTold();
    this.#check();
    await this.#close();
    this.#check();
    expect(this.#source.pending).toEqual([]);
    expect(this.#source.clients.filter(({ status }) => status !== "closed")).toEqual([]);
    expect(this.#source.listeners).toBe(0);
    expect(this.#clock.pending).toBe(0);
    if (this.#life.hasStore && this.#isComparable) this.#checkStore();
  }

  /** Waits until nothing more changes by itself. An agent may do for a while what shows nothing. */
  async #rest(): Promise<void> {
    let before: ChatSnapshot;
    do {
      before = this.#chat.getSnapshot();
      for (let n = 0; n < 5; n++) await this.#clock.advance(20_000);
    } while (this.#chat.getSnapshot() !== before);
  }

  /** Only at rest: a change of this very moment is told in the next microtask. */
  #checkTold(): void {
    expect(this.#told, "a change that no listener was told of").toBe(this.#chat.getSnapshot());
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    if (this.#store.failure !== undefined) this.#isComparable = false;
    const closed = this.#chat.close();
    await settle();
    if (this.#clock.pending > 0) this.#isComparable = false; // the store is too slow
    await this.#clock.advance(3_000);
    await closed;
    await settle();
    this.#checkTold();
  }

  /** The app ends and starts again: a new chat goes on from what was saved, or from the store. */
  async #startAgain(saved: SavedChat | undefined): Promise<void> {
    const json: SavedChat | undefined = saved && JSON.parse(JSON.stringify(saved));
    await this.#close();
    this.#check();
    this.#isClosed = false;
    this.#isComparable = false; // the old chat has stored an end that the new one has not seen
    this.#chat = this.#make(json);
    this.#before = this.#chat.getSnapshot();
    this.#told = this.#before;
    this.#listen();
  }

  /** The stored events make the shown messages, but for prompts that never left: their failed turns are stored, and not shown. */
  #checkStore(): void {
    const stored = loadTranscript(this.#store.events).messages.toArray();
    const shown = this.#before.messages.toArray();
    const answers = new Map(stored.filter(isNotPrompt).map((message) => [message.id, message]));
    for (const message of shown.filter(isNotPrompt))
      expect(plain(answers.get(message.id))).toEqual(plain(message));
    const extra = new Set(answers.keys());
    for (const { id } of shown) extra.delete(id);
    for (const id of extra)
      expect(answers.get(id)?.parts.length, "a stored answer that was not shown").toBe(0);
  }
}

const isNotPrompt = ({ role }: ChatMessage): boolean => role !== "user";
