import { setImmediate } from "node:timers/promises";
import { CodebuffClient, isAgentwireError } from "agentwire/codebuff";
import { ManualClock } from "agentwire/testing";
import { countingController } from "../../helpers/codebuff.ts";
import { Ledger } from "./asked.ts";
import { Peer } from "./peer.ts";
import type { Scenario, Setting, Step } from "./scenario.ts";
import { tokenOf } from "./tokens.ts";
import { watchProcess } from "./unhandled.ts";
import { User } from "./user.ts";
import { Watched, type WatchedPrompt } from "./watched-prompt.ts";
import { type SentFrame, WatchedSocket } from "./watched-socket.ts";
import { WireRules } from "./wire-rules.ts";

/** More than any timer of the client: with it everything that can come to an end does. */
const FAR = 3_600_000;

/** Timers of a link that stands: ping, verdict, stability, stall, and the watch over a Close. */
const LINK_TIMERS = 5;

/** How long a client gets to be served by a peer that does what it should: more steps than anything takes. */
const PATIENCE = 200;

/** ms; what a peer gets to answer a Close. */
const CLOSE_TIMEOUT = 1_000;

/** A client, its user and its peer, with nothing real between them, and everything watched. */
export class World {
  readonly setting: Setting;
  readonly clock: ManualClock;
  readonly client: CodebuffClient;
  readonly sockets: WatchedSocket[] = [];
  readonly prompts: WatchedPrompt[] = [];
  /** Promises of the user's other calls. */
  readonly promises: { readonly what: string; readonly watched: Watched<unknown> }[] = [];
  readonly controllers: ReturnType<typeof countingController>[] = [];
  readonly ledger = new Ledger();
  readonly user: User;
  readonly peer: Peer;
  readonly #rules: WireRules;
  readonly #problems: string[] = [];
  readonly #clientSignal = countingController();
  readonly #dials: (Step & { do: "nextDial" })["how"][] = [];

  constructor(setting: Setting) {
    this.setting = setting;
    this.clock = new ManualClock({ random: setting.random });
    this.#rules = new WireRules(this);
    const reconnect = { usual: {}, never: false, twice: { maxAttempts: 2 } } as const;
    this.client = new CodebuffClient({
      url: "ws://localhost/ws",
      profile: setting.profile,
      clock: this.clock,
      createWebSocket: () => this.#dial(),
      settleWindow: setting.settleWindow,
      maxConcurrentPrompts: setting.atOnce,
      maxBufferedBytes: setting.maxBufferedBytes,
      maxQueuedTurns: setting.maxQueuedTurns,
      reconnect: reconnect[setting.reconnect],
      keepalive: setting.keepalive ? {} : false,
      signal: this.#clientSignal.controller.signal,
      ...tokenOf(setting.token),
      ...User.handlers(() => this.user),
    });
    this.client.on("event", (event, turn) => {
      const prompt = this.prompts.find(({ id }) => id === turn.id);
      if (!prompt) this.complain(`an event for ${turn.id}, which nobody made`);
      prompt?.events.push(event);
      if (prompt?.over) this.complain(`${turn.id}: an event after the end`);
    });
    this.client.on("status", () => this.#noteGone());
    this.user = new User(this);
    this.peer = new Peer(this);
  }

  /** Plays a scenario; throws what went wrong. */
  static async play({ setting, steps }: Scenario): Promise<void> {
    const unhandled = watchProcess();
    try {
      const world = new World(setting);
      if (setting.warm) {
        world.watch("connect", () => world.client.connect());
        await world.#act(() => world.peer.take({ do: "goesWell" }));
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

  get socket(): WatchedSocket | undefined {
    return this.sockets.at(-1);
  }

  /** Whether the client takes what comes on this socket for a part of its session. */
  hears(socket: WatchedSocket): boolean {
    const { status } = this.client;
    return (status === "ready" || status === "draining") && socket === this.socket && socket.heard;
  }

  complain(problem: string): void {
    this.#problems.push(problem);
  }

  /** Makes a call whose promise must settle in the end. What it throws at once has to be an error of the library. */
  watch<T>(what: string, call: () => Promise<T>): Watched<T> | undefined {
    const promise = this.allowed(what, call);
    if (!promise) return undefined;
    const watched = new Watched(promise);
    this.promises.push({ what, watched });
    return watched;
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

  signal(): ReturnType<typeof countingController> {
    const made = countingController();
    this.controllers.push(made);
    return made;
  }

  /** Lets everything run that is under way. */
  settle = (): Promise<void> => this.clock.advance(0);

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case "advance":
        await this.clock.advance(step.ms);
        break;
      case "nextDial":
        this.#dials.push(step.how);
        break;
      case "abortClient":
        this.user.closes(false);
        this.#clientSignal.controller.abort();
        break;
      default:
        await this.#act(() => (this.user.takes(step) ? this.user.take(step) : this.peer.take(step)));
    }
    await this.settle();
    this.#check();
    this.#throwProblems(JSON.stringify(step));
  }

  /** The client writes a frame. */
  written(socket: WatchedSocket, text: string, writable: boolean): void {
    if (!writable) this.complain(`wrote to a socket that is not open: ${text}`);
    const frame = this.#rules.read(socket, text);
    if (!frame || socket.refusesFrame) return;
    socket.frames.push(frame);
    if (this.setting.instant !== "no") this.peer.answersAtOnce(socket, frame);
  }

  now(): number {
    return this.clock.now();
  }

  promptOf(frame: SentFrame): WatchedPrompt | undefined {
    return this.prompts.find(({ id }) => id === frame.data["promptId"]);
  }

  async #act(act: () => void | Promise<void>): Promise<void> {
    await act();
    await this.settle();
  }

  #dial(): WatchedSocket {
    const how = this.#dials.shift();
    if (how === "throws") throw new Error("no socket is to be had");
    const socket = new WatchedSocket(this, this.setting.browser);
    if (this.setting.profile === "codebuff") socket.server = "codebuff";
    socket.owed = this.user.owed();
    this.sockets.push(socket);
    if (how === "open") socket.readyState = 1;
    if (how === "dead") socket.readyState = 3;
    if (how === "forbidden") {
      queueMicrotask(() => {
        socket.fails(new Error("Unexpected server response: 403"));
        socket.ends(1006);
      });
    }
    return socket;
  }

  #noteGone(): void {
    for (const socket of this.sockets) if (socket.readyState > 1) socket.noteGone();
  }

