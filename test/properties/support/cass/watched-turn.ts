import type { CassEvent, CassResult, TurnOutcome } from "agentwire/cass";
import { type Reader, WatchedTurn } from "../watched-turn.ts";
import type { Kind } from "./scenario.ts";

/** One turn as its user and the server see it. Every answer to it says its name. */
export class WatchedCassTurn extends WatchedTurn<CassEvent, CassResult> {
  readonly kind: Kind;
  /** Its place in the order of calls. */
  readonly place: number;
  /** Whether it was written to a socket. */
  wasSent = false;
  /** Whether a server has answered it, or stored its answer. */
  wasAnswered = false;

  constructor(
    place: number,
    options: { readonly kind: Kind; readonly reader: Reader; readonly signal: boolean },
  ) {
    super(`p${place}`, options);
    this.place = place;
    this.kind = options.kind;
  }

  get says(): string {
    return this.kind === "same" ? "again" : this.name;
  }

  /** What it has to be answered with. */
  get answer(): string {
    return `re:${this.name}`;
  }

  protected override textOf(events: readonly CassEvent[]): string {
    if (this.isUntold) return this.shown;
    return events.map((event) => (event.type === "response" ? event.text : "")).join("");
  }

  protected override *alsoNow(): Iterable<string> {
    for (const event of this.events) {
      if (event.type === "thinking" && event.status !== this.name) yield `is told of ${event.status}`;
      if (event.type === "response" && event.text !== this.answer) yield `got ${event.text}`;
    }
    if (this.events.filter(({ type }) => type === "response").length > 1) yield "got two answers";
    if (this.status === "completed" && !this.wasAnswered) yield "completed without an answer";
  }

  protected override *alsoInTheEnd(outcome: TurnOutcome<CassResult>): Iterable<string> {
    if (outcome.status === "completed" && outcome.result.text !== this.answer)
      yield `completed with ${outcome.result.text}`;
  }
}
