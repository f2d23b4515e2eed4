import { setImmediate } from "node:timers/promises";
import { type ClientStatus, isAgentwireError, type TurnResult } from "agentwire";
import { ManualClock } from "agentwire/testing";
import { countingController } from "../../helpers/codebuff.ts";
import type { FakeSocket } from "../../helpers/fake-socket.ts";
import { watchProcess } from "./unhandled.ts";
import { Watched } from "./watched.ts";
import type { WatchedTurn } from "./watched-turn.ts";

/** More than any timer of a client: with it everything that can come to an end does. */
const FAR = 3_600_000;

/** How long a client gets to be served by a peer that does what it should: more steps than anything takes. */
const PATIENCE = 200;

/** ms; what a peer gets to answer a Close. */
const CLOSE_TIMEOUT = 1_000;

/** One thing that happens. */
export type AnyStep = { readonly do: string } | { readonly do: "advance"; readonly ms: number };

/** What happens, and to whom. */
export interface Scenario<Setting, Step> {
  readonly setting: Setting;
  readonly steps: readonly Step[];
}

/** What every client has of what is watched here. */
interface AnyClient {
  readonly status: ClientStatus;
  connect(): Promise<void>;
  close(options?: { readonly force?: boolean }): Promise<void>;
}

/** A socket of which somebody knows whether the client has done with it. */
type LifeSocket = FakeSocket & { readonly gone: boolean };

/** What of a turn is the same for every protocol. */
type LifeTurn = Pick<
  WatchedTurn<never, TurnResult>,
  "name" | "over" | "abort" | "check" | "finish" | "verdict"
>;

/** A client of any protocol, its user and its peer, with nothing real between them, and everything watched. */
export abstract class Life<Step extends AnyStep> {
  readonly clock: ManualClock;
  /** Aborts the client. */
  readonly clientSignal = countingController();
  readonly #promises: { readonly what: string; readonly watched: Watched<unknown> }[] = [];
  readonly #problems: string[] = [];

  constructor(random: number) {
    this.clock = new ManualClock({ random });
  }

  abstract readonly client: AnyClient;
  abstract readonly sockets: readonly LifeSocket[];
  abstract readonly turns: readonly LifeTurn[];

  /** Does what a step says, all but letting time pass. */
  protected abstract act(step: Step): void | Promise<void>;

  /** A peer that does what it should, and a user who answers, do what is next. */
  protected abstract serve(): Promise<void>;

  /** The user does nothing by itself any more. */
  protected abstract rest(): void;

  /** What else must hold at any time. */
  protected alsoNow(): void {}

  /** The user closes for good. */
  protected closes(): Promise<void> {
    return this.client.close();
  }

  /** Said when there is nobody left to hear it. */
  protected afterTheEnd(): void {}

  /** Besides those of the client and of the turns. */
  protected get signals(): readonly ReturnType<typeof countingController>[] {
    return [];
  }

  /** Plays a life; throws what went wrong. */
  static async play<
    Setting extends { readonly warm: boolean; readonly recovers: boolean },
    Step extends AnyStep,
  >({ setting, steps }: Scenario<Setting, Step>, begin: () => Life<Step>): Promise<void> {
    const unhandled = watchProcess();
    try {
      const life = begin();
      if (setting.warm) await life.#warm();
      for (const step of steps) await life.take(step);
      if (setting.recovers) await life.#recover();
      await life.#finish();
      await setImmediate(); // the process hears of a rejection once the microtasks have run
      life.#throwProblems("afterwards");
      if (unhandled.errors.length > 0)
        throw new Error("something was left unhandled", { cause: unhandled.errors[0] });
    } finally {
      unhandled.stop();
    }
  }

  complain(problem: string): void {
    this.#problems.push(problem);
  }

  /** Makes a call whose promise must settle in the end. What it throws at once has to be an error of the library. */
  watch<T>(what: string, call: () => Promise<T>): Promise<T> | undefined {
    const promise = this.allowed(what, call);
    if (promise) this.#promises.push({ what, watched: new Watched(promise) });
    return promise;
  }

