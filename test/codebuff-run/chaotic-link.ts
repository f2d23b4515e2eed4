import type { FetchInit, FetchLike, FetchResponse } from "agentwire/codebuff-run";

// A link to a real server that breaks by chance.

/** What happens to one request. */
export type Fate =
  /** Nothing leaves this machine. */
  | "unreachable"
  /** The server has worked, and its answer is lost before its head. */
  | "lost"
  /** A gateway answers. */
  | "busy"
  | "limited"
  | "refused"
  /** No answer comes. */
  | "hung"
  /** The body ends in its middle, with an error. */
  | "cut"
  /** The body ends in its middle, as if it were complete. */
  | "ended"
  /** The body stops in its middle. */
  | "stalled"
  | "passed";

const ROUGH: readonly Fate[] = [
  "unreachable",
  "lost",
  "busy",
  "limited",
  "refused",
  "hung",
  "cut",
  "ended",
  "stalled",
];

/** One request, and what became of it. */
export interface Sent {
  readonly what: string;
  readonly body: string;
  readonly fate: Fate;
  /** Whether a byte of a successful answer was handed over. */
  hasBegun: boolean;
}

/** A `fetch` that breaks by chance, and what went over it. */
export class ChaoticLink {
  readonly sent: Sent[] = [];
  readonly #roll: () => number;
  readonly #rough: number;
  /** Requests that a real server still works on, or whose bytes are on their way. */
  #moving = 0;
  #open = 0;

  /** @param rough the part of the requests that break */
  constructor(roll: () => number, rough: number) {
    this.#roll = roll;
    this.#rough = rough;
  }

  /** Whether something may arrive without a timer. */
  get isMoving(): boolean {
    return this.#moving > 0;
  }

  /** Bodies that were neither read to their end nor left. */
  get open(): number {
    return this.#open;
  }

  readonly fetch: FetchLike = async (url, init) => {
    const fate: Fate =
      this.#roll() < this.#rough ? (ROUGH[Math.floor(this.#roll() * ROUGH.length)] ?? "cut") : "passed";
    const sent: Sent = {
      what: `${init.method} ${new URL(url).pathname}`,
      body: init.body ?? "",
      fate,
      hasBegun: false,
    };
    this.sent.push(sent);
    if (fate === "unreachable") throw new TypeError("fetch failed", { cause: new Error("ECONNREFUSED") });
    if (fate === "busy") return new Response("<html>busy</html>", { status: 503 });
    if (fate === "limited") return new Response("{}", { status: 429, headers: { "retry-after": "2" } });
    if (fate === "refused") return new Response('{"error":"no","message":"no"}', { status: 403 });
    if (fate === "hung") return aborted(init);
    const response = await this.#moved(globalThis.fetch(url, init as RequestInit));
    if (fate === "lost") {
      await response.body?.cancel();
      throw new TypeError("terminated");
    }
    return this.#given(response, sent, init);
  };

  /** The answer, with the fate of its body. */
  #given(response: Response, sent: Sent, init: FetchInit): FetchResponse {
    const reader = response.body?.getReader();
    if (!reader) return response;
    const { fate } = sent;
    let left = fate === "passed" ? Number.POSITIVE_INFINITY : Math.floor(this.#roll() * 3);
    let isOpen = true;
    this.#open++;
    const over = (): void => {
      if (isOpen) this.#open--;
      isOpen = false;
    };
    init.signal.addEventListener("abort", over, { once: true });
    const read = async (): Promise<{ done: boolean; value?: Uint8Array }> => {
      if (left-- <= 0) {
        if (fate === "stalled") return aborted(init);
        over();
        void reader.cancel().catch(() => {});
        if (fate === "cut") throw new TypeError("terminated");
        return { done: true };
      }
      const { done, value } = await this.#moved(reader.read());
      if (done) over();
      if (!value) return { done };
      if (response.ok) sent.hasBegun = true;
      const isLast = left <= 0 && value.length > 1;
      return {
        done,
        value: isLast ? value.subarray(0, 1 + Math.floor(this.#roll() * (value.length - 1))) : value,
      };
    };
    const cancel = async (): Promise<void> => {
      over();
      await reader.cancel();
    };
    return {
      status: response.status,
      headers: response.headers,
      body: { getReader: () => ({ read, cancel }) },
      arrayBuffer: () => response.arrayBuffer(),
    };
  }

  async #moved<T>(work: Promise<T>): Promise<T> {
    this.#moving++;
    try {
      return await work;
    } finally {
      this.#moving--;
    }
  }
}

function aborted({ signal }: FetchInit): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
