import { setImmediate } from "node:timers/promises";
import { CodeyClient, isAgentwireError } from "agentwire/codey";
import { ManualClock } from "agentwire/testing";
import { countingController } from "../../../helpers/codebuff.ts";
import { watchProcess } from "../unhandled.ts";
import { Watched } from "../watched-prompt.ts";
import { CodeyPeer, type Told } from "./peer.ts";
import type { CodeyScenario, CodeySetting, CodeyStep } from "./scenario.ts";
import { SessionModel, type SessionWorld, type Written } from "./session-model.ts";
import { CodeyUser, callIdOf } from "./user.ts";
import type { WatchedTurn } from "./watched-turn.ts";

/** More than any timer of the client: with it everything that can come to an end does. */
const FAR = 3_600_000;

/** How long a client gets to be served by a peer that does what it should: more steps than anything takes. */
const PATIENCE = 200;

/** ms; what a peer gets to answer a Close. */
const CLOSE_TIMEOUT = 1_000;

/** A client, its user and its peer, with nothing real between them, and everything watched. */
export class CodeyWorld implements SessionWorld {
  readonly setting: CodeySetting;
  readonly clock: ManualClock;
  readonly client: CodeyClient;
  readonly user: CodeyUser;
  readonly peer = new CodeyPeer(this);
  readonly turns: WatchedTurn[] = [];
  readonly sockets: SessionModel[] = [];
  readonly #promises: { readonly what: string; readonly watched: Watched<unknown> }[] = [];
  readonly #clientSignal = countingController();
  readonly #problems: string[] = [];
  /** Numbers of the states and histories that were given back, in order. */
  readonly #given: Readonly<Record<"getState" | "getHistory", number[]>> = { getState: [], getHistory: [] };

  /** Plays a scenario; throws what went wrong. */
  static async play({ setting, steps }: CodeyScenario): Promise<void> {
    const unhandled = watchProcess();
    try {
      const world = new CodeyWorld(setting);
      if (setting.warm) {
        world.watch("connect", () => world.client.connect());
        for (let step = 0; step < 2; step++) await world.take({ do: "serves" });
      }
      for (const step of steps) await world.take(step);
      if (setting.recovers) await world.#recover();
      await world.#finish();
      await setImmediate(); // the process hears of a rejection once the microtasks have run
      world.#throwProblems("afterwards");
      if (unhandled.errors.length > 0)
        throw new Error("something was left unhandled", { cause: unhandled.errors[0] });
    } finally {
      unhandled.stop();
    }
  }

