// The lease of one driver: renewed in time, or given up in time.
import type { CancelTimer } from "../../core/clock.ts";
import type { Lease } from "../event-log.ts";
import type { RelaySettings } from "../options.ts";

export interface TenureHost {
  readonly id: string;
  readonly owner: string;
  readonly settings: Pick<RelaySettings, "log" | "clock" | "leaseTtl">;
  /** The lease is lost, or may be. The driver must stop at once. */
  onExpired(why: "lost" | "silent"): void;
  failed(what: string, error: unknown): void;
}

/**
 * Renews the lease each third of its time. Without a success for two thirds, by this process's own monotonic clock, the
 * driver stops: another one may begin after the whole time.
 */
export class Tenure {
  readonly #host: TenureHost;
  readonly #epoch: number;
  #renewal: CancelTimer | undefined;
  #deadline: CancelTimer | undefined;
  #isOver = false;

  /** @param askedAt when the lease was asked for: it may have begun right then */
  constructor(host: TenureHost, { epoch }: Lease, askedAt: number) {
    this.#host = host;
    this.#epoch = epoch;
    this.#extend(askedAt);
    this.#schedule();
  }

  stop(): void {
    this.#isOver = true;
    this.#renewal?.();
    this.#deadline?.();
  }

  #extend(from: number): void {
    const { clock, leaseTtl } = this.#host.settings;
    this.#deadline?.();
    const left = from + (leaseTtl * 2) / 3 - clock.now();
    this.#deadline = clock.setTimeout(() => this.#end("silent"), Math.max(0, left));
  }

  #schedule(): void {
    const { clock, leaseTtl } = this.#host.settings;
    this.#renewal = clock.setTimeout(() => {
      this.#schedule(); // also while a call hangs
      void this.#renew();
    }, leaseTtl / 3);
  }

  async #renew(): Promise<void> {
    const { id, owner, settings } = this.#host;
    const askedAt = settings.clock.now();
    try {
      const isOurs = await settings.log.renew(id, owner, this.#epoch, settings.leaseTtl);
      if (this.#isOver) return;
      if (isOurs) this.#extend(askedAt);
      else this.#end("lost");
    } catch (error) {
      if (!this.#isOver) this.#host.failed("the lease cannot be renewed", error);
    }
  }

  #end(why: "lost" | "silent"): void {
    this.stop();
    this.#host.onExpired(why);
  }
}
