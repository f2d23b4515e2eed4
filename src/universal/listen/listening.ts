// Listens to a client, and passes its events to the engine of the session.
import { defined } from "../../core/checks.ts";
import type { AnyConversation, AnyTurn } from "../../core/client/any-client.ts";
import type { CancelTimer } from "../../core/clock.ts";
import type { AnyAgentwireError } from "../../core/errors.ts";
import type { Unsubscribe } from "../../core/tell/events.ts";
import { ORIGIN, type TurnOrigin } from "../../core/turn/origin.ts";
import type { TurnResult } from "../../core/turn/turn.ts";
import type { AnyEvent } from "../../core/values.ts";
import { Normaliser } from "../engine/normaliser.ts";
import type { Fact, TurnEnd } from "../facts.ts";
import type { Binding, HeardClient } from "../mapping.ts";
import type { UniversalOptions } from "../stream.ts";
import type { StreamLog } from "./log.ts";
import { readUserInput } from "./user-input.ts";

/** ms without an event until work without a prompt counts as over. */
const QUIET = 5_000;

type Settings = UniversalOptions & Required<Pick<UniversalOptions, "newSessionId" | "clock">>;

export type Scope =
  | { readonly kind: "turn"; readonly turn: AnyTurn; readonly origin: TurnOrigin }
  | { readonly kind: "conversation"; readonly conversation: AnyConversation; readonly client: HeardClient }
  | { readonly kind: "client"; readonly client: HeardClient };

/** One universal session: a conversation, a one-off turn, or one connection to a backend without memory. */
interface OpenSession<Event extends AnyEvent, Result extends TurnResult> {
  readonly normaliser: Normaliser<Event, Result>;
  readonly id: string;
  cancelQuiet: CancelTimer;
}

export class Listening<Client extends HeardClient, Event extends AnyEvent, Result extends TurnResult> {
  readonly #binding: Binding<Client, Event, Result>;
  readonly #scope: Scope;
  readonly #client: Client;
  readonly #settings: Settings;
  readonly #log: StreamLog;
  /** The open sessions, by conversation, turn or client. */
  readonly #sessions = new Map<object, OpenSession<Event, Result>>();
  readonly #byTurn = new Map<string, OpenSession<Event, Result>>();
  readonly #offs: Unsubscribe[] = [];
  /** The last session that the backend has forgotten. */
  #forgotten: string | undefined;

  constructor(binding: Binding<Client, Event, Result>, scope: Scope, settings: Settings, log: StreamLog) {
    this.#binding = binding;
    this.#scope = scope;
    this.#settings = settings;
    this.#log = log;
    const client: unknown = scope.kind === "turn" ? scope.origin.client : scope.client;
    if (!binding.isClient(client)) throw new Error("the client of the scope is of another protocol");
    this.#client = client;
    log.beginTick();
    this.#listen(client);
    if (scope.kind === "conversation") this.#sessionFor(scope.conversation);
    if (scope.kind === "turn") this.#follow(scope.turn);
    else if (client.status === "ready") this.#onReady();
    if (client.closedBy) this.#closed(client.closedBy);
  }

  close(): void {
    this.#tellAll({ type: "closed" });
    this.#end();
  }