  private constructor(setting: CodeySetting) {
    this.setting = setting;
    this.clock = new ManualClock({ random: setting.random });
    this.user = new CodeyUser(this);
    this.client = new CodeyClient({
      url: "ws://localhost",
      clock: this.clock,
      createWebSocket: () => this.#dial(),
      settleDelay: setting.settleDelay,
      idleTimeout: setting.idleTimeout,
      maxBufferedBytes: setting.maxBufferedBytes,
      maxQueuedTurns: setting.maxQueuedTurns,
      keepalive: setting.keepalive ? {} : false,
      signal: this.#clientSignal.controller.signal,
      ...(setting.reconnect ? { reconnect: {} } : {}),
      ...CodeyUser.options(setting, () => this.user),
    });
    this.client.on("event", (event, turn) => {
      const watched = this.turns.find((each) => each.turn === turn);
      // The very first may come before `prompt` has returned.
      const content = watched?.content ?? this.socket?.owner;
      watched?.events.push(event);
      if (watched?.over) this.complain(`${watched.content}: an event after the end`);
      if (event.type === "ToolStarted" && event.inferred) return;
      const told = this.#tellOf(event);
      if (told && told.owner !== content) this.complain(`${content} got a message of ${told.owner}`);
    });
    this.client.on("late", (message) => void this.#tellOf(message));
    this.client.on("stray", (message) => {
      const told = this.#tellOf(message);
      // With a `Pong` at once, who sees the frame come can end its turn before it is handled.
      if (told?.owner !== undefined && !setting.instant)
        this.complain(`a message of ${told.owner} counts as stray`);
    });
    this.user.listen();
  }

  get interfered(): boolean {
    return this.user.interfered;
  }

  get socket(): SessionModel | undefined {
    return this.sockets.at(-1);
  }

  /** What waits for a decision, as the turns show it. */
  get requests(): readonly { readonly id: string; readonly callId: string }[] {
    return this.turns
      .flatMap(({ turn }) => turn?.pending ?? [])
      .map((request) => ({
        id: request.id,
        callId: request.type === "approval" ? callIdOf(request.call.raw) : "",
      }));
  }

  complain(problem: string): void {
    this.#problems.push(problem);
  }

  mayApprove(callId: string): boolean {
    return this.user.mayApprove(callId);
  }

  written(session: SessionModel, message: Written): void {
    if (message.type === "SendMessage") {
      const turn = this.turns.find(({ content }) => content === message.content);
      if (!turn) this.complain(`sent ${message.content}, which nobody said`);
      else {
        if (turn.sent) this.complain(`sent ${turn.content} twice`);
        if (turn.over) this.complain(`sent ${turn.content} when it was over`);
        turn.sent = true;
      }
    }
    if (message.type === "Ping" && this.setting.instant && session.heard) session.tells({ type: "Pong" });
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

  async take(step: CodeyStep): Promise<void> {
    if (step.do === "advance") await this.clock.advance(step.ms);
    else this.#act(step);
    await this.#settle();
    this.#check();
    this.#throwProblems(JSON.stringify(step));
  }

  #settle = (): Promise<void> => this.clock.advance(0);

  #act(step: Exclude<CodeyStep, { readonly do: "advance" }>): void {
    const { user, client, turns, socket } = this;
    switch (step.do) {
      // the user
      case "prompt":
        user.prompt(step, step.held);
        return;
      case "cancel":
        pick(openFirst(turns), step.turn)?.cancel();
        return;
      case "read":
        pick(openFirst(turns.filter(({ reader }) => reader === "slow")), step.turn)?.pull();
        return;
      case "leave":
        pick(openFirst(turns.filter(({ reader }) => reader === "slow")), step.turn)?.leave();
        return;
      case "abort":
        pick(openFirst(turns.filter(({ abort }) => abort)), step.turn)?.abort?.controller.abort();
        return;
      case "reply": {
        const request = pick(this.requests, step.request);
        user.reply(request?.id, request?.callId ?? "", step.given);
        return;
      }
      case "answer":
        user.answer(pick(user.waiting, step.request), step.given);
        return;
      case "ask":
        this.#ask(step.what);
        return;
      case "connect":
        this.watch("connect", () => client.connect());
        return;
      case "close":
        this.watch("close", () => client.close());
        return;
      case "abortClient":
        this.#clientSignal.controller.abort();
        return;
      case "when":
        user.when(step.moment, step.deed);
        return;
      // the link
      case "opens":
        socket?.accepts();
        return;
      case "greets":
        this.peer.greet();
        return;
      case "beginsToClose":
        if (socket?.readyState === 1) socket.readyState = 2;
        return;
      case "refusesFrame":
        if (socket) socket.refusesFrame = true;
        return;
      case "ends":
        pick(this.sockets.toReversed(), step.socket)?.ends(step.code);
        return;
      case "late":
        pick(this.sockets.toReversed().slice(1), step.socket)?.receives('{"type":"Pong"}');
        return;
      default:
        this.peer.take(step);
        return;
    }
  }

  #ask(what: "ping" | "getState" | "getHistory"): void {
    const { client } = this;
    if (what === "ping") {
      this.watch(what, () => client.ping());
      return;
    }
    void this.watch<object>(what, () => client[what]())?.then(
      (reply) => void this.#given[what].push("n" in reply ? Number(reply.n) : -1),
      () => {},
    );
  }

