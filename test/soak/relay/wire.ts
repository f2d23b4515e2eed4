// The way to the relay: an address behind a balancer that chooses at random, and a note of each command and its answer.
import type { FetchLike } from "../../../src/core/http/fetch.ts";
import { keyIn } from "./answers.ts";
import type { Op } from "./history.ts";

/** ms after which a command without an answer is sent again. */
const PATIENCE = 3_000;

export class Wire {
  readonly url: string;
  readonly ops = new Map<string, Op>();
  readonly #now: () => number;

  /** @param now ms since the start */
  constructor(port: number, now: () => number) {
    this.url = `http://127.0.0.1:${port}/chats`;
    this.#now = now;
  }

  /** A `fetch` that notes commands. */
  fetchFor(chat: string): FetchLike {
    return async (url, init) => {
      if (init.method !== "POST" || init.body === undefined) return fetch(url, init);
      const op = this.#note(chat, JSON.parse(init.body) as Record<string, unknown>);
      op.tries++;
      const response = await fetch(url, init);
      op.answers.push({ at: this.#now(), status: response.status });
      return response;
    };
  }

  /** Sends a command once. Undefined: there was no answer. */
  async post(chat: string, user: string, command: object): Promise<number | undefined> {
    try {
      const response = await this.fetchFor(chat)(`${this.url}/${encodeURIComponent(chat)}/commands`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: user },
        body: JSON.stringify(command),
        redirect: "manual",
        signal: AbortSignal.timeout(PATIENCE),
      });
      const { byteLength } = await response.arrayBuffer();
      return response.status === 400 && byteLength === 0 ? undefined : response.status; // the request was cut
    } catch {
      return undefined;
    }
  }

  #note(chat: string, { key, type, target, input }: Record<string, unknown>): Op {
    const name = JSON.stringify([chat, key]);
    const known = this.ops.get(name);
    if (known) return known;
    const op: Op = {
      chat,
      key: String(key),
      type: String(type),
      asks: type === "prompt" ? (keyIn((input as { text: string }).text) ?? "") : "",
      target: target as Op["target"],
      begun: this.#now(),
      answers: [],
      tries: 0,
    };
    this.ops.set(name, op);
    return op;
  }
}
