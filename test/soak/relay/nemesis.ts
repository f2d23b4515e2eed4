// What is done to the servers and their log, by chance: one after the other, sometimes two at once.
import { rm, statfs, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Dice } from "../dice.ts";
import type { ChaosProxy } from "../proxy.ts";
import type { Fleet } from "./fleet.ts";
import type { Fault } from "./history.ts";
import type { RedisPair } from "./redis-pair.ts";

export interface NemesisOptions {
  readonly dice: Dice;
  readonly fleet: Fleet;
  /** Between the viewers and the servers. */
  readonly balancer: ChaosProxy;
  /** ms of a lease. */
  readonly ttl: number;
  readonly now: () => number;
  readonly redis:
    | {
        readonly pair: RedisPair;
        /** Cuts the links between the servers and Redis. */
        readonly cut: () => void;
        /** Whether each write waits for the replica. */
        readonly waits: boolean;
      }
    | undefined;
  readonly sqlite:
    | {
        /** A file with the ms by which the machine's clock is off. */
        readonly clock: string;
        /** A file to fill the disk of the log with. Undefined: the disk is not only the log's. */
        readonly ballast: string | undefined;
      }
    | undefined;
}

const HOUR = 3_600_000;

/** The names of faults, with their weights. */
const WEIGHTS = {
  kill: 4,
  freeze: 3,
  close: 2,
  clock: 1,
  cut: 2,
  "machine-clock": 1,
  "disk-full": 2,
  "redis-kill": 2,
  "redis-down": 1,
  "redis-cut": 2,
  promote: 2,
} as const;

type Kind = keyof typeof WEIGHTS;

/** What a fault may do. */
type Effect = Partial<Pick<Fault, "endsTurns" | "losesWrites" | "rollsBack">>;

const USUAL = { endsTurns: true, losesWrites: false, rollsBack: false } as const;
const HARMLESS: Effect = { endsTurns: false };

export class Nemesis {
  readonly faults: Fault[] = [];
  readonly #options: NemesisOptions;
  /** One at a time for the log. */
  #isLogBusy = false;

  constructor(options: NemesisOptions) {
    this.#options = options;
  }

  /** Something that was not planned has disturbed the servers. */
  note(kind: string, ms: number): void {
    const to = this.#options.now();
    this.faults.push({ ...USUAL, kind, from: to - ms, to });
  }

  /** Strikes until it is told to stop. Resolves once all is whole again. */
  async act(signal: AbortSignal): Promise<void> {
    const { dice, fleet, redis, sqlite } = this.#options;
    const running = new Set<Promise<void>>();
    while (!signal.aborted) {
      await setTimeout(dice.int(300, 2_500));
      if (signal.aborted) break;
      const work = this.#strike(dice.pick(this.#weights())).finally(() => running.delete(work));
      running.add(work);
      if (dice.chance(0.7)) await work;
    }
    await Promise.all(running);
    for (const server of fleet.all) server.tell({ type: "clock", ms: 0 });
    if (sqlite) await writeFile(sqlite.clock, "0");
    redis?.cut();
    await fleet.fill();
  }

  #weights(): Readonly<Record<Kind, number>> {
    const { redis, sqlite } = this.#options;
    const isPossible = (kind: Kind): boolean => {
      if (kind.startsWith("redis") || kind === "promote") return redis !== undefined;
      if (kind === "disk-full") return sqlite?.ballast !== undefined;
      return kind !== "machine-clock" || sqlite !== undefined;
    };
    const entries = Object.entries(WEIGHTS) as [Kind, number][];
    return Object.fromEntries(
      entries.map(([kind, weight]) => [kind, isPossible(kind) ? weight : 0]),
    ) as Record<Kind, number>;
  }

  async #strike(kind: Kind): Promise<void> {
    const { dice, fleet, balancer, ttl, redis, sqlite } = this.#options;
    const server = fleet.up[dice.int(0, Math.max(0, fleet.up.length - 1))];
    switch (kind) {
      case "kill":
        if (!server) return;
        await this.#during(kind, async () => {
          await fleet.kill(server);
          await setTimeout(dice.int(0, 1_500));
          await fleet.fill();
        });
        return;
      case "freeze":
        if (!server) return;
        await this.#during(kind, async () => {
          fleet.freeze(server);
          await setTimeout(ttl * (1.1 + 1.4 * dice.next()));
          fleet.thaw(server);
        });
        return;
      case "close":
        if (!server) return;
        await this.#during(kind, async () => {
          await fleet.close(server, dice.pick({ now: 1, soon: 1 }) === "now" ? 0 : 400);
          await fleet.fill();
        });
        return;
      case "clock":
        await this.#during(
          kind,
          async () => server?.tell({ type: "clock", ms: dice.int(-HOUR, HOUR) }),
          HARMLESS,
        );
        return;
      case "cut":
        await this.#during(kind, async () => balancer.cutAll(), HARMLESS);
        return;
      case "machine-clock":
        if (sqlite)
          await this.#during(kind, () => writeFile(sqlite.clock, String(dice.int(-HOUR, HOUR))), HARMLESS);
        return;
      case "disk-full":
        if (sqlite?.ballast !== undefined)
          await this.#onLog(kind, () => fill(sqlite.ballast ?? "", this.#outage()));
        return;
      case "redis-cut":
        await this.#during(kind, async () => redis?.cut(), HARMLESS);
        return;
      case "redis-kill":
        if (redis) await this.#onLog(kind, () => redis.pair.restart(dice.int(0, ttl * 0.2)));
        return;
      case "redis-down":
        if (redis) await this.#onLog(kind, () => redis.pair.restart(this.#outage()));
        return;
      case "promote":
        if (redis) {
          const apart = dice.chance(0.7) ? dice.int(50, 600) : 0;
          const promote = (): Promise<void> => redis.pair.promote(apart, dice.int(0, ttl * 0.3));
          await this.#onLog(kind, promote, { losesWrites: !redis.waits, rollsBack: true });
        }
        return;
      default:
        kind satisfies never;
    }
  }

  /** Shorter or longer than the drivers hold out. */
  #outage(): number {
    const { dice, ttl } = this.#options;
    return dice.int(ttl * 0.2, ttl * 2.5);
  }

  async #onLog(kind: Kind, act: () => Promise<void>, effect: Effect = {}): Promise<void> {
    if (this.#isLogBusy) return;
    this.#isLogBusy = true;
    await this.#during(
      kind,
      async () => {
        await act();
        this.#options.redis?.cut(); // those to the old server
      },
      effect,
    );
    this.#isLogBusy = false;
  }

  async #during(kind: Kind, act: () => Promise<unknown>, effect: Effect = {}): Promise<void> {
    const fault: Fault = {
      ...USUAL,
      ...effect,
      kind,
      from: this.#options.now(),
      to: Number.POSITIVE_INFINITY,
    };
    this.faults.push(fault);
    await act();
    fault.to = this.#options.now();
  }
}

/** Fills the disk of a file for so many ms. */
async function fill(ballast: string, ms: number): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(ballast));
  try {
    await writeFile(ballast, Buffer.alloc(bavail * bsize));
    for (;;) await writeFile(ballast, Buffer.alloc(4_096), { flag: "a" });
  } catch {
    // it is full now
  }
  await setTimeout(ms);
  await rm(ballast, { force: true });
}
