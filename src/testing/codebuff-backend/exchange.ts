// The answer to one request, recorded as it is written.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../core/clock.ts";
import { Interruptible } from "../server/interruptible.ts";
import type { HttpReply } from "./call.ts";
import type { BackendJournal, OpenCall } from "./journal.ts";
import type { BackendGate } from "./script.ts";

const JSON_TYPE = { "content-type": "application/json" };

/** Taken when this file is loaded: a test may replace the global one. */
const nextTurn = setImmediate;

/** The answer to one request, from its status to its end; it is recorded as it is written. */
export class Exchange {
  /** What the answer waits for. Stopped when the client has left, and when the answer is complete. */
  readonly work: Interruptible;
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #record: OpenCall;
  readonly #journal: BackendJournal;
  readonly #clock: Clock;
  #written: () => void = () => {};

  constructor(
    message: IncomingMessage,
    response: ServerResponse,
    { record, journal, clock }: { record: OpenCall; journal: BackendJournal; clock: Clock },
  ) {
    this.work = new Interruptible(clock);
    this.#message = message;
    this.#response = response;
    this.#record = record;
    this.#journal = journal;
    this.#clock = clock;
    response.on("close", () => this.#settle("disconnected"));
    if (response.destroyed || message.socket.destroyed) this.#settle("disconnected");
  }

  get open(): boolean {
    return this.#record.state === "open";
  }

  /** A whole answer with JSON. */
  reply({ status, body, headers }: HttpReply): void {
    const text = JSON.stringify(body);
    this.whole(status, { ...JSON_TYPE, ...headers }, text, body);
  }

  /** A whole answer with a body as it is. */
  whole(
    status: number,
    headers: Readonly<Record<string, string>>,
    bytes: string | Uint8Array,
    json?: unknown,
  ): void {
    if (!this.open) return;
    this.#begin(status, headers, json);
    this.#record.response?.frames.push(shown(bytes));
    this.#response.end(bytes);
    this.#settle("answered");
  }

  /** Sends the head of an answer whose body comes in pieces. */
  begin(status: number, headers: Readonly<Record<string, string>>): void {
    if (!this.open) return;
    this.#begin(status, headers, undefined);
    this.#response.flushHeaders();
    this.#journal.changed();
  }

  /**
   * Writes pieces of the body, and waits until the last one has left. One call at a time.
   * @param frame what is recorded; nothing by default
   */
  async write(pieces: readonly Uint8Array[], frame?: string): Promise<void> {
    if (frame !== undefined && this.open) {
      this.#record.response?.frames.push(frame);
      this.#journal.changed();
    }
    for (const piece of pieces) {
      if (!this.open) return;
      await new Promise<void>((resolve) => {
        this.#written = resolve;
        // A turn of the event loop, so that a client of the same process reads each piece by itself.
        this.#response.write(piece, () => nextTurn(resolve));
      });
    }
  }

  /** The body is complete. */
  end(): void {
    if (!this.open) return;
    this.#response.end();
    this.#settle("answered");
  }

  /** Waits so many ms of the clock, or until the answer is over. Tests that move the clock can see that it waits. */
  async delay(ms: number): Promise<void> {
    if (ms <= 0) return;
    const passed = this.work.delay(ms);
    this.#journal.changed();
    await passed;
  }

  /** Waits until the answer is over: the client leaves, or the server stops. */
  async hang(): Promise<void> {
    const over = this.work.hang();
    this.#journal.changed();
    await over;
  }

  /** Waits where the script says so, unless the client has left. A rejection cuts the connection. */
  async pass(gate: BackendGate): Promise<void> {
    const { work } = this;
    if (work.stopped) return;
    try {
      await work.unlessStopped(typeof gate === "function" ? gate({ signal: work.signal }) : gate);
    } catch {
      this.cut();
    }
  }

  /** Ends the connection after what was written, without the end of the body. */
  cut(): void {
    if (!this.open) return;
    this.#settle("cut");
    this.#message.socket.destroySoon();
  }

  /** Resets the connection at once. */
  reset(): void {
    if (!this.open) return;
    this.#settle("cut");
    this.#message.socket.resetAndDestroy();
  }

  /** The server stops: nothing is written any more. */
  abandon(): void {
    this.#settle("cut");
  }

  #begin(status: number, headers: Readonly<Record<string, string>>, body: unknown): void {
    this.#record.response = { at: this.#clock.now(), status, headers, body, frames: [] };
    this.#response.writeHead(status, headers);
  }

  #settle(state: "answered" | "cut" | "disconnected"): void {
    if (!this.open) return;
    this.#record.state = state;
    this.work.stop();
    this.#written();
    this.#journal.changed();
  }
}

function shown(bytes: string | Uint8Array): string {
  return typeof bytes === "string" ? bytes : new TextDecoder().decode(bytes);
}
