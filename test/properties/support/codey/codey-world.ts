import { CodeyClient } from "agentwire/codey";
import { Life, pick } from "../life.ts";
import { openFirst } from "../watched-turn.ts";
import type { CallModel } from "./call-model.ts";
import { CodeyPeer, type Told } from "./peer.ts";
import type { CodeyScenario, CodeySetting, CodeyStep } from "./scenario.ts";
import { SessionModel, type SessionWorld, type Written } from "./session-model.ts";
import { CodeyUser, numberOf } from "./user.ts";
import type { WatchedCodeyTurn } from "./watched-turn.ts";

/** A client, its user and its peer, with nothing real between them, and everything watched. */
export class CodeyWorld extends Life<CodeyStep> implements SessionWorld {
  readonly setting: CodeySetting;
  readonly client: CodeyClient;
  readonly user: CodeyUser;
  readonly peer = new CodeyPeer(this);
  readonly turns: WatchedCodeyTurn[] = [];
  readonly sockets: SessionModel[] = [];
  /** Numbers of the states and histories that were given back, in order. */
  readonly #given: Readonly<Record<"getState" | "getHistory", number[]>> = { getState: [], getHistory: [] };

  /** Plays a scenario; throws what went wrong. */
  static playing(scenario: CodeyScenario): Promise<void> {
    return Life.play(scenario, () => new CodeyWorld(scenario.setting));
  }

  private constructor(setting: CodeySetting) {
    super(setting.random);
    this.setting = setting;
    this.user = new CodeyUser(this);
    this.client = new CodeyClient({
      url: "ws://localhost",
      clock: this.clock,
      createWebSocket: () => this.#dial(),
      idleTimeout: setting.idleTimeout,
      maxBufferedBytes: setting.maxBufferedBytes,
      maxQueuedTurns: setting.maxQueuedTurns,
      keepalive: setting.keepalive ? {} : false,
      signal: this.clientSignal.controller.signal,
      ...(setting.reconnect ? { reconnect: {} } : {}),
      ...CodeyUser.options(setting, () => this.user),
    });
    this.client.on("event", (event, turn) => {
      const watched = this.turns.find((each) => each.turn === turn);
      // The very first may come before `prompt` has returned.
      const content = watched?.content ?? this.socket?.owner;
      watched?.events.push(event);
      if (watched?.endIsTold) this.complain(`${watched.content}: an event after the end`);
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
  get requests(): readonly { readonly id: string; readonly question: number }[] {
    return this.turns
      .flatMap(({ turn }) => turn?.pending ?? [])
      .map((request) => ({
        id: request.id,
        question: request.type === "approval" ? numberOf(request.call.raw) : -1,
      }));
  }

  mayApprove(question: number): boolean {
    return this.user.mayApprove(question);
  }

  wasDenied(question: number): boolean {
    return this.user.wasDenied(question);
  }

  ended(content: string, calls: ReturnType<CallModel["ended"]>): void {
    const turn = this.turns.find((each) => each.content === content)?.turn;
    // The user's own code may have ended the turn just before, or let something else happen than was told.
    if (!turn || this.interfered || turn.status !== "completed") return;
    const shown = turn.toolCalls.map(({ agentId, state, output }) => [agentId, state, output]);
    if (JSON.stringify(shown) !== JSON.stringify(calls))
      this.complain(
        `${content} shows ${JSON.stringify(shown)}, and its calls came to ${JSON.stringify(calls)}`,
      );
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

  protected override act(step: Exclude<CodeyStep, { readonly do: "advance" }>): void {
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
        user.reply(request?.id, request?.question ?? -1, step.given);
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
        this.clientSignal.controller.abort();
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

  protected override alsoNow(): void {
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

  protected override async serve(): Promise<void> {
    for (let step = 0; step < 10; step++) {
      this.peer.servesWell();
      await this.settle();
    }
    if (this.client.status === "reconnecting") await this.clock.advance(30_000);
  }

  protected override rest(): void {
    this.user.rests();
  }

  /** Callbacks that come to an end too late for anything. */
  protected override afterTheEnd(): void {
    for (const consulted of this.user.waiting) this.user.answer(consulted, "approve");
  }
}
