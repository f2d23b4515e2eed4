import { CodeyClient } from "agentwire/codey";
import { Life, pick } from "../life.ts";
import { SessionLife } from "../session-life.ts";
import type { CallModel } from "./call-model.ts";
import { CodeyPeer, type Told } from "./peer.ts";
import type { CodeyScenario, CodeySetting, Deed, Moment, OwnCodeyStep } from "./scenario.ts";
import { SessionModel, type SessionWorld, type Written } from "./session-model.ts";
import { CodeyUser, numberOf } from "./user.ts";
import type { WatchedCodeyTurn } from "./watched-turn.ts";

/** A client, its user and its peer, with nothing real between them, and everything watched. */
export class CodeyWorld
  extends SessionLife<Moment, Deed, OwnCodeyStep, SessionModel>
  implements SessionWorld
{
  readonly setting: CodeySetting;
  readonly client: CodeyClient;
  readonly user: CodeyUser;
  protected readonly lateMessage = '{"type":"Pong"}';
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
      createWebSocket: () => this.#dial(),
      ...this.options(setting),
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

  protected override actOwn(step: OwnCodeyStep): void {
    const { user } = this;
    switch (step.do) {
      case "prompt":
        user.prompt(step, step.held);
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
      case "close":
        this.watch("close", () => this.client.close());
        return;
      case "greets":
        this.peer.greet();
        return;
      default:
        this.peer.take(step);
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
    for (const numbers of Object.values(this.#given)) this.checkOrder(numbers);
    if (this.client.status === "closed" && this.clock.pending > 0)
      this.complain(`is closed, with ${this.clock.pending} timers`);
  }

  protected override serveNext(): void {
    this.peer.servesWell();
  }

  /** Callbacks that come to an end too late for anything. */
  protected override afterTheEnd(): void {
    for (const consulted of this.user.waiting) this.user.answer(consulted, "approve");
  }
}
