// Writes and records the answer to one request.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../core/clock.ts";
import { Interruptible } from "../server/interruptible.ts";
import type { HttpReply } from "./call.ts";
import type { BackendJournal, OpenCall } from "./journal.ts";
import type { BackendGate } from "./script.ts";

const JSON_TYPE = { "content-type": "application/json" };

/** Kept at load time, because a test may replace the global function. */
const nextTurn = setImmediate;

export class Exchange {
  /** The waits of the answer. Stopped when the client leaves or the answer is complete. */
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

  reply({ status, body, headers }: HttpReply): void {
    const text = JSON.stringify(body);
    this.whole(status, { ...JSON_TYPE, ...headers }, text, body);
  }

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

  begin(status: number, headers: Readonly<Record<string, string>>): void {
    if (!this.open) return;
    this.#begin(status, headers, undefined);
    this.#response.flushHeaders();
    this.#journal.changed();
  }

  /**
   * Writes pieces of the body, and waits until the last piece is sent. One call at a time.
   * @param frame the text to record; nothing by default
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
        // Wait one turn of the event loop, so that a client in this process reads each piece separately.
        this.#response.write(piece, () => nextTurn(resolve));
      });
    }
  }

  end(): void {
    if (!this.open) return;
    this.#response.end();
    this.#settle("answered");
  }

  /** Waits for ms of the clock, or until the answer ends. The wait is visible to tests that control the clock. */
  async delay(ms: number): Promise<void> {
    if (ms <= 0) return;
    const passed = this.work.delay(ms);
    this.#journal.changed();
    await passed;
  }

  /** Waits until the client leaves or the server stops. */
  async hang(): Promise<void> {
    const over = this.work.hang();
    this.#journal.changed();
    await over;
  }

  /** Waits at a script's gate, unless the client has left. A rejection cuts the connection. */
  async pass(gate: BackendGate): Promise<void> {
    const { work } = this;
    if (work.stopped) return;
    try {
      await work.unlessStopped(typeof gate === "function" ? gate({ signal: work.signal }) : gate);
    } catch {
      this.cut();
    }
  }

  /** Sends what was written, then ends the connection without the end of the body. */
  cut(): void {
    if (!this.open) return;
    this.#settle("cut");
    this.#message.socket.destroySoon();
  }

  reset(): void {
    if (!this.open) return;
    this.#settle("cut");
    this.#message.socket.resetAndDestroy();
  }

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
