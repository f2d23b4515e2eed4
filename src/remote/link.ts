// The connection to a relay: reads the events after a position, and comes back after each loss.
import { type AgentwireError, isOurs } from "../core/errors.ts";
import type { FetchResponse } from "../core/http/fetch.ts";
import type { Outbox } from "../core/tell/outbox.ts";
import { eventMark } from "../universal/event-mark.ts";
import type { UniversalEvent } from "../universal/events.ts";
import { frameReader, type RelayFrame } from "./frames.ts";
import { RelayExchange, type RelayHttp } from "./http.ts";
import { Retries } from "./retries.ts";
import { Tabs } from "./tabs.ts";
import {
  attemptError,
  gone,
  type Position,
  positionText,
  type RelayState,
  readPosition,
  relayLost,
} from "./wire.ts";

/** Gets what the relay says. Each frame is one input: the link continues after it. */
export interface LinkHost extends RelayHttp {
  readonly outbox: Outbox;
  /** Tells the listeners of a frame's value. */
  message(value: unknown): void;
  warn(kind: string, message: string, details: { readonly raw: string }): void;
  /** An attempt starts. */
  onConnecting(): void;
  /** The events after `position`, whole and in order. */
  onEvents(events: readonly UniversalEvent[], position: Position): void;
  onState(state: RelayState): void;
  /** All events so far are void. @param saved a saved chat in which the next event continues */
  onReset(saved?: unknown): void;
  /** An attempt or a connection has ended, and the next attempt follows. */
  onLost(error: AgentwireError, backoff: { readonly attempt: number; readonly delay: number }): void;
  /** The next attempt follows when the user looks at the page, or at `start()`. */
  onRest(): void;
  /** No further attempt follows. */
  onFinal(error: AgentwireError): void;
}

/** How one attempt ended. `again`: dial at once, if the relay has said anything new since the last time. */
interface End {
  readonly error: AgentwireError;
  readonly again?: boolean;
  readonly retryAfter?: number | undefined;
}

/**
 * The connection to a relay.
 *
 *     idle ──start()──▶ attempt ──a frame follows the last one──▶ reading ──▶ lost ──backoff──▶ attempt
 *                          ├── 401, 403, 404, `gone`, close() ──▶ over ◀─────┤
 *                          └── the page is put away, `Tabs` ─────▶ resting ◀─┘ ──start()──▶ attempt
 */
export class RelayLink {
  readonly #host: LinkHost;
  readonly #retries: Retries;
  readonly #tabs: Tabs;
  /** The last event that was told. Undefined: nothing was. */
  #position: Position | undefined;
  /** The mark of this event. Undefined if it was not told here. */
  #seen: string | undefined;
  /** Whether something is shown that a restart from the first event makes void. */
  #hasShown: boolean;
  #exchange: RelayExchange | undefined;
  #heartbeat: number | undefined;
  #wasAhead = false;
  #isRunning = false;
  #isReading = false;
  #isResting = false;
  #isOver = false;

