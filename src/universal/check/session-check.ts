// Checks the events of one session in their order.
import type { UniversalEvent } from "../events.ts";
import { ItemCheck } from "./item-check.ts";
import { type Open, type Place, quoted, type Report, reportOpen, type Scope } from "./open.ts";
import { brokenRules } from "./rules.ts";

interface Turn extends Open {
  readonly id: string;
  readonly scope: Scope;
  /** The turn that was open when this turn started: a broken I4. */
  readonly outer: Turn | undefined;
  ended: boolean;
}

interface Request extends Open {
  readonly scope: Scope;
}

/** The bookkeeping of a session that has not ended. Of what is finished, only ids are kept. */
class Books {
  readonly items = new ItemCheck();
  readonly turnIds = new Set<string>();
  readonly turns = new Map<string, Turn>();
  readonly requestIds = new Set<string>();
  readonly requests = new Map<string, Request>();
  /** Items that started between turns. */
  readonly between: Scope = new Set();
  /** The newest turn that is open. */
  turn: Turn | undefined;
}

/** Checks the events of one session, in their order. */
export class SessionCheck {
  #sequence = 0;
  #started = false;
  #hasNativeId = false;
  /** Undefined once the session has ended. */
  #books: Books | undefined = new Books();

  /** Counts an event that cannot be read. Its effects are unknown. */
  skip(sequence: number | undefined): void {
    this.#sequence = sequence ?? this.#sequence + 1;
    this.#started = true; // the event may have been the start
  }

  push(event: UniversalEvent, place: Place, report: Report): void {
    this.#checkEnvelope(event, report);
    const books = this.#books;
    if (!books) {
      report("I3", "The session has ended before this event.");
      return;
    }
    if ((event.type === "session.started") === this.#started)
      report(
        "I2",
        this.#started ? "The session has started before." : "The first event is not `session.started`.",
      );
    this.#started = true;
    if (event.type !== "session.ended")
      books.items.next(event.type === "item.completed" ? event.data.item.item_id : undefined, report);
    this.#follow(event, books, place, report);
  }

  /** What is open, and not reported. */
  open(): readonly Open[] {
    if (!this.#books) return [];
    const { turns, between } = this.#books;
    const open = [...turns.values()].flatMap((turn) => [turn, ...turn.scope]);
    return [...open, ...between].filter(({ reported }) => !reported);
  }

  #checkEnvelope(event: UniversalEvent, report: Report): void {
    const { sequence, native_session_id } = event;
    const expected = this.#sequence + 1;
    if (sequence !== expected) report("I1", `The sequence is ${sequence}: it must be ${expected}.`);
    this.#sequence = sequence;
    if (event.synthetic && event.source !== "daemon")
      report("I12", "A synthetic event must have the source `daemon`.");
    for (const problem of brokenRules(event)) report("shape", problem);
    if (native_session_id !== null) this.#hasNativeId = true;
    else if (this.#hasNativeId)
      report("shape", "`native_session_id` is null, but is known from an earlier event.");
  }

  #follow(event: UniversalEvent, books: Books, place: Place, report: Report): void {
    switch (event.type) {
      case "turn.started":
        startTurn(books, event.data.turn_id, place, report);
        return;
      case "turn.ended":
        endTurn(books, event.data.turn_id, report);
        return;
      case "item.started":
        books.items.start(event.data.item, place, report, books.turn?.scope, books.between);
        return;
      case "item.delta":
        books.items.delta(event.data, report);
        return;
      case "item.completed":
        books.items.complete(event.data.item, report);
        return;
      case "permission.requested":
        openRequest(books, "permission", event.data.permission_id, place, report);
        return;
      case "permission.resolved":
        closeRequest(books, "permission", event.data.permission_id, report);
        return;
      case "question.requested":
        openRequest(books, "question", event.data.question_id, place, report);
        return;
      case "question.resolved":
        closeRequest(books, "question", event.data.question_id, report);
        return;
      case "session.ended":
        this.#books = undefined;
        endSession(books, report);
        return;
      case "session.started":
      case "error":
      case "agent.unparsed":
        return;
    }
  }
}

function startTurn(books: Books, id: string, place: Place, report: Report): void {
  const name = `turn ${quoted(id)}`;
  const outer = books.turn;
  if (books.turnIds.has(id)) report("I4", `The ${name} has started before.`);
  else if (outer) report("I4", `The ${name} starts before the end of the ${outer.name}.`);
  if (books.turns.has(id)) return;
  if (outer) outer.reported = true;
  const scope: Scope = new Set();
  const turn: Turn = { name, invariant: "I4", place, reported: false, id, scope, outer, ended: false };
  books.turnIds.add(id);
  books.turns.set(id, turn);
  books.turn = turn;
}

function endTurn(books: Books, id: string, report: Report): void {
  const named = books.turns.get(id);
  if (!named) report("I4", `The turn ${quoted(id)} is not open.`);
  // An id that nobody knows is a misspelt id of the turn that is open.
  const turn = named ?? (books.turnIds.has(id) ? undefined : books.turn);
  if (!turn) return;
  turn.ended = true;
  books.turns.delete(turn.id);
  while (books.turn?.ended) books.turn = books.turn.outer;
  reportOpen(turn.scope, report, "its turn");
  turn.scope.clear();
}

type RequestKind = "permission" | "question";

function openRequest(books: Books, kind: RequestKind, id: string, place: Place, report: Report): void {
  const name = `${kind} ${quoted(id)}`;
  const key = `${kind} ${id}`;
  if (books.requestIds.has(key)) {
    report("I9", `The ${name} has been requested before.`);
    return;
  }
  const { turn } = books;
  if (!turn) report("grammar", `The ${name} is requested outside of a turn.`);
  const scope = turn?.scope ?? books.between;
  const request: Request = { name, invariant: "I9", place, reported: turn === undefined, scope };
  books.requestIds.add(key);
  books.requests.set(key, request);
  scope.add(request);
}

function closeRequest(books: Books, kind: RequestKind, id: string, report: Report): void {
  const key = `${kind} ${id}`;
  const request = books.requests.get(key);
  if (!request) {
    const problem = books.requestIds.has(key) ? "has been resolved before" : "has not been requested";
    report("I9", `The ${kind} ${quoted(id)} ${problem}.`);
    return;
  }
  books.requests.delete(key);
  request.scope.delete(request);
}

function endSession(books: Books, report: Report): void {
  const when = "the session";
  for (const turn of books.turns.values()) reportOpen([turn, ...turn.scope], report, when);
  reportOpen(books.between, report, when);
}
