/** What a problem breaks: the shape of an event, one of the invariants, or the order of events outside of turns. */
export type Invariant =
  | "shape"
  | "I1"
  | "I2"
  | "I3"
  | "I4"
  | "I5"
  | "I6"
  | "I7"
  | "I8"
  | "I9"
  | "I10"
  | "I11"
  | "I12"
  | "grammar";

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
export class Scope {
  readonly #open = new Set<Open>();

  add(opened: Open): void {
    this.#open.add(opened);
  }

  delete(closed: Open): void {
    this.#open.delete(closed);
  }

  /** Reports what is open. */
  end(report: Report, when: string): void {
    for (const open of this.#open) reportOpen(open, report, when);
    this.#open.clear();
  }

  list(): readonly Open[] {
    return [...this.#open];
  }
}

export function reportOpen({ name, invariant, reported }: Open, report: Report, when: string): void {
  if (!reported) report(invariant, `The ${name} is still open at the end of ${when}.`);
}

/** Characters of an id that a message quotes. */
const QUOTED = 100;

export const quoted = (id: string): string => `\`${id.slice(0, QUOTED)}\``;