  /** What a call gave, or nothing if the library refused it. */
  allowed<T>(what: string, call: () => T): T | undefined {
    try {
      return call();
    } catch (error) {
      if (!isAgentwireError(error)) this.complain(`${what} threw ${String(error)}`);
      return undefined;
    }
  }

  /** Lets everything run that is under way. */
  readonly settle = (): Promise<void> => this.clock.advance(0);

  async take(step: Step): Promise<void> {
    if ("ms" in step) await this.clock.advance(step.ms);
    else await this.act(step);
    await this.settle();
    this.#check();
    this.#throwProblems(JSON.stringify(step));
  }

  async #warm(): Promise<void> {
    this.watch("connect", () => this.client.connect());
    await this.settle();
    while (this.client.status !== "ready") {
      const before = this.client.status;
      await this.serve();
      await this.settle();
      if (this.client.status === before) break; // it may need time, which the steps give it
    }
  }

  #check(): void {
    for (const turn of this.turns)
      for (const problem of turn.check()) this.complain(`${turn.name}: ${problem}`);
    const used = this.sockets.filter(({ gone }) => !gone);
    if (used.length > 1) this.complain(`uses ${used.length} sockets at once`);
    this.alsoNow();
  }

  #throwProblems(when: string): void {
    if (this.#problems.length > 0) throw new Error(`${this.#problems.join("\n")}\n(${when})`);
  }

  /** From now on everybody does what they should: all that was asked comes to an end by itself. */
  async #recover(): Promise<void> {
    this.rest();
    const left = (): readonly string[] => [
      ...this.turns.filter(({ over }) => !over).map(({ name }) => name),
      ...this.#promises.filter(({ watched }) => !watched.fate).map(({ what }) => what),
    ];
    for (let patience = PATIENCE; patience > 0 && left().length > 0; patience--) {
      await this.serve();
      await this.clock.advance(1_000);
      this.#check();
    }
    if (left().length > 0) this.complain(`is served well, and never done with ${left().join(", ")}`);
    this.#throwProblems("with a peer that does what it should");
  }

  /** Closes for good; then nothing may be left. */
  async #finish(): Promise<void> {
    this.rest();
    this.watch("close", () => this.closes());
    await this.settle();
    this.#check();
    await this.clock.advance(CLOSE_TIMEOUT);
    if (this.clock.pending > 0) this.complain(`leaves ${this.clock.pending} timers`);
    this.afterTheEnd();
    await this.clock.advance(FAR);
    for (const turn of this.turns) await turn.finish(this.settle);
    this.#check();
    if (this.client.status !== "closed") this.complain(`is ${this.client.status} after close()`);
    for (const { what, watched } of this.#promises) {
      if (!watched.fate) this.complain(`${what} is pending`);
      else if ("error" in watched.fate && !isAgentwireError(watched.fate.error))
        this.complain(`${what} rejected with ${String(watched.fate.error)}`);
    }
    for (const turn of this.turns)
      for (const problem of turn.verdict()) this.complain(`${turn.name} ${problem}`);
    const signals = [this.clientSignal, ...this.signals, ...this.turns.flatMap(({ abort }) => abort ?? [])];
    if (signals.some(({ listeners }) => listeners() > 0)) this.complain("leaves listeners on a signal");
    for (const socket of this.sockets) {
      const listeners = (["open", "message", "close"] as const).map((type) => socket.listenerCount(type));
      if (listeners.some((count) => count > 0)) this.complain("leaves listeners on a socket");
      if (!socket.abandoned && socket.closes.length === 0) this.complain("leaves a socket open");
    }
    this.#throwProblems("at the end");
  }
}

/** One of them, whatever the number. */
export function pick<T>(items: readonly T[], at: number): T | undefined {
  return items.length === 0 ? undefined : items[at % items.length];
}
