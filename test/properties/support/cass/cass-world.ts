import { CassClient, type CassEvent } from "agentwire/cass";
import { Life } from "../life.ts";
import { SessionLife } from "../session-life.ts";
import { CassPeer } from "./peer.ts";
import type { CassScenario, CassSetting, CassStep, Deed, Moment, OwnCassStep } from "./scenario.ts";
import { CassSession, type SessionWorld, type Written } from "./session.ts";
import { Store } from "./store.ts";
import { CassUser } from "./user.ts";
import type { WatchedCassTurn } from "./watched-turn.ts";

/** ms from a frame that the server does not read to the end of its connection, at least. */
const DEAF_FOR = 20_000;

/** A client, its user and its server, with nothing real between them, and everything watched. */
export class CassWorld extends SessionLife<Moment, Deed, OwnCassStep, CassSession> implements SessionWorld {
  readonly setting: CassSetting;
  readonly client: CassClient;
  readonly user: CassUser;
  protected readonly lateMessage = '{"type":"response","text":"of another connection"}';
  readonly store: Store;
  readonly peer = new CassPeer(this);
  readonly turns: WatchedCassTurn[] = [];
  readonly sockets: CassSession[] = [];
  readonly answersAtOnce: ((session: CassSession) => void) | undefined;
  /** Numbers of the states that were given, in order. */
  readonly #given: number[] = [];
  /** Turns of which an event came before `prompt` had returned. */
  readonly #early = new WeakMap<object, WatchedCassTurn>();
  /** The place of the last turn that was sent in the order of calls. */
  #place = -1;

  /** Plays a scenario; throws what went wrong. */
  static playing(scenario: CassScenario): Promise<void> {
    return Life.play(scenario, () => new CassWorld(scenario.setting));
  }

  private constructor(setting: CassSetting) {
    super(setting.random);
    this.setting = setting;
    this.answersAtOnce = setting.instant ? (session) => this.peer.answersAtOnce(session) : undefined;
    this.user = new CassUser(this);
    this.store = new Store(
      setting.rest,
      () => this.clock.now(),
      () => this.user.fire("fetch"),
    );
    this.client = new CassClient({
      url: "ws://localhost/ws",
      createWebSocket: (url) => this.#dial(url),
      auth: setting.auth,
      requireConnected: setting.requireConnected,
      maxTurnsInFlight: setting.maxTurnsInFlight,
      cancel: setting.cancel,
      recover: setting.recover,
      recoverTimeout: 5_000,
      fetch: this.store.fetch,
      ...this.options(setting),
      ...(setting.reconnect ? {} : { reconnect: false }),
      ...CassUser.credentials(setting, () => this.user),
    });
    this.client.on("event", (event, turn) => this.#onEvent(event, turn));
    this.client.on("audio", ({ url = "" }, turn) => {
      const { name } = this.turns.find((each) => each.turn === turn) ?? {};
      if (!url.endsWith(`/audio/${name}.wav`)) this.complain(`${name} got the audio ${url}`);
    });
    this.user.listen();
  }

  now(): number {
    return this.clock.now();
  }

  getStatus(): void {
    void this.watch("getStatus", () => this.client.getStatus())?.then(
      ({ memoryCount }) => void this.#given.push(memoryCount),
      () => {},
    );
  }

  written(session: CassSession, message: Written): WatchedCassTurn | undefined {
    const { requireConnected, keepalive } = this.setting;
    const { type } = message;
    if (session.refusesFrame) for (const turn of this.turns) if (!turn.over) turn.mayBeUnwritten = true;
    if (session.turns.length > 0 && this.setting.maxTurnsInFlight === 1)
      this.complain(`wrote ${type} while a turn runs`);
    if (requireConnected && !session.greeted) this.complain(`wrote ${type} before it was greeted`);
    if (type === "auth") {
      if (!message.token) this.complain("showed an empty token");
      return undefined;
    }
    if (type === "ping") {
      if (!keepalive) this.complain("pings");
      if (session.turns.length > 0) this.complain("pings a server that works on a turn");
      return undefined;
    }
    this.#checkIdentity(session, type);
    if (type === "status") return undefined;
    const turn = this.#turnOf(message);
    if (!turn) {
      this.complain(`sent ${JSON.stringify(message)}, which nobody said`);
      return undefined;
    }
    if (turn.wasSent) this.complain(`sent ${turn.name} twice`);
    if (turn.over) this.complain(`sent ${turn.name} when it was over`);
    if (session.turns.length >= this.setting.maxTurnsInFlight) this.complain("has too many turns in flight");
    if (turn.kind !== "held") {
      if (turn.place < this.#place) this.complain(`sent ${turn.name} out of order`);
      this.#place = turn.place;
    }
    if ((turn.kind === "image") !== (message.image !== undefined)) this.complain("has lost an image");
    turn.wasSent = true;
    return turn;
  }

  /** Nothing is said as somebody else than the token's user, or than whoever was allowed. */
  #checkIdentity(session: CassSession, type: string): void {
    const { user, tokenUser, hasToken, greeted, isGreeting, authenticated } = session;
    const { allowAnonymous, requireConnected, auth, token } = this.setting;
    if (!hasToken) {
      if (token !== "none") this.complain(`wrote ${type} without a token`);
      return;
    }
    if (auth === "message" && !authenticated) this.complain(`wrote ${type} before its token was taken`);
    if (!requireConnected && (!greeted || isGreeting)) return;
    const isOurs = token === "opaque" ? user !== null : user === tokenUser;
    if (!isOurs && !(user === null && allowAnonymous)) this.complain(`wrote ${type} as ${user}`);
  }

  #turnOf({ type, message, conversation_id: id }: Written): WatchedCassTurn | undefined {
    if (type === "onboarding_intro") return this.turns.find(({ name }) => name === id);
    if (message === "again")
      // While `prompt` has not returned it shows as queued.
      return this.turns.find(
        ({ kind, wasSent, status }) =>
          kind === "same" && !wasSent && (status === "queued" || status === "sent"),
      );
    return this.turns.find(({ name }) => name === message);
  }