  #listen(client: Client): void {
    this.#offs.push(
      client.on("turn", (turn) => {
        if (this.#isMine(turn)) this.#follow(turn);
      }),
      client.on("settled", (request) => {
        const { turnId } = request.type === "approval" ? request.call : request.question;
        this.#tellOf(turnId, { type: "settled", turnId, request });
      }),
      client.on("approval", (call, turn) => {
        const request = { type: "approval", id: call.id, call } as const;
        if (!turn && call.turnId === undefined) this.#tellAll({ type: "asked", turnId: undefined, request });
      }),
      client.on("protocolWarning", (warning) => this.#tellOf(warning.turnId, { type: "warning", warning })),
      client.on("disconnected", (error) => this.#onDisconnected(error)),
      client.on("reconnecting", ({ attempt, delay, error }) =>
        this.#tellAll({ type: "retrying", attempt, delay, error }),
      ),
      client.on("reconnected", () => this.#tellAll({ type: "reconnected" })),
      client.on("status", (status) => {
        if (status === "ready") this.#onReady();
        if (status === "closed" && client.closedBy) this.#closed(client.closedBy);
      }),
      ...(this.#binding.listen?.(client, (fact, turn) => {
        if (!turn) this.#tellAll(fact);
        else if (this.#scope.kind === "turn" || this.#isMine(turn))
          this.#tell(this.#sessions.get(this.#keyOf(turn)), fact); // the turn may have ended long ago
      }) ?? []),
    );
  }

  /** The backend's session is ready. A stream of just this session begins its session here. */
  #onReady(): void {
    const scope = this.#scope;
    if (scope.kind === "conversation") this.#sessionFor(scope.conversation);
    if (scope.kind === "client" && this.#client.capabilities.conversations === "one")
      this.#sessionFor(this.#client);
    for (const session of this.#sessions.values()) this.#opened(session);
  }

  #isMine(turn: AnyTurn): boolean {
    const scope = this.#scope;
    if (scope.kind === "client") return true;
    if (scope.kind === "turn") return false; // already followed
    return scope.conversation.shared || originOf(turn).conversation === scope.conversation;
  }

  /** The object that has the same lifetime as the turn's session. */
  #keyOf(turn: AnyTurn): object {
    const scope = this.#scope;
    if (scope.kind === "turn") return turn;
    if (scope.kind === "conversation") return scope.conversation;
    if (this.#client.capabilities.conversations === "one") return this.#client;
    return originOf(turn).conversation ?? turn;
  }

  /** `isOneOff`: the session ends with its only turn. */
  #sessionFor(key: object, isOneOff = false): OpenSession<Event, Result> {
    const known = this.#sessions.get(key);
    if (known) return known;
    const { newSessionId, clock, ...options } = this.#settings;
    const { capabilities } = this.#client;
    const id = newSessionId();
    const previous = this.#forgotten;
    const forgotten = previous === undefined ? {} : { previous_session_id: previous, context_lost: true };
    const setup = { ...options, sessionId: id, wallTime: () => clock.wallTime() };
    const metadata = { capabilities, ...forgotten };
    const mapping = this.#binding.newMapping(isOneOff);
    const normaliser = new Normaliser(mapping, { ...setup, metadata }, (event) => this.#log.keep(event));
    const session: OpenSession<Event, Result> = { normaliser, id, cancelQuiet: () => {} };
    this.#sessions.set(key, session);
    return session;
  }

  #follow(turn: AnyTurn): void {
    this.#log.beginTick();
    const key = this.#keyOf(turn);
    const origin = originOf(turn);
    const isOneOff = key === turn && origin.conversation === undefined;
    const session = this.#sessionFor(key, isOneOff);
    const turnId = turn.id;
    const { key: prompt_id, branchOf: branch_of, shown } = origin.said;
    const given = shown ?? origin.input;
    const input = readUserInput(given) ?? this.#binding.input?.(given) ?? { text: "" };
    const prompt = defined({ prompt_id, branch_of });
    this.#byTurn.set(turnId, session);
    const tell = (fact: Fact<Event, Result>): void => this.#tell(session, fact);
    let isSent = false;
    const sent = (late?: { readonly attached_late: true }): void => {
      if (isSent) return;
      isSent = true;
      this.#opened(session, origin);
      tell({ type: "sent", turnId, input, metadata: { ...prompt, ...late } });
    };
    // The turn is of this protocol, and so are its events and its result.
    const ended = (told: unknown): void => {
      const end = told as TurnEnd<Result>;
      this.#byTurn.delete(turnId);
      tell({ type: "ended", turnId, end, ...(isSent ? {} : { input, metadata: prompt }) });
      if (key === turn) this.#leave(key, session, end, isOneOff);
    };
    turn.on("status", (status) => {
      if (status === "sent" || status === "streaming") sent();
      if (status === "recovering") tell({ type: "recovering", turnId });
    });
    turn.on("event", (event) => tell({ type: "event", turnId, event: event as Event }));
    turn.on("toolCall", (call) => tell({ type: "call", turnId, call }));
    turn.on("approval", (call) => {
      tell({ type: "asked", turnId, request: { type: "approval", id: call.id, call } });
    });
    turn.on("question", (question) => {
      tell({ type: "asked", turnId, request: { type: "question", id: question.id, question } });
    });
    turn.on("end", ended);
    const { status, text, toolCalls: calls } = turn;
    if (status === "queued") return;
    // The turn began before this tick: reports what has already happened.
    const isLate = status !== "sent";
    if (origin.wasSent) {
      sent(isLate ? { attached_late: true } : undefined);
      if (isLate) tell({ type: "missed", turnId, text, calls });
    }
    if (status === "completed" || status === "failed" || status === "cancelled")
      void turn.outcome.then(ended);
  }

