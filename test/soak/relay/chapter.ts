// One chapter of the relay: servers, users and viewers over one log, with what happens to them, and the verdict.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { tempFolder } from "../../../scripts/support/temp-folder.ts";
import type { RelayLimits } from "../../../src/server/limits.ts";
import { Dice } from "../dice.ts";
import { ChaosProxy } from "../proxy.ts";
import { answerPlan } from "./answers.ts";
import { Fleet } from "./fleet.ts";
import { type Ground, redisGround, sqliteGround } from "./ground.ts";
import type { History, Run } from "./history.ts";
import { judge, type Violation } from "./judge.ts";
import { balancerLink, redisLink } from "./links.ts";
import { Witness } from "./log-reader.ts";
import { Nemesis } from "./nemesis.ts";
import { ChatUsers } from "./users.ts";
import { isIdle, messagesOf } from "./viewers.ts";
import { Wire } from "./wire.ts";

const SERVERS = 3;
const CHATS = ["one", "two", "three"];

/** ms of a lease: a busy machine must still renew it. */
const TTL = 1_800;

/** ms in which all becomes quiet once nothing more is done. */
const BOUND = 40_000;

/** ms between two looks at the log. */
const LOOK = 60;

/** ms without faults before the users stop. */
const CALM = 1_500;

const LIMITS: Partial<RelayLimits> = {
  leaseTtl: TTL,
  sweepEvery: 500,
  lookEvery: 1_000,
  heartbeat: 1_000,
  streamLife: 10_000,
  idleAfter: 1_000,
  maxCommands: 1_000_000,
};

/** Events that a log which drops old ones keeps. */
const RETENTION = 300;

export interface ChapterOrder {
  readonly log: "sqlite" | "redis";
  readonly seed: number;
  readonly number: number;
  /** ms in which the nemesis strikes. */
  readonly time: number;
  /** The bundled server. */
  readonly program: string;
  /** Called now and then, with the number of prompts that are over. */
  readonly progress: (prompts: number) => void;
}

export interface RelayReport {
  readonly history: History;
  readonly violations: readonly Violation[];
  readonly links: number;
  readonly cuts: number;
  readonly untried: readonly string[];
  /** What the servers have logged. */
  readonly notes: string;
}

export async function playRelay(order: ChapterOrder): Promise<RelayReport> {
  const { seed, log, number } = order;
  await using folder = await tempFolder();
  const variant = new Dice(seed, log, number, "variant");
  let isRough = true;
  const waits = variant.chance(0.5);
  const dice = (...words: readonly (string | number)[]) => new Dice(seed, log, number, ...words);
  await using ground = await (log === "sqlite"
    ? sqliteGround(folder.path)
    : redisGround(folder.path, waits, (link) => redisLink(dice("redis", link), isRough)));
  await using balancer = await ChaosProxy.start((link) => balancerLink(dice("link", link), isRough));
  const chapter = new RelayChapter({
    order,
    dice,
    folder: folder.path,
    ground,
    balancer,
    // A log that loses its end must be read again from the start.
    trims: log === "sqlite" && variant.chance(0.5),
    calm: () => {
      isRough = false;
      balancer.cutAll();
    },
  });
  return await chapter.play(); // not without: the folder would go
}

interface Setup {
  readonly order: ChapterOrder;
  readonly dice: (...words: readonly (string | number)[]) => Dice;
  readonly folder: string;
  readonly ground: Ground;
  readonly balancer: ChaosProxy;
  readonly trims: boolean;
  /** Ends the faults of links. */
  readonly calm: () => void;
}

class RelayChapter {
  readonly #setup: Setup;
  readonly #violations: Violation[] = [];
  readonly #start = performance.now();
  readonly #startedAt = Date.now();
  readonly #journal: string;
  readonly #notes: string;
  readonly #fleet: Fleet;
  readonly #nemesis: Nemesis;
  readonly #wire: Wire;
  #witnesses: readonly Witness[] = [];

