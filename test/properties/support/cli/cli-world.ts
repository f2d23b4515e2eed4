import { getEventListeners } from "node:events";
import { existsSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { CancelTimer } from "agentwire";
import {
  CodebuffCli,
  type CodebuffCliEvent,
  type CodebuffCliResult,
  type Turn,
} from "agentwire/codebuff-cli";
import { FakeCodebuffCli, ManualClock } from "agentwire/testing";
import { isThere, NO_HOME } from "../../../helpers/codebuff-cli.ts";
import { watchProcess } from "../unhandled.ts";
import { type Deed, isSure, type Life, type Moment, type Reader } from "./life.ts";

type CliTurn = Turn<CodebuffCliEvent, CodebuffCliResult>;

/** A clock that stands until it is told to run: then it goes from timer to timer, and waits where there is none. */
class RunningClock extends ManualClock {
  #armed = (): void => {};

  override setTimeout(callback: () => void, delay: number): CancelTimer {
    const cancel = super.setTimeout(callback, delay);
    this.#armed();
    return cancel;
  }

  async runUntil(done: Promise<unknown>): Promise<void> {
    let isDone = false;
    const end = done.then(() => {
      isDone = true;
    });
    while (!isDone) {
      const armed = new Promise<void>((resolve) => {
        this.#armed = resolve;
      });
      if (this.next === undefined) await Promise.race([armed, end]);
      else await this.advance(this.next);
    }
  }
}

/** One turn, and all that a user may see of it. */
interface Seen {
  readonly turn: CliTurn;
  readonly stop: AbortController;
  readonly ends: string[];
  readonly reading: Promise<void>;
}

/** A client, its user, and programs that are real processes. */
export class CliWorld {
  readonly #life: Life;
  readonly #cli: FakeCodebuffCli;
  readonly #clock = new RunningClock();
  readonly #stop = new AbortController();
  readonly #client: CodebuffCli;
  readonly #pids: number[] = [];
  readonly #problems: string[] = [];

  private constructor(life: Life, cli: FakeCodebuffCli) {
    this.#life = life;
    this.#cli = cli;
    this.#client = new CodebuffCli({
      command: cli.command,
      args: cli.args,
      env: { CODEBUFF_API_KEY: "", ...cli.env },
      homeDir: NO_HOME,
      clock: this.#clock,
      signal: this.#stop.signal,
      ...life.options,
    });
    this.#client.on("spawned", ({ pid }) => this.#pids.push(pid));
  }

  /** Lives one life, and throws for whatever should not be. */
  static async living(life: Life): Promise<void> {
    const watched = watchProcess();
    const cli = await FakeCodebuffCli.start(life.scenario);
    try {
      const listeners = process.listenerCount("exit");
      const world = new CliWorld(life, cli);
      const problems = await world.#live();
      const left = process.listenerCount("exit") - listeners;
      if (left !== 0) problems.push(`${left} listeners for the end of this process are left`);
      problems.push(...watched.errors.map((error) => `unhandled: ${String(error)}`));
      if (problems.length > 0) throw new Error(problems.join("\n"));
    } finally {
      await cli.stop();
      watched.stop();
    }
  }

  async #live(): Promise<string[]> {
    const { turns, moment, deeds, passes } = this.#life;
    const seen = turns.map((each) => this.#begin(each));
    const [first] = seen;
    if (first && isSure(this.#life)) await this.#comes(moment, first.turn);
    for (const { do: deed, turn, at } of deeds) {
      if (at === "next") await setImmediate();
      const target = seen[turn % seen.length];
      if (target) this.#do(deed, target);
    }
    await this.#clock.advance(passes);
    await this.#end(seen);
    for (const each of seen) this.#check(each);
    await this.#checkProcesses();
    return this.#problems;
  }

  #begin({ reader, timeout = 0 }: Life["turns"][number]): Seen {
    const stop = new AbortController();
    const turn = this.#client.prompt("hi", { signal: stop.signal, timeout });
    const ends: string[] = [];
    turn.on("status", (status) => {
      if (status === "completed" || status === "cancelled" || status === "failed") ends.push(status);
    });
    turn.on("event", () => {
      if (turn.status !== "streaming") this.#problems.push(`an event came while ${turn.status}`);
    });
    return { turn, stop, ends, reading: read(turn, reader) };
  }

  /** Resolves with the moment, or with the end of the turn. */
  async #comes(moment: Moment, turn: CliTurn): Promise<void> {
    const event = (type?: string) =>
      new Promise<void>((resolve) => turn.on("event", (each) => (!type || each.type === type) && resolve()));
    const come = {
      "at once": async () => {},
      started: () => this.#cli.waitFor((cli) => cli.runs().length > 0),
      "first event": () => event(),
      finish: () => event("finish"),
      end: () => turn.outcome,
    }[moment];
    await Promise.race([come(), turn.outcome]);
  }

  #do(deed: Deed, { turn, stop }: Seen): void {
    if (deed === "cancel" || deed === "cancel twice") void turn.cancel();
    if (deed === "cancel twice") void turn.cancel();
    if (deed === "abort") stop.abort();
    if (deed === "close") void this.#client.close();
    if (deed === "close by force") void this.#client.close({ force: true });
    if (deed === "abort the client") this.#stop.abort();
  }

  /** Closes what is not closed yet: now everything comes to its end. */
  async #end(seen: readonly Seen[]): Promise<void> {
    const closed = this.#client.close();
    const done = Promise.all([closed, ...seen.flatMap(({ turn, reading }) => [turn.outcome, reading])]);
    if (!this.#life.hurried) {
      const told = this.#cli.waitFor((cli) =>
        cli.runs().every(({ end, signals }) => end || signals.length > 0),
      );
      await Promise.race([told, done]);
    }
    await this.#clock.runUntil(done);
  }

  #check({ turn, ends, stop }: Seen): void {
    const { status, pending, toolCalls } = turn;
    // A turn that had ended before anybody listened tells its end to who comes.
    if (ends.length !== 1 || ends[0] !== status)
      this.#problems.push(`it ended as ${ends.join(", ")}; it is ${status}`);
    if (pending.length > 0) this.#problems.push(`${pending.length} questions are open`);
    if (toolCalls.some((call) => call.state === "running")) this.#problems.push("a tool call is running");
    if (getEventListeners(stop.signal, "abort").length > 0)
      this.#problems.push("the signal of a turn is listened to");
  }

  async #checkProcesses(): Promise<void> {
    const { grandchild, holdPipes, exitBeforeFlush } = this.#life.scenario;
    const there = this.#pids.filter(isThere);
    if (there.length > 0) this.#problems.push(`processes are left: ${there.length}`);
    if (this.#client.status !== "closed") this.#problems.push(`the client is ${this.#client.status}`);
    if (this.#clock.pending > 0) this.#problems.push(`${this.#clock.pending} timers are left`);
    if (getEventListeners(this.#stop.signal, "abort").length > 0)
      this.#problems.push("the signal of the client is listened to");
    for (const { env, end, signals, grandchildren } of this.#cli.runs()) {
      const home = env["HOME"];
      if (this.#life.options.isolateHome && home !== undefined && existsSync(home))
        this.#problems.push("a home is left");
      const isOurs = end?.code === null && (signals.length > 0 || end.signal === null);
      if (!grandchild || holdPipes !== undefined || exitBeforeFlush || !isOurs) continue;
      for (const pid of grandchildren) await this.#cli.gone(pid); // or this never ends
    }
  }
}

async function read(turn: CliTurn, reader: Reader): Promise<void> {
  try {
    if (reader === "all") for await (const _ of turn);
    if (reader === "text") for await (const _ of turn.textStream);
    if (reader === "leaves") {
      let count = 0;
      for await (const _ of turn) if (++count === 2) break;
    }
    if (reader === "slow") {
      const events = turn[Symbol.asyncIterator]();
      await events.next();
      await events.next();
    }
  } catch {
    // the outcome tells it too
  }
}