  #check(): void {
    this.#noteGone();
    for (const prompt of this.prompts) {
      for (const problem of prompt.check()) this.complain(`${prompt.id}: ${problem}`);
    }
    for (const problem of this.ledger.check(this.now())) this.complain(problem);
    for (const problem of this.user.check()) this.complain(problem);
    const used = this.sockets.filter((socket) => !socket.gone);
    if (used.length > 1) this.complain(`uses ${used.length} sockets at once`);
    const running = this.prompts.filter(({ status }) => status === "sent" || status === "streaming");
    if (running.length > this.setting.atOnce) this.complain(`${running.length} prompts run at once`);
    this.#checkTimers();
  }

  /** Without a link there is one timer at most, besides those of the turns themselves. */
  #checkTimers(): void {
    const { client, clock, setting } = this;
    if (setting.token === "flaky") return; // a token that was asked for has a timer wherever the link is
    const open = this.prompts.filter(({ over }) => !over).length;
    const alone = { idle: 0, closed: 0, connecting: 1, reconnecting: 1, handshaking: 1 } as const;
    const busy =
      LINK_TIMERS +
      open +
      this.ledger.asked.length +
      (this.socket?.frames.filter(({ type, answered }) => !answered || type === "init").length ?? 0);
    const most = client.status in alone ? alone[client.status as keyof typeof alone] : busy;
    if (clock.pending > most + open) {
      this.complain(`is ${client.status}, with ${clock.pending} timers and ${open} open prompts`);
    }
  }

  #throwProblems(when: string): void {
    if (this.#problems.length > 0) throw new Error(`${this.#problems.join("\n")}\n(${when})`);
  }

  /** From now on the peer does what it should: all that was asked comes to an end by itself. */
  async #recover(): Promise<void> {
    this.user.rests();
    const left = (): readonly string[] => [
      ...this.prompts.filter(({ over }) => !over).map(({ id }) => id),
      ...this.promises.filter(({ watched }) => !watched.fate).map(({ what }) => what),
    ];
    for (let patience = PATIENCE; patience > 0 && left().length > 0; patience--) {
      await this.peer.serves();
      await this.clock.advance(1_000);
      this.#check();
    }
    if (left().length > 0) this.complain(`is served well, and never done with ${left().join(", ")}`);
    this.#throwProblems("with a peer that does what it should");
  }

  /** Closes for good; then nothing may be left. */
  async #finish(): Promise<void> {
    this.user.rests();
    this.user.closes(true);
    this.watch("close", () => this.client.close({ force: true }));
    await this.settle();
    this.#check();
    await this.clock.advance(CLOSE_TIMEOUT);
    if (this.clock.pending > 0) this.complain(`leaves ${this.clock.pending} timers`);
    await this.clock.advance(FAR);
    this.peer.speaksToTheDead();
    await this.settle();
    for (const prompt of this.prompts) await prompt.finish(this.settle);
    this.#check();
    if (this.client.status !== "closed") this.complain(`is ${this.client.status} after close()`);
    for (const { what, watched } of this.promises) {
      if (!watched.fate) this.complain(`${what} is pending`);
      else if ("error" in watched.fate && !isAgentwireError(watched.fate.error)) {
        this.complain(`${what} rejected with ${String(watched.fate.error)}`);
      }
    }
    for (const prompt of this.prompts) {
      for (const problem of prompt.verdict()) this.complain(`${prompt.id} ${problem}`);
    }
    const controllers = [
      this.#clientSignal,
      ...this.controllers,
      ...this.prompts.flatMap(({ abort }) => abort ?? []),
    ];
    if (controllers.some(({ listeners }) => listeners() > 0)) this.complain("leaves listeners on a signal");
    for (const socket of this.sockets) {
      const listeners = (["open", "message", "close"] as const).map((type) => socket.listenerCount(type));
      if (listeners.some((count) => count > 0)) this.complain("leaves listeners on a socket");
      if (!socket.abandoned && socket.closes.length === 0) this.complain("leaves a socket open");
    }
    this.#throwProblems("at the end");
  }
}