  /** @param position undefined: from the first event */
  constructor(host: LinkHost, position: Position | undefined, hasShown: boolean) {
    this.#host = host;
    this.#retries = new Retries(host.settings.clock);
    this.#tabs = new Tabs(
      host.settings.address,
      () => this.start(),
      () => this.#rest(),
    );
    this.#position = position;
    this.#hasShown = hasShown;
  }

  /** Connects, or ends the wait before the next attempt. */
  start(): void {
    if (this.#isOver) return;
    this.#isResting = false;
    this.#tabs.read();
    this.#retries.hurry();
    if (!this.#isRunning) void this.#run();
  }

  /** Comes back at once, because the first state of a stream is the newest one. */
  refresh(): void {
    this.#exchange?.end(relayLost("the state of the chat may be old"));
  }

  /** The relay could not be reached otherwise. An open stream may be dead: reads it anew. */
  doubt(): void {
    if (this.#isReading) this.#exchange?.end(relayLost("a command did not reach the relay"));
  }

  close(): void {
    this.#isOver = true;
    this.#tabs.close();
    this.#exchange?.end();
    this.#retries.hurry();
  }

  #rest(): void {
    this.#isResting = true;
    this.#tabs.stop();
    this.#exchange?.end(relayLost("the page has stopped reading for a while"));
    this.#retries.hurry();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let isHasty = false; !this.#isOver; ) {
      if (this.#isResting) {
        this.#isRunning = false;
        this.#host.onRest();
        return;
      }
      this.#host.onConnecting();
      if (this.#isOver) return; // a listener has closed the client
      const { error, again = false, retryAfter } = await this.#attempt();
      if (this.#isOver) return;
      if (this.#isResting) continue;
      if (!error.retryable) {
        this.#isOver = true;
        this.#host.onFinal(error);
        return;
      }
      const backoff = again && !isHasty ? { attempt: 1, delay: 0 } : this.#retries.next(retryAfter);
      isHasty = again;
      this.#host.onLost(error, backoff);
      if (backoff.delay > 0 && !this.#isOver) await this.#retries.wait(backoff.delay);
    }
  }

  async #attempt(): Promise<End> {
    const exchange = new RelayExchange(this.#host, this.#heartbeat);
    this.#exchange = exchange;
    try {
      const headers = {
        accept: "text/event-stream",
        ...(this.#position && { "last-event-id": positionText(this.#position) }),
        ...(this.#seen && { "relay-seen": this.#seen }),
      };
      const response = await exchange.open("/events", { method: "GET", headers });
      return await (response.status === 200
        ? this.#read(response, exchange)
        : this.#refused(response, exchange));
    } catch (thrown) {
      return { error: exchange.error(thrown) };
    } finally {
      exchange.end();
    }
  }

  /** Reads the stream to its end. A clean end is a loss like any other. */
  async #read(response: FetchResponse, exchange: RelayExchange): Promise<End> {
    const reader = response.body?.getReader();
    if (!reader || !response.headers.get("content-type")?.startsWith("text/event-stream"))
      return { error: relayLost("the answer is no stream: a proxy or another server may have sent it") };
    if (!this.#position) this.#restart();
    let error: AgentwireError | undefined;
    const read = frameReader((frame) => {
      if (!this.#isOver) error ??= this.#host.outbox.run(() => this.#take(frame));
    });
    this.#isReading = true;
    try {
      while (!error) {
        const { done, value } = await exchange.until(reader.read());
        if (done) return { error: relayLost("the relay ended the stream") };
        exchange.touch();
        if (value) read(value);
      }
      return { error };
    } catch (thrown) {
      const { message, cause } = exchange.error(thrown, "the stream broke");
      return { error: isOurs(thrown) ? thrown : relayLost(message, cause) };
    } finally {
      this.#isReading = false;
      reader.cancel?.().catch(() => {}); // the stream may have ended
    }
  }

  /** Returns the error that ends the connection. */
  #take(frame: RelayFrame): AgentwireError | undefined {
    const before = this.#position;
    const { text, value } = frame;
    this.#host.frame("in", text);
    if (value !== undefined) this.#host.message(value);
    switch (frame.type) {
      case "events": {
        const { events, last } = frame;
        const at = last.at - events.length;
        const shown = before?.at ?? 0;
        if (at !== shown || (before && last.log !== before.log))
          return relayLost(`position ${last.at} does not follow position ${shown}`);
        const newest = events.at(-1);
        this.#position = last;
        this.#seen = newest && eventMark(newest);
        this.#hasShown = true;
        this.#host.onEvents(events, { log: last.log, at });
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
        return gone("the chat was removed from the relay");
      case "unknown":
        if (value === undefined)
          this.#host.warn("unreadable-frame", "the relay sent a frame that is no JSON", { raw: text });
        return undefined;
      case "damaged":
        this.#host.warn("unreadable-frame", frame.problem, { raw: text });
        return relayLost(`the relay's stream cannot be read: ${frame.problem}`);
      default:
        return frame satisfies never;
    }
  }

  async #refused(response: FetchResponse, exchange: RelayExchange): Promise<End> {
    const answer = await exchange.answer(response);
    const { status, retryAfter } = answer;
    const error = attemptError(answer);
    if (status === 410) return { error, again: await this.#takeSnapshot(exchange) };
    // 409: the log ends before the position. The first time, the server may only be behind another one.
    // 400 from others than the relay: the request was cut on its way.
    const isVoid =
      status === 412 ||
      (status === 400 && this.#position && answer.body["code"] === "invalid-position") ||
      (status === 409 && this.#wasAhead);
    this.#wasAhead = status === 409;
    if (isVoid) this.#restart();
    return { error, again: status === 412, retryAfter };
  }

  /** Continues from the relay's snapshot, because the events before it are gone. */
  async #takeSnapshot(exchange: RelayExchange): Promise<boolean> {
    const init = { method: "GET", headers: { accept: "application/json" } };
    const { status, body } = await exchange.answer(await exchange.open("/snapshot", init));
    const position = readPosition(body["position"]);
    if (this.#isOver || status !== 200 || !position) return false;
    this.#position = position;
    this.#seen = undefined;
    this.#hasShown = true;
    this.#host.onReset(body["saved"]);
    return true;
  }

  /** The next attempt reads from the first event. */
  #restart(): void {
    this.#position = undefined;
    this.#seen = undefined;
    if (this.#hasShown) this.#host.onReset();
    this.#hasShown = false;
  }
}
