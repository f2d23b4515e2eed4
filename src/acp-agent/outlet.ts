// `Outlet`: everything that a session sends to its client, in one order.
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { Queue } from "../core/queue.ts";
import { bounded } from "./bounded.ts";

type Entry = { update: SessionUpdate } | { ask: () => void } | { dropped: true };

/** Characters of a chunk of text. A longer text comes in several chunks. */
export const MAX_CHUNK_TEXT = 1_048_576;

/**
 * The updates and requests of a session. Each update is written before the next one, and before a request behind it. What
 * waits for a slow client is merged, so that it takes no more memory than the chat takes for the same text. Each is well
 * formed, and within `MAX_MESSAGE_BYTES`.
 */
export class Outlet {
  readonly #write: (update: SessionUpdate) => Promise<void>;
  readonly #queue = new Queue<Entry>();
  /** The newest entry, if it still waits. */
  #last: Entry | undefined;
  #isWriting = false;
  #isClosed = false;
  #drained: (() => void)[] = [];

  /** @param write rejects once the connection is closed */
  constructor(write: (update: SessionUpdate) => Promise<void>) {
    this.#write = write;
  }

  /** Returns a function that takes the update back, if it still waits. */
  say(update: SessionUpdate): () => void {
    const last = this.#last;
    const both = last && "update" in last ? merged(last.update, update) : undefined;
    if (!last || !both) return this.#add({ update });
    Object.assign(last, { update: both });
    return () => {};
  }

  /** Calls `send`, which sends a request, once all earlier updates are written. */
  ask<Params>(params: Params, send: (params: Params) => void): void {
    this.#add({ ask: () => send(bounded(params)) });
  }

  /** Resolves once everything is written, or the connection is closed. */
  drained(): Promise<void> {
    if (!this.#isWriting) return Promise.resolve();
    return new Promise((resolve) => {
      this.#drained.push(resolve);
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#queue.clear();
    this.#last = undefined;
    for (const resolve of this.#drained.splice(0)) resolve();
  }

  #add(entry: Entry): () => void {
    if (this.#isClosed) return () => {};
    this.#queue.add(entry);
    this.#last = entry;
    if (!this.#isWriting) {
      this.#isWriting = true;
      queueMicrotask(() => void this.#run()); // the events of one input are merged
    }
    return () => {
      if (this.#last === entry) this.#last = undefined;
      Object.assign(entry, { dropped: true });
    };
  }

  async #run(): Promise<void> {
    for (let entry = this.#queue.take(); entry; entry = this.#queue.take()) {
      if (entry === this.#last) this.#last = undefined;
      if ("dropped" in entry) continue;
      if ("ask" in entry) {
        entry.ask();
        continue;
      }
      try {
        await this.#write(bounded(entry.update));
      } catch {
        this.close(); // the connection tells its end itself
      }
    }
    this.#isWriting = false;
    for (const resolve of this.#drained.splice(0)) resolve();
  }
}

/** One update that says what two say. Undefined if there is none. */
function merged(before: SessionUpdate, after: SessionUpdate): SessionUpdate | undefined {
  switch (after.sessionUpdate) {
    case "agent_message_chunk":
    case "agent_thought_chunk": {
      if (before.sessionUpdate !== after.sessionUpdate || before.messageId !== after.messageId)
        return undefined;
      const [first, second] = [before.content, after.content];
      if (first.type !== "text" || second.type !== "text") return undefined;
      if (first.text.length + second.text.length > MAX_CHUNK_TEXT) return undefined;
      return { ...after, content: { type: "text", text: first.text + second.text } };
    }
    case "tool_call_update":
      if (before.sessionUpdate !== after.sessionUpdate || before.toolCallId !== after.toolCallId)
        return undefined;
      // Every status is shown.
      return after.status === undefined || after.status === before.status
        ? { ...before, ...after }
        : undefined;
    default:
      return undefined;
  }
}