  protected override actOwn(step: OwnCassStep): void {
    switch (step.do) {
      case "prompt":
        this.user.prompt(step);
        return;
      case "getStatus":
        this.getStatus();
        return;
      case "close":
        this.watch("close", () => this.client.close({ drainTimeout: step.drainTimeout }));
        return;
      case "blob":
        this.user.reads(step.which, step.reads);
        return;
      default:
        this.peer.take(step);
    }
  }

  /** Before time passes, or a Close comes, the server has read what it was sent. */
  override async take(step: CassStep): Promise<void> {
    const { socket } = this;
    const hasRead = step.do === "advance" || step.do === "beginsToClose";
    if (hasRead && socket?.head && !socket.head.hasBegun) this.peer.begin(socket);
    await super.take(step);
    if (step.do !== "advance" || this.setting.reads) return;
    for (const session of this.sockets) if (session.isDeafFor(DEAF_FOR)) session.ends(1011);
    await this.settle();
  }

  protected override serveNext(): void {
    if (this.socket) this.peer.servesWell(this.socket);
  }

  protected override alsoNow(): void {
    this.checkOrder(this.#given);
    const { status, identity } = this.client;
    if (
      status === "closed" &&
      this.clock.pending > 0 &&
      this.setting.rest !== "silent" &&
      !this.setting.recover
    )
      this.complain(`is closed, with ${this.clock.pending} timers`);
    if (identity?.verified && identity.userId !== "u1")
      this.complain(`is ${identity.userId}, and calls it verified`);
  }

  #onEvent(event: CassEvent, turn: object): void {
    const watched =
      this.turns.find((each) => each.turn === turn) ??
      this.#early.get(turn) ??
      this.turns.findLast((each) => !each.turn);
    if (!watched) return;
    this.#early.set(turn, watched);
    watched.events.push(event);
    if (watched.endIsTold) this.complain(`${watched.name}: an event after the end`);
  }

  #dial(url: string): CassSession {
    const token = new URL(url).searchParams.get("token");
    const socket = new CassSession(this, this.setting.browser, token);
    this.sockets.push(socket);
    return socket;
  }
}
