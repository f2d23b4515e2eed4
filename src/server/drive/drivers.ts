// The chats that this process drives, and those that nobody drives.
import type { CancelTimer } from "../../core/clock.ts";
import type { RelaySettings } from "../options.ts";
import type { Channel } from "../view/channel.ts";
import { Driver } from "./driver.ts";

export interface DriversHost {
  readonly settings: RelaySettings;
  /** The chat in this process. Made if it is not there. */
  channel(id: string): Channel;
  /** The chat in this process, if it is there. */
  find(id: string): Channel | undefined;
  readonly channels: Iterable<Channel>;
  background(work: Promise<unknown>): void;
  failed(what: string, error: unknown): void;
  /** The channel may be needless now. */
  tidy(channel: Channel): void;
}

/** Claims chats for this process, and keeps their drivers. */
export class Drivers {
  readonly #host: DriversHost;
  readonly #owner: string;
  readonly #drivers = new Map<string, Driver>();
  /** One claim at a time for each chat: two would fence each other. */
  readonly #claims = new Map<string, Promise<void>>();
  /** Chats whose lease ran out, and the timer of the second look. */
  readonly #orphans = new Map<string, CancelTimer>();
  #sweep: CancelTimer | undefined;
  #isClosed = false;

  constructor(host: DriversHost) {
    this.#host = host;
    this.#owner = host.settings.newId("relay");
    if (host.settings.drive) this.#schedule();
  }

  /** The driver of a chat, if this process has it. */
  get(id: string): Driver | undefined {
    return this.#drivers.get(id);
  }

  /** The chat has commands. Claims it, unless a process drives it. Returns the driver in this process. */
  async want(id: string): Promise<Driver | undefined> {
    const known = this.#drivers.get(id);
    if (known?.isEnding) await known.ended;
    else if (known) known.wake();
    if (!this.#drivers.has(id)) await this.#claim(id, false);
    return this.#drivers.get(id);
  }

  /** Takes no more chats. Waits up to `drain` ms for turns, then ends them. */
  async close(drain: number): Promise<void> {
    this.#isClosed = true;
    this.#sweep?.();
    for (const cancel of this.#orphans.values()) cancel();
    this.#orphans.clear();
    await Promise.all(this.#claims.values());
    const drivers = [...this.#drivers.values()];
    if (drain > 0) await this.#drained(drivers, drain);
    await Promise.all(drivers.map((driver) => driver.end("closing")));
  }

  async #drained(drivers: readonly Driver[], drain: number): Promise<void> {
    let cancel: CancelTimer = () => {};
    const late = new Promise<void>((resolve) => {
      cancel = this.#host.settings.clock.setTimeout(resolve, drain);
    });
    await Promise.race([late, Promise.all(drivers.map((driver) => driver.drain()))]);
    cancel();
  }

  #claim(id: string, isSecondLook: boolean): Promise<void> {
    const running = this.#claims.get(id);
    if (running) return running;
    const claim = this.#tryClaim(id, isSecondLook)
      .catch((error: unknown) => this.#host.failed("the chat cannot be claimed", error))
      .finally(() => this.#claims.delete(id));
    this.#claims.set(id, claim);
    this.#host.background(claim);
    return claim;
  }

  async #tryClaim(id: string, isSecondLook: boolean): Promise<void> {
    const { log, clock, drive, maxDriven, leaseTtl } = this.#host.settings;
    if (!drive || this.#isClosed || this.#drivers.has(id)) return;
    if (this.#drivers.size >= maxDriven) {
      this.#host.find(id)?.note("waiting");
      return;
    }
    const askedAt = clock.now();
    const lease = await log.acquire(id, this.#owner, leaseTtl, isSecondLook);
    if (lease === "orphan") {
      this.#lookAgain(id);
      return;
    }
    this.#orphans.get(id)?.();
    this.#orphans.delete(id);
    if (lease === null) this.#host.find(id)?.note(undefined);
    else if (this.#isClosed) await log.release(id, this.#owner, lease.epoch);
    else {
      const { settings } = this.#host;
      const driver = new Driver(
        {
          settings,
          owner: this.#owner,
          background: (work) => this.#host.background(work),
          failed: (what, error) => this.#host.failed(what, error),
          onEnded: (ended) => this.#ended(ended),
        },
        this.#host.channel(id),
        lease,
        askedAt,
      );
      this.#drivers.set(id, driver);
    }
  }

  /** The lease ran out without a release. A log that was down for a while makes many such leases, all in use. */
  #lookAgain(id: string): void {
    if (this.#isClosed || this.#orphans.has(id)) return; // other looks must not delay the second one
    const { clock, leaseTtl } = this.#host.settings;
    this.#host.find(id)?.note("lost");
    const cancel = clock.setTimeout(() => {
      this.#orphans.delete(id);
      void this.#claim(id, true);
    }, leaseTtl / 2);
    this.#orphans.set(id, cancel);
  }

  #ended(driver: Driver): void {
    const { channel } = driver;
    this.#drivers.delete(channel.id);
    if (!this.#isClosed) channel.wakeNow();
    this.#host.tidy(channel);
  }

  #schedule(): void {
    const { clock, sweepEvery } = this.#host.settings;
    const sweep = async (): Promise<void> => {
      try {
        await this.#sweepOnce();
      } catch (error) {
        this.#host.failed("chats without a driver cannot be found", error);
      }
      if (!this.#isClosed) this.#schedule();
    };
    this.#sweep = clock.setTimeout(() => this.#host.background(sweep()), sweepEvery, { unref: true });
  }

  /** Claims chats that have commands, or whose driver does not answer. */
  async #sweepOnce(): Promise<void> {
    const wanted = new Set<string>();
    for (const { id, viewers, shown } of this.#host.channels)
      if (viewers.size > 0 && shown.driver === "running") wanted.add(id);
    const { log } = this.#host.settings;
    let cursor: string | undefined;
    do {
      const page = await log.list({ waiting: true, ...(cursor === undefined ? {} : { cursor }) });
      for (const id of page.ids) wanted.add(id);
      cursor = page.cursor;
    } while (cursor !== undefined && !this.#isClosed);
    for (const id of wanted)
      if (!this.#drivers.has(id) && !this.#orphans.has(id)) await this.#claim(id, false);
  }
}