  /** Somebody was told of a message. */
  #tellOf(message: object): Told | undefined {
    const told = "n" in message ? this.peer.told[Number(message.n)] : undefined;
    if (!told) this.complain(`told of ${JSON.stringify(message)}, which nobody said`);
    else if (++told.times > 1) this.complain(`told ${told.times} times of ${JSON.stringify(message)}`);
    return told;
  }

  #dial(): SessionModel {
    const socket = new SessionModel(this, this.setting.browser);
    this.sockets.push(socket);
    return socket;
  }

  // --- what must hold ---

  #check(): void {
    for (const turn of this.turns)
      for (const problem of turn.check()) this.complain(`${turn.content}: ${problem}`);
    if (this.sockets.filter(({ gone }) => !gone).length > 1) this.complain("uses several sockets at once");
    const running = this.turns.filter(({ status }) => status === "sent" || status === "streaming");
    if (running.length > 1) this.complain(`${running.length} turns run at once`);
    for (const { turnId, signal, isDone } of this.user.consulted) {
      const turn = this.turns.find((each) => each.turn?.id === turnId);
      if (turn?.over && !isDone && !signal.aborted)
        this.complain("a callback is not told that its turn is over");
    }
    for (const numbers of Object.values(this.#given))
      if (numbers.some((n, at) => n < (numbers[at - 1] ?? -1))) this.complain("answers came out of order");
    if (this.client.status === "closed" && this.clock.pending > 0)
      this.complain(`is closed, with ${this.clock.pending} timers`);
  }

  #throwProblems(when: string): void {
    if (this.#problems.length > 0) throw new Error(`${this.#problems.join("\n")}\n(${when})`);
  }

  /** From now on everybody does what they should: all that was asked comes to an end by itself. */
  async #recover(): Promise<void> {
    this.user.rests();
    const left = (): readonly string[] => [
      ...this.turns.filter(({ over }) => !over).map(({ content }) => content),
      ...this.#promises.filter(({ watched }) => !watched.fate).map(({ what }) => what),
    ];
    for (let patience = PATIENCE; patience > 0 && left().length > 0; patience--) {
      for (let step = 0; step < 10; step++) {
        this.peer.servesWell();
        await this.#settle();
      }
      await this.clock.advance(100);
      this.#check();
      if (this.client.status === "reconnecting") await this.clock.advance(30_000);
    }
    if (left().length > 0) this.complain(`is served well, and never done with ${left().join(", ")}`);
    this.#throwProblems("with a peer that does what it should");
  }

  /** Closes for good; then nothing may be left. */
  async #finish(): Promise<void> {
    this.user.rests();
    this.watch("close", () => this.client.close());
    await this.#settle();
    this.#check();
    await this.clock.advance(CLOSE_TIMEOUT);
    if (this.clock.pending > 0) this.complain(`leaves ${this.clock.pending} timers`);
    for (const consulted of this.user.waiting) this.user.answer(consulted, "approve"); // too late for anything
    await this.clock.advance(FAR);
    for (const turn of this.turns) await turn.finish(this.#settle);
    this.#check();
    if (this.client.status !== "closed") this.complain(`is ${this.client.status} after close()`);
    for (const { what, watched } of this.#promises) {
      if (!watched.fate) this.complain(`${what} is pending`);
      else if ("error" in watched.fate && !isAgentwireError(watched.fate.error))
        this.complain(`${what} rejected with ${String(watched.fate.error)}`);
    }
    for (const turn of this.turns)
      for (const problem of turn.verdict()) this.complain(`${turn.content} ${problem}`);
    if (this.#clientSignal.listeners() > 0) this.complain("leaves listeners on a signal");
    for (const socket of this.sockets) {
      const listeners = (["open", "message", "close"] as const).map((type) => socket.listenerCount(type));
      if (listeners.some((count) => count > 0)) this.complain("leaves listeners on a socket");
      if (!socket.abandoned && socket.closes.length === 0) this.complain("leaves a socket open");
    }
    this.#throwProblems("at the end");
  }
}

function openFirst(turns: readonly WatchedTurn[]): readonly WatchedTurn[] {
  return [...turns.filter(({ open }) => open), ...turns.filter(({ open }) => !open)];
}

function pick<T>(items: readonly T[], at: number): T | undefined {
  return items.length === 0 ? undefined : items[at % items.length];
}
