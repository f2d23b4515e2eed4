import type { CassClientOptions } from "agentwire/cass";
import { tokenOf } from "../../../helpers/cass-fake.ts";
import type { CassSetting } from "./scenario.ts";
import type { Asked } from "./session.ts";

/** The conversation that the server takes where none is named. */
export const CONTINUOUS = "continuous-1";

/** What a server keeps, and how it is asked for. */
export class Store {
  readonly #messages = new Map<string, object[]>();
  readonly #rest: CassSetting["rest"];
  readonly #now: () => number;
  readonly #asked: () => void;
  #count = 0;

  /** `asked` is called with each call. */
  constructor(rest: CassSetting["rest"], now: () => number, asked: () => void) {
    this.#rest = rest;
    this.#now = now;
    this.#asked = asked;
  }

  /** The server's time: later with each call, and as text. */
  time(): string {
    const pad = (n: number): string => String(n).padStart(12, "0");
    return `2026-01-28T${pad(this.#now())}.${pad(this.#count++)}`;
  }

  /** The answer to a turn is stored; returns the conversation that it is of. */
  keep({ written, turn }: Asked): string | undefined {
    if (!turn || written.type === "onboarding_demo") return undefined;
    turn.wasAnswered = true;
    const id = written.conversation_id ?? CONTINUOUS;
    const messages = this.#messages.get(id) ?? [];
    const common = { provider: "anthropic", model: "m" };
    if (written.type === "chat")
      messages.push({
        ...common,
        id: "msg-1",
        role: "user",
        content: written.message,
        timestamp: this.time(),
      });
    messages.push({
      ...common,
      id: "msg-0",
      role: "assistant",
      content: turn.answer,
      timestamp: this.time(),
      inputTokens: 1,
      outputTokens: 1,
    });
    this.#messages.set(id, messages);
    return id;
  }

  readonly fetch: NonNullable<CassClientOptions["fetch"]> = async (url, { signal }) => {
    this.#asked();
    if (this.#rest === "down") throw new TypeError("fetch failed");
    if (this.#rest === "silent") {
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
      });
    }
    return answer(this.#answer(new URL(url).pathname));
  };

  #answer(path: string): object | undefined {
    if (path === "/auth/refresh")
      return { access_token: tokenOf("u1", this.#count++), refresh_token: "refresh", token_type: "bearer" };
    if (path === "/conversations/continuous")
      return { id: CONTINUOUS, title: "Continuous Stream", message_count: 0, is_continuous: true };
    const id = /^\/conversations\/([^/]+)\/messages$/.exec(path)?.[1];
    const messages = id === undefined ? undefined : (this.#messages.get(id) ?? []).slice(-20);
    return messages && { messages, count: messages.length };
  }
}

function answer(body: object | undefined): Awaited<ReturnType<NonNullable<CassClientOptions["fetch"]>>> {
  const bytes = new TextEncoder().encode(JSON.stringify(body ?? { detail: "Not Found" }));
  return {
    status: body ? 200 : 404,
    headers: { get: () => "application/json" },
    arrayBuffer: async () => bytes.buffer,
  };
}