  constructor(setup: Setup) {
    const { order, dice, folder, ground, balancer, trims } = setup;
    this.#setup = setup;
    this.#journal = join(folder, "journal");
    this.#notes = join(folder, "notes");
    const limits = trims ? { ...LIMITS, retention: RETENTION } : LIMITS;
    this.#fleet = new Fleet(
      {
        program: order.program,
        reports: folder,
        order: { log: ground.order, journal: this.#journal, notes: this.#notes, limits },
        onStalled: (ms) => this.#nemesis.note("stall", ms),
        onProblem: (message) => this.#blame("server", message),
      },
      SERVERS,
    );
    const choice = dice("balancer");
    balancer.target = () => {
      const running = this.#fleet.all.filter(({ isUp }) => isUp); // a frozen one accepts, and says nothing
      return running[choice.int(0, running.length - 1)]?.port;
    };
    const now = (): number => this.#now();
    this.#wire = new Wire(balancer.port, now);
    this.#nemesis = new Nemesis({
      dice: dice("nemesis"),
      fleet: this.#fleet,
      balancer,
      ttl: TTL,
      now,
      ...ground.nemesis,
    });
  }

  async play(): Promise<RelayReport> {
    const { order, ground, balancer, calm } = this.#setup;
    await Promise.all([this.#journal, this.#notes].map((file) => writeFile(file, "")));
    await this.#fleet.fill();
    const users = CHATS.map((id) => this.#users(id));
    const reader = await ground.reader();
    this.#witnesses = CHATS.map((id) => new Witness(id, reader));
    const [striking, acting, watching] = [
      new AbortController(),
      new AbortController(),
      new AbortController(),
    ];
    const watched = this.#watch(watching.signal);
    const acted = Promise.all(users.map((each) => each.act(acting.signal)));
    const struck = this.#nemesis.act(striking.signal);
    await setTimeout(order.time);
    striking.abort();
    await struck;
    calm();
    await setTimeout(CALM);
    acting.abort();
    await this.#bounded("a command is not answered", acted);
    watching.abort();
    await watched;
    await this.#until(
      "a chat is not quiet",
      () => this.#isQuiet(users),
      () => this.#state(users),
    );
    const fresh = users.map((each) => each.open());
    await this.#until("a new viewer sees nothing", async () =>
      fresh.every(({ chat }) => {
        const { loading, connection } = chat.getSnapshot();
        return !loading && connection.status === "ready";
      }),
    );
    for (const viewer of [...users.flatMap(({ viewers }) => viewers), ...fresh])
      viewer.record.messages = messagesOf(viewer);
    for (const { problem } of users.flatMap(({ readers }) => readers))
      if (problem) this.#blame("reader", problem);
    const history = await this.#history(users);
    await Promise.all([...users.map((each) => each.close()), ...fresh.map(({ chat }) => chat.close())]);
    await Promise.all(this.#fleet.all.map((server) => this.#fleet.close(server, 0)));
    reader.close();
    return {
      history,
      violations: [...this.#violations, ...judge(history)],
      links: balancer.links,
      cuts: balancer.cuts,
      untried: ground.untried,
      notes: await readFile(this.#notes, "utf8"),
    };
  }

  #users(id: string): ChatUsers {
    const { dice, ground } = this.#setup;
    return new ChatUsers({
      wire: this.#wire,
      id,
      dice: dice("users", id),
      ended: () => this.#ended(id),
      mayForget: ground.nemesis.redis?.waits === false,
      onProblem: (kind, message) => this.#blame(kind, message),
    });
  }

  #now(): number {
    return performance.now() - this.#start;
  }

  #blame(kind: string, message: string): void {
    this.#violations.push({ kind, message });
  }

  /** How many turns of a chat are over. */
  #ended(id: string): number {
    const witness = this.#witnesses.find((each) => each.id === id);
    return witness?.ended ?? 0;
  }

  #tellProgress(): void {
    this.#setup.order.progress(CHATS.reduce((sum, id) => sum + this.#ended(id), 0));
  }

  async #watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await setTimeout(LOOK);
      for (const witness of this.#witnesses) await witness.look(this.#now()).catch(() => {}); // the log does not answer now
      this.#tellProgress();
    }
  }

  /** Nothing waits, nothing runs, and all viewers know. */
  async #isQuiet(users: readonly ChatUsers[]): Promise<boolean> {
    for (const witness of this.#witnesses) {
      await witness.lookAnew(this.#now());
      if (await witness.waits()) return false;
      if (witness.isOpen) return false;
    }
    return users.every(({ id, viewers, readers }) => {
      const head = this.#witnesses.find((each) => each.id === id)?.head;
      return viewers.every(isIdle) && readers.every((reader) => reader.head === head);
    });
  }

  async #bounded(what: string, promise: Promise<unknown>): Promise<void> {
    const late = new AbortController();
    const isLate = setTimeout(BOUND, true, { signal: late.signal }).catch(() => false);
    if (await Promise.race([promise.then(() => false), isLate]))
      this.#blame("stuck", `${what}, ${BOUND} ms after the last fault`);
    late.abort();
  }

  async #until(what: string, holds: () => Promise<boolean>, state = () => ""): Promise<void> {
    const end = this.#now() + BOUND;
    while (!(await holds().catch(() => false))) {
      this.#tellProgress();
      if (this.#now() > end) {
        this.#blame("stuck", `${what}, ${BOUND} ms after the last fault: ${state()}`);
        return;
      }
      await setTimeout(LOOK);
    }
  }

  #state(users: readonly ChatUsers[]): string {
    return users
      .map(({ id, viewers, readers }) => {
        const witness = this.#witnesses.find((each) => each.id === id);
        const shown = viewers
          .filter((viewer) => !isIdle(viewer))
          .map((viewer) => {
            const { busy, loading, connection, queue } = viewer.chat.getSnapshot();
            return JSON.stringify([viewer.name, { busy, loading, connection, queue }]);
          });
        const read = readers.map(({ head }) => `a reader is at ${head}`);
        return `${id} has ${witness?.head} events${witness?.isOpen ? ", and is open" : ""}; ${[...shown, ...read].join("; ")}`;
      })
      .join("\n  ");
  }

  async #history(users: readonly ChatUsers[]): Promise<History> {
    const records = users.flatMap(({ records }) => records);
    const lines = (await readFile(this.#journal, "utf8")).split("\n").filter((line) => line !== "");
    const runs = lines.map((line) => JSON.parse(line) as Run);
    return {
      chats: this.#witnesses.map(({ record }) => record),
      viewers: records,
      ops: [...this.#wire.ops.values()],
      runs: runs.map((run) => ({ ...run, at: run.at - this.#startedAt })),
      faults: this.#nemesis.faults,
      expected: answerPlan,
      trims: this.#setup.trims,
    };
  }
}
