// The connection to a relay: reads the events after a position, and comes back after each loss.
import { isObject } from "../core/checks.ts";
import { type AgentwireError, isOurs } from "../core/errors.ts";
import type { FetchResponse } from "../core/http/fetch.ts";
import type { Outbox } from "../core/tell/outbox.ts";
import type { RelayFrame } from "./frames.ts";
import { FrameReader } from "./frames.ts";
import { RelayExchange, type RelayHttp, wasClosed } from "./http.ts";
import { Retries } from "./retries.ts";
import {
  attemptError,
  finalError,
  type Position,
  positionText,
  type RelayState,
  readPosition,
  relayLost,
  removed,
} from "./wire.ts";

/** Gets what the relay says. Each frame is one input: the link continues after it. */
export interface LinkHost extends RelayHttp {
  readonly outbox: Outbox;
  /** Tells listeners of a frame's value. */
  message(value: unknown): void;
  warn(kind: string, message: string, details: { readonly raw: string }): void;
  /** An attempt starts. */
  onConnecting(): void;
  /** The events after `position`, whole and in order. */
  onEvents(events: Extract<RelayFrame, { type: "events" }>["events"], position: Position): void;
  onState(state: RelayState): void;
  /** All events so far are void. @param saved a saved chat in which the next event continues */
  onReset(saved?: unknown): void;
  /** An attempt or a connection has ended, and the next attempt follows. */
  onLost(error: AgentwireError, backoff: { readonly attempt: number; readonly delay: number }): void;
  /** No further attempt follows. */
  onFinal(error: AgentwireError): void;
}

/** How one attempt ended. `again`: dial at once, if the relay has said anything new since the last time. */
type End = {
  readonly error: AgentwireError;
  readonly again?: true;
  readonly retryAfter?: number | undefined;
};

/**
 * The connection to a relay.
 *
 *     idle ──start()──▶ attempt ──a frame follows the last one──▶ reading ──▶ lost ──backoff──▶ attempt
 *                          └── 401, 403, 404, `gone`, close() ──▶ over ◀─────┘
 */
export class RelayLink {
  readonly #host: LinkHost;
  readonly #retries: Retries;
  /** The last event that was told. Undefined: nothing was. */
  #position: Position | undefined;
  /** Whether something is shown that a restart from the first event makes void. */
  #hasShown: boolean;
  #exchange: RelayExchange | undefined;
  #heartbeat: number | undefined;
  #wasAhead = false;
  #isRunning = false;
  #isOver = false;

  /** @param position undefined: from the first event */
  constructor(host: LinkHost, position: Position | undefined, hasShown: boolean) {
    this.#host = host;
    this.#retries = new Retries(host.settings.clock);
    this.#position = position;
    this.#hasShown = hasShown;
  }

