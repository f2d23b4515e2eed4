// `createRelay`: chats that outlive their pages, for any number of viewers.
import { checkCallOptions, checks } from "../core/checks.ts";
import type { CancelTimer } from "../core/clock.ts";
import { Drivers } from "./drive/drivers.ts";
import {
  type RelayContext,
  type RelayOptions,
  type RelayRequest,
  type RelayResponse,
  type RelaySettings,
  resolveRelayOptions,
} from "./options.ts";
import { attendEvery } from "./view/attended.ts";
import { Channel } from "./view/channel.ts";
import { RelayHandler } from "./wire/handler.ts";

export interface RelayCloseOptions {
  /** How long to wait for running turns, in ms. Then they end as failed. @default 5,000 */
  readonly drain?: number;
}

/** A relay in this process. */
export interface Relay extends AsyncDisposable {
  /**
   * Answers a request for a path under `basePath`, and 404 to any other. A stream of events ends with the request's
   * `signal`. Does not use `this`, and never rejects. Runtimes may pass anything beside the request, such as the parameters
   * of a route: only {@link RelayContext.waitUntil} is used.
   *
   * `GET <basePath>/<id>/events` reads a chat as server-sent events. With `?live=no` it ends, in JSON lines. Clients of Durable
   * Streams pass `?offset=-1`. `DELETE <basePath>/<id>` removes a chat.
   */
  readonly handler: (request: RelayRequest, context?: RelayContext | object) => Promise<RelayResponse>;
  /**
   * Refuses new requests (503), waits for running turns, gives the chats back to other processes and ends all streams, whose
   * viewers come back elsewhere. A process that ends without it keeps its chats from others for up to `1.5 * leaseTtl`. The
   * log stays open. Idempotent.
   */
  readonly close: (options?: RelayCloseOptions) => Promise<void>;
}

const CLOSE_OPTIONS = { drain: checks.delay };
const DRAIN = 5_000;

/** How long `close()` waits for calls of the log and for clients that close, in ms. */
const MAX_FINISH = 10_000;

/**
 * Makes a relay: chats over any backend, kept in a log, for viewers that come and go. Several processes may share a log.
 * `handler` answers requests for chats, by Web standards; `relayListener` of `agentwire/server/node` puts it on `node:http`.
 * Viewers are `remote` of `agentwire/remote`. The first command of a viewer makes a chat. After a crash, a turn ends as failed
 * with `relay.driver-lost`, and a prompt that the agent perhaps got with `relay.delivery-unknown`. `relay.log-lost`: the log could
 * not be written, and the agent was stopped. `relay.withdrawn`: somebody took the prompt back before the agent got it. The `time`
 * of events may step back when another server goes on; their order stays.
 *
 * ```ts
 * const relay = createRelay({
 *   source: () => codey({ url, onToolApproval: "manual" }),
 *   log: sqliteLog("chats.sqlite"),
 *   authorize: async (request, { chat }) => ((await mayUse(request, chat)) ? { user: "ada" } : false),
 * });
 * createServer(relayListener(relay.handler)).listen(8080, "127.0.0.1");
 * ```
 *
 * @throws InvalidInputError for a wrong, missing or unknown option; UnsupportedError on a host that ends processes with
 * their responses, without `waitUntil` and with `drive`
 */
export function createRelay(options: RelayOptions): Relay {
  const relay = new LiveRelay(resolveRelayOptions(options));
  return {
    handler: (request, context) => relay.handler.answer(request, context),
    close: (how) => relay.close(how),
    [Symbol.asyncDispose]: () => relay.close(),
  };
}

/** The chats of this process, and its timers. */
class LiveRelay {
  readonly settings: RelaySettings;
  readonly handler: RelayHandler;
  readonly #drivers: Drivers;
  readonly #channels = new Map<string, Channel>();
  readonly #budget = { used: 0 };
  readonly #work = new Set<Promise<unknown>>();
  #ticker: CancelTimer | undefined;
  #lookedAt = 0;
  #closed: Promise<void> | undefined;