  /** The session's only turn has ended. `isOneOff`: the backend's session ends with it. */
  #leave(key: object, session: OpenSession<Event, Result>, end: TurnEnd<Result>, isOneOff: boolean): void {
    const { oneOff, forgets } = this.#binding;
    if (oneOff && isOneOff) this.#tell(session, { type: "done", data: oneOff(end) });
    if (forgets && end.status === "failed" && end.error.code === "connection-lost") {
      this.#tell(session, { type: "disconnected", error: end.error });
      this.#tell(session, { type: "lost", error: end.error });
    }
    session.cancelQuiet();
    this.#sessions.delete(key);
    if (this.#scope.kind === "turn") this.#end();
  }

  #opened(session: OpenSession<Event, Result>, turn?: TurnOrigin): void {
    const opened = this.#binding.opened?.(this.#client, turn);
    if (opened) this.#tell(session, { type: "opened", ...opened });
  }

  #onDisconnected(error: AnyAgentwireError): void {
    this.#tellAll({ type: "disconnected", error });
    if (!this.#binding.forgets) return;
    this.#tellAll({ type: "lost", error });
    for (const { id, normaliser } of this.#sessions.values()) if (normaliser.isEnded) this.#forgotten = id;
    this.#sessions.clear();
    if (this.#scope.kind !== "client") this.#end();
  }

  #closed(error: AnyAgentwireError): void {
    this.#tellAll(error.code === "closed" ? { type: "closed" } : { type: "lost", error });
    this.#end();
  }

  #tellAll(fact: Fact<Event, Result>): void {
    for (const session of this.#sessions.values()) this.#tell(session, fact);
  }

  /** Passes a fact to the session of an unfinished turn; without a turn id, to all sessions. */
  #tellOf(turnId: string | undefined, fact: Fact<Event, Result>): void {
    if (turnId === undefined) this.#tellAll(fact);
    else this.#tell(this.#byTurn.get(turnId), fact);
  }

  #tell(session: OpenSession<Event, Result> | undefined, fact: Fact<Event, Result>): void {
    if (!session) return;
    session.normaliser.handle(fact);
    if (session.normaliser.isUnsolicited) this.#awaitQuiet(session);
    this.#log.tell();
  }

  /** Work without a prompt has no end message: it ends when no event has arrived for a while. */
  #awaitQuiet(session: OpenSession<Event, Result>): void {
    session.cancelQuiet();
    const quiet = (): void => this.#tell(session, { type: "quiet" });
    session.cancelQuiet = this.#settings.clock.setTimeout(quiet, QUIET, { unref: true });
  }

  #end(): void {
    for (const { cancelQuiet } of this.#sessions.values()) cancelQuiet();
    for (const off of this.#offs.splice(0)) off();
    this.#sessions.clear();
    this.#byTurn.clear();
    this.#log.end();
  }
}

function originOf(turn: AnyTurn): TurnOrigin {
  const of: unknown = turn;
  if (typeof of === "object" && of !== null && ORIGIN in of) return of[ORIGIN] as TurnOrigin; // only this library sets the symbol
  throw new Error("the turn does not know its client");
}
