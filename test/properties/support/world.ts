import { CodebuffClient } from "agentwire/codebuff";
import { countingController } from "../../helpers/codebuff.ts";
import { Ledger } from "./asked.ts";
import { Life } from "./life.ts";
import { Peer } from "./peer.ts";
import type { Scenario, Setting, Step } from "./scenario.ts";
import { tokenOf } from "./tokens.ts";
import { User } from "./user.ts";
import type { WatchedPrompt } from "./watched-prompt.ts";
import { type SentFrame, WatchedSocket } from "./watched-socket.ts";
import { WireRules } from "./wire-rules.ts";

/** Timers of a link that stands: ping, verdict, stability, stall, silence, and the watch over a Close. */
const LINK_TIMERS = 6;

/** A client, its user and its peer, with nothing real between them, and everything watched. */
export class World extends Life<Step> {
  readonly setting: Setting;
  readonly client: CodebuffClient;
  readonly sockets: WatchedSocket[] = [];
  readonly prompts: WatchedPrompt[] = [];
  readonly controllers: ReturnType<typeof countingController>[] = [];
  readonly ledger = new Ledger();
  readonly overPrompts = new Set<string>();
  readonly user: User;
  readonly peer: Peer;
  readonly #rules: WireRules;
  readonly #dials: (Step & { do: "nextDial" })["how"][] = [];

  constructor(setting: Setting) {
    super(setting.random);
    this.setting = setting;
    this.#rules = new WireRules(this);
    const reconnect = { usual: {}, never: false, twice: { maxAttempts: 2 } } as const;
    this.client = new CodebuffClient({
      url: "ws://localhost/ws",
      profile: setting.profile,
      clock: this.clock,
      createWebSocket: () => this.#dial(),
      settleWindow: setting.settleWindow,
      ...(setting.atOnce === undefined ? {} : { maxConcurrentPrompts: setting.atOnce }),
      maxBufferedBytes: setting.maxBufferedBytes,
      maxQueuedTurns: setting.maxQueuedTurns,
      reconnect: reconnect[setting.reconnect],
      keepalive: setting.keepalive ? {} : false,
      signal: this.clientSignal.controller.signal,
      ...tokenOf(setting.token),
      ...User.handlers(() => this.user),
    });
    this.client.on("event", (event, turn) => {
      const prompt = this.prompts.find(({ id }) => id === turn.id);
      if (!prompt) this.complain(`an event for ${turn.id}, which nobody made`);
      prompt?.events.push(event);
      if (prompt?.endIsTold) this.complain(`${turn.id}: an event after the end`);
    });
    this.client.on("status", () => this.#noteGone());
    this.user = new User(this);
    this.peer = new Peer(this);
  }

  /** Plays a scenario; throws what went wrong. */
  static playing(scenario: Scenario): Promise<void> {
    return Life.play(scenario, () => new World(scenario.setting));
  }

  get turns(): readonly WatchedPrompt[] {
    return this.prompts;
  }

  get socket(): WatchedSocket | undefined {
    return this.sockets.at(-1);
  }

  /** Whether the client takes what comes on this socket for a part of its session. */
  hears(socket: WatchedSocket): boolean {
    const { status } = this.client;
    return (status === "ready" || status === "draining") && socket === this.socket && socket.heard;
  }

  signal(): ReturnType<typeof countingController> {
    const made = countingController();
    this.controllers.push(made);
    return made;
  }

  protected override async act(step: Exclude<Step, { readonly do: "advance" }>): Promise<void> {
    if (step.do === "nextDial") {
      this.#dials.push(step.how);
    } else if (step.do === "abortClient") {
      this.user.closes(false);
      this.clientSignal.controller.abort();
    } else {
      await (this.user.takes(step) ? this.user.take(step) : this.peer.take(step));
      await this.settle();
    }
  }

  /** The client writes a frame. */
  written(socket: WatchedSocket, text: string, writable: boolean): void {
    if (!writable) this.complain(`wrote to a socket that is not open: ${text}`);
    const frame = this.#rules.read(socket, text);
    if (socket.refusesFrame)
      for (const prompt of this.prompts) if (!prompt.over) prompt.mayBeUnwritten = true;
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

  protected override alsoNow(): void {
    this.#noteGone();
    this.peer.check();
    for (const problem of this.ledger.check(this.now())) this.complain(problem);
    for (const problem of this.user.check()) this.complain(problem);
    const running = this.prompts.filter(({ status }) => status === "sent" || status === "streaming");
    const most = this.setting.atOnce ?? (this.client.server === "codebuff" ? 1_000 : 1);
    if (running.length > most) this.complain(`${running.length} prompts run at once`);
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

  protected override serve(): Promise<void> {
    return this.peer.serves();
  }

  protected override rest(): void {
    this.user.rests();
  }

  protected override closes(): Promise<void> {
    this.user.closes(true);
    return this.client.close({ force: true });
  }

  protected override afterTheEnd(): void {
    this.peer.speaksToTheDead();
  }

  protected override get signals(): readonly ReturnType<typeof countingController>[] {
    return this.controllers;
  }
}