  constructor(settings: RelaySettings) {
    this.settings = settings;
    const failed = (what: string, error: unknown): void => this.#failed(what, error);
    const background = (work: Promise<unknown>): void => this.#background(work);
    const common = {
      settings,
      failed,
      background,
      channel: (id: string) => this.#channel(id),
      find: (id: string) => this.#channels.get(id),
      tidy: (channel: Channel) => this.#tidy(channel),
    };
    const channels = this.#channels;
    this.#drivers = new Drivers({
      ...common,
      get channels() {
        return channels.values();
      },
    });
    this.handler = new RelayHandler({ ...common, drivers: this.#drivers });
  }

  close(options?: RelayCloseOptions): Promise<void> {
    checkCallOptions<RelayCloseOptions, typeof CLOSE_OPTIONS>(options, CLOSE_OPTIONS);
    this.#closed ??= this.#close(options?.drain ?? DRAIN);
    return this.#closed;
  }

  async #close(drain: number): Promise<void> {
    this.handler.isClosing = true;
    await this.#drivers.close(drain);
    this.#ticker?.();
    this.#ticker = undefined;
    for (const channel of this.#channels.values()) channel.close();
    this.#channels.clear();
    this.handler.close();
    await this.#finish();
  }

  /** Waits for the rest of the work. A log that hangs must not hold the process. */
  async #finish(): Promise<void> {
    let isLate = false;
    let cancel: CancelTimer = () => {};
    const late = new Promise<void>((resolve) => {
      cancel = this.settings.clock.setTimeout(() => {
        isLate = true;
        resolve();
      }, MAX_FINISH);
    });
    while (this.#work.size > 0 && !isLate) await Promise.race([late, Promise.allSettled(this.#work)]);
    cancel();
  }

  #channel(id: string): Channel {
    const known = this.#channels.get(id);
    if (known) return known;
    const channel = new Channel(id, {
      settings: this.settings,
      budget: this.#budget,
      background: (work) => this.#background(work),
      failed: (what, error) => this.#failed(what, error),
      onInbox: (of) => this.#onInbox(of),
      onViewer: (of) => this.#drivers.get(of.id)?.onViewers(),
      onEmpty: (of) => {
        this.#drivers.get(of.id)?.onViewers();
        this.#tidy(of);
      },
    });
    this.#channels.set(id, channel);
    this.#tick();
    return channel;
  }

  #onInbox({ id, queue }: Channel): void {
    const driver = this.#drivers.get(id);
    if (driver && !driver.isEnding) driver.wake();
    else if (queue.length > 0) this.#background(this.#drivers.want(id));
  }

  /** Forgets a chat that nobody views or drives here. */
  #tidy(channel: Channel): void {
    if (channel.viewers.size > 0 || channel.guests > 0 || this.#drivers.get(channel.id)) return;
    if (this.#channels.get(channel.id) !== channel) return;
    this.#channels.delete(channel.id);
    channel.close();
    if (this.#channels.size > 0) return;
    this.#ticker?.();
    this.#ticker = undefined;
  }

  /** One timer for all viewers. */
  #tick(): void {
    const { clock, heartbeat, viewerStall, streamLife, reauthorize, lookEvery } = this.settings;
    if (this.#ticker) return;
    const least = Math.min(heartbeat / 3, viewerStall / 4, streamLife, reauthorize, lookEvery);
    const every = Math.max(1, Math.min(least, attendEvery(this.settings)));
    this.#ticker = clock.setTimeout(
      () => {
        this.#ticker = undefined;
        const now = clock.now();
        const isLook = now - this.#lookedAt >= lookEvery;
        if (isLook) this.#lookedAt = now;
        for (const channel of [...this.#channels.values()]) {
          channel.tick(now);
          if (isLook) channel.wake();
        }
        if (this.#channels.size > 0) this.#tick();
      },
      every,
      { unref: true },
    );
  }

  #background(work: Promise<unknown>): void {
    this.#work.add(work);
    const done = (): void => void this.#work.delete(work);
    work.then(done, done);
  }

  /** Messages have no content of chats. */
  #failed(what: string, error: unknown): void {
    const why = error instanceof Error ? `: ${error.name}: ${error.message}` : "";
    this.settings.logger?.error(`agentwire relay: ${what}${why}`);
  }
}