  /** Connects, or ends the wait before the next attempt. */
  start(): void {
    this.#retries.hurry();
    if (this.#isRunning || this.#isOver) return;
    this.#isRunning = true;
    void this.#run();
  }

  /** Comes back at once, because the first state of a stream is the newest one. */
  refresh(): void {
    this.#exchange?.end(relayLost("the state of the chat may be old"));
  }

  close(): void {
    this.#isOver = true;
    this.#exchange?.end(wasClosed());
    this.#retries.hurry();
  }

  async #run(): Promise<void> {
    let isHasty = false;
    while (!this.#isOver) {
      this.#host.onConnecting();
      const { error, again, retryAfter } = await this.#attempt();
      if (this.#isOver) return;
      if (!error.retryable) {
        this.close();
        this.#host.onFinal(error);
        return;
      }
      const backoff = again && !isHasty ? { attempt: 1, delay: 0 } : this.#retries.next(retryAfter);
      isHasty = again ?? false;
      this.#host.onLost(error, backoff);
      if (!this.#isOver && backoff.delay > 0) await this.#retries.wait(backoff.delay);
    }
  }

  async #attempt(): Promise<End> {
    const exchange = new RelayExchange(this.#host, this.#heartbeat);
    this.#exchange = exchange;
    try {
      const position = this.#position;
      const headers = {
        accept: "text/event-stream",
        ...(position ? { "last-event-id": positionText(position) } : {}),
      };
      const response = await exchange.open("/events", { method: "GET", headers });
      if (response.status === 200) return { error: await this.#read(response, exchange) };
      return await this.#refused(response, exchange);
    } catch (thrown) {
      return { error: exchange.error(thrown) };
    } finally {
      exchange.end(wasClosed());
      this.#exchange = undefined;
    }
  }

  /** Reads the stream to its end. A clean end is a loss like any other. */
  async #read(response: FetchResponse, exchange: RelayExchange): Promise<AgentwireError> {
    const reader = response.body?.getReader();
    if (!reader || !response.headers.get("content-type")?.startsWith("text/event-stream"))
      return relayLost("the answer is no stream of events: a proxy or another server may have sent it");
    if (!this.#position) this.#restart();
    const frames = new FrameReader();
    try {
      for (;;) {
        const { done, value } = await exchange.until(reader.read());
        if (done || this.#isOver) return relayLost("the relay ended the stream");
        exchange.touch();
        for (const frame of value ? frames.read(value) : []) {
          const end = this.#host.outbox.run(() => this.#take(frame));
          if (end || this.#isOver) return end ?? wasClosed();
        }
      }
    } catch (thrown) {
      const { message, cause } = exchange.error(thrown, "the stream broke");
      throw isOurs(thrown) ? thrown : relayLost(message, cause);
    } finally {
      reader.cancel?.().catch(() => {}); // the stream may have ended
    }
  }

  /** Returns the error that ends the connection. */
  #take(frame: RelayFrame): AgentwireError | undefined {
    const before = this.#position;
    this.#host.frame("in", frame.text);
    if (frame.value !== undefined) this.#host.message(frame.value);
    switch (frame.type) {
      case "events": {
        const { events, last } = frame;
        if (last.at - events.length !== (before?.at ?? 0) || (before && last.log !== before.log))
          return relayLost(`position ${last.at} does not follow position ${before?.at ?? 0}`);
        this.#position = last;
        this.#hasShown = true;
        this.#host.onEvents(events, { log: last.log, at: last.at - events.length });
        return undefined;
      }
      case "state": {
        const { state } = frame;
        if (before && state.log !== before.log) return relayLost("the state is that of another log");
        this.#heartbeat = state.heartbeat;
        if (state.isCaughtUp) {
          this.#wasAhead = false;
          this.#retries.forgive();
        }
        this.#host.onState(state);
        return undefined;
      }
      case "reset":
        this.#restart();
        return relayLost("the relay starts the chat anew");
      case "gone":
        return removed();
      case "unknown":
        if (frame.value === undefined)
          this.#host.warn("unreadable-frame", "the relay sent a frame that is no JSON", { raw: frame.text });
        return undefined;
      case "unreadable":
        this.#host.warn("unreadable-frame", frame.problem, { raw: frame.text });
        return relayLost(`the relay's stream cannot be read: ${frame.problem}`);
      default:
        return frame satisfies never;
    }
  }

  async #refused(response: FetchResponse, exchange: RelayExchange): Promise<End> {
    const answer = await exchange.answer(response);
    const error = attemptError(answer);
    switch (answer.status) {
      case 401:
      case 403:
      case 404:
        return { error: finalError(answer) };
      case 412: // another log
        this.#restart();
        return { error, again: true };
      case 400: // the position cannot be read
        if (this.#position) this.#restart();
        return { error };
      case 409: // The log ends before the position. The first time, the server may only be behind another one.
        if (this.#wasAhead) this.#restart();
        this.#wasAhead = true;
        return { error };
      case 410:
        return (await this.#takeSnapshot()) ? { error, again: true } : { error };
      default:
        return { error, retryAfter: answer.retryAfter };
    }
  }

  /** Continues from the relay's snapshot, because the events before it are gone. */
  async #takeSnapshot(): Promise<boolean> {
    const exchange = new RelayExchange(this.#host, this.#heartbeat);
    this.#exchange?.end(wasClosed());
    this.#exchange = exchange;
    try {
      const response = await exchange.open("/snapshot", {
        method: "GET",
        headers: { accept: "application/json" },
      });
      const body = response.status === 200 ? await exchange.json(response) : undefined;
      const position = isObject(body) ? readPosition(body["position"]) : undefined;
      if (this.#isOver || !position || !isObject(body)) return false;
      this.#position = position;
      this.#hasShown = true;
      this.#host.onReset(body["saved"]);
      return true;
    } finally {
      exchange.end(wasClosed());
    }
  }

  /** The next attempt reads from the first event. */
  #restart(): void {
    this.#position = undefined;
    if (this.#hasShown) this.#host.onReset();
    this.#hasShown = false;
  }
}
