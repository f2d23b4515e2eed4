import type { TurnResult } from "agentwire";
import { type AnyStep, Life, pick } from "./life.ts";
import type { SessionSocket } from "./session-socket.ts";
import type { SessionSetting, SessionStep } from "./steps.ts";
import { openFirst, type WatchedTurn } from "./watched-turn.ts";

type AnyTurn = Pick<
  WatchedTurn<never, TurnResult>,
  "name" | "open" | "over" | "reader" | "abort" | "check" | "finish" | "verdict" | "cancel" | "pull" | "leave"
>;

/** A life of a client with one session per socket. */
export abstract class SessionLife<
  Moment,
  Deed,
  Own extends AnyStep,
  Socket extends SessionSocket = SessionSocket,
> extends Life<Own | SessionStep<Moment, Deed>> {
  abstract readonly setting: SessionSetting;
  abstract override readonly turns: readonly AnyTurn[];
  abstract override readonly sockets: readonly Socket[];
  protected abstract readonly user: { when(moment: Moment, deed: Deed): void; rests(): void };
  /** A message that comes on a socket after the client has left it. */
  protected abstract readonly lateMessage: string;

  /** A step that only this protocol has. */
  protected abstract actOwn(step: Own): void;

  /** The server does what is next, as it should. */
  protected abstract serveNext(): void;

  get socket(): Socket | undefined {
    return this.sockets.at(-1);
  }

  /** The options that every client has. */
  protected options(setting: SessionSetting) {
    return {
      clock: this.clock,
      idleTimeout: setting.idleTimeout,
      maxBufferedBytes: setting.maxBufferedBytes,
      maxQueuedTurns: setting.maxQueuedTurns,
      keepalive: setting.keepalive ? {} : (false as const),
      signal: this.clientSignal.controller.signal,
    };
  }

  protected override act(step: Own | SessionStep<Moment, Deed>): void {
    const common = step as SessionStep<Moment, Deed>; // the names of the steps tell them apart
    const { turns, socket, client } = this;
    const slow = () => openFirst(turns.filter(({ reader }) => reader === "slow"));
    switch (common.do) {
      case "cancel":
        pick(openFirst(turns), common.turn)?.cancel();
        return;
      case "read":
        pick(slow(), common.turn)?.pull();
        return;
      case "leave":
        pick(slow(), common.turn)?.leave();
        return;
      case "abort":
        pick(openFirst(turns.filter(({ abort }) => abort)), common.turn)?.abort?.controller.abort();
        return;
      case "connect":
        this.watch("connect", () => client.connect());
        return;
      case "abortClient":
        this.clientSignal.controller.abort();
        return;
      case "when":
        this.user.when(common.moment, common.deed);
        return;
      case "opens":
        socket?.accepts();
        return;
      case "beginsToClose":
        if (socket?.isOpen) socket.readyState = 2;
        return;
      case "refusesFrame":
        if (socket) socket.refusesFrame = true;
        return;
      case "ends":
        pick(this.sockets.toReversed(), common.socket)?.ends(common.code);
        return;
      case "late":
        pick(this.sockets.toReversed().slice(1), common.socket)?.receives(this.lateMessage);
        return;
      default:
        this.actOwn(step as Own);
    }
  }

  protected override async serve(): Promise<void> {
    for (let step = 0; step < 10; step++) {
      this.serveNext();
      await this.settle();
    }
    if (this.client.status === "reconnecting") await this.clock.advance(30_000);
  }

  protected override rest(): void {
    this.user.rests();
  }

  /** Complains where numbers of answers came out of order. */
  protected checkOrder(numbers: readonly number[]): void {
    if (numbers.some((n, at) => n < (numbers[at - 1] ?? -1))) this.complain("answers came out of order");
  }
}
