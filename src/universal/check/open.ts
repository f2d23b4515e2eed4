// What a later event must close: a turn, an item or a request; the names of the invariants.

/** What a problem breaks: the shape of an event, one of the invariants, or the order of events outside of turns. */
export type Invariant = "shape" | `I${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12}` | "grammar";

/** The place of an event in a transcript. */
export interface Place {
  readonly index: number;
  readonly event_id: string;
}

/** Tells a problem of the current event. */
export type Report = (invariant: Invariant, message: string) => void;

/** Something that a later event must close: a turn, an item, or a request. */
export interface Open {
  /** Such as "item `itm_1`". */
  readonly name: string;
  /** What is broken if nothing closes it. */
  readonly invariant: Invariant;
  readonly place: Place;
  /** Its problem has been told: one mistake is one problem. */
  reported: boolean;
}

/** The items and requests that are open in one turn, or outside of turns. */
export type Scope = Set<Open>;

/** Reports what is open at the end of a turn or of a session. */
export function reportOpen(opened: Iterable<Open>, report: Report, when: string): void {
  for (const { name, invariant, reported } of opened)
    if (!reported) report(invariant, `The ${name} is still open at the end of ${when}.`);
}

/** Characters of an id that a message quotes. */
const QUOTED = 100;

export const quoted = (id: string): string => `\`${id.slice(0, QUOTED)}\``;
