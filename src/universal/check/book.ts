// The open turns, items, calls, permissions and questions of a session, for the check and `closeTranscript`.
import type { UniversalEvent, UniversalItem } from "../events.ts";

/** The broken rule: the shape of an event, an invariant, or the order of events outside of turns. */
export type Invariant = "shape" | `I${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12}` | "grammar";

export type ReportFinding = (invariant: Invariant, message: string) => void;

/** The turn, item or request that an event opens or closes. */
export interface EventSubject {
  readonly kind: "turn" | "item" | "permission" | "question";
  readonly id: string;
  readonly opens: boolean;
  /** Unique in its session. */
  readonly key: string;
  /** Only for an item. */
  readonly item?: UniversalItem;
}

export function subjectOfEvent({ type, data }: UniversalEvent): EventSubject | undefined {
  if (type === "turn.started" || type === "turn.ended") return subject("turn", data.turn_id, type);
  if (type === "item.started" || type === "item.completed")
    return { ...subject("item", data.item.item_id, type), item: data.item };
  if (type === "permission.requested" || type === "permission.resolved")
    return subject("permission", data.permission_id, type);
  if (type === "question.requested" || type === "question.resolved")
    return subject("question", data.question_id, type);
  return undefined;
}

function subject(kind: EventSubject["kind"], id: string, type: UniversalEvent["type"]): EventSubject {
  const opens = type.endsWith(".started") || type.endsWith(".requested");
  return { kind, id, key: `${kind} ${id}`, opens };
}

export const keyOfItem = (id: string): string => `item ${id}`;

/** An open turn, item or request. */
export interface Open extends EventSubject {
  /** Such as "item `itm_1`". */
  readonly name: string;
  readonly index: number;
  readonly event_id: string;
  /** The newest turn that was open then. For a turn, this breaks I4. */
  readonly turn: Open | undefined;
  /** Only for a turn: its open items and requests. */
  readonly inside: Set<Open>;
  /** A problem was reported: one mistake is one problem. */
  reported: boolean;
  /** Only for an item: the joined deltas. */
  text: string;
}

const REQUEST = {
  broken: "I9",
  again: "has been requested before",
  closed: "has been resolved before",
  unknown: "has not been requested",
} as const;

/** Messages for opening again, closing again, and closing without opening. */
const WORDS = {
  turn: { broken: "I4", again: "has started before", closed: "is not open", unknown: "is not open" },
  item: {
    broken: "I5",
    again: "has started before",
    closed: "has been completed before",
    unknown: "has not started",
  },
  permission: REQUEST,
  question: REQUEST,
} as const;

/** The turns, items and requests of one session. Of closed ones, only the keys are kept. */
export class CheckBook {
  /** By key, in the order of opening. */
  readonly #open = new Map<string, Open>();
  readonly #known = new Set<string>();
  turn: Open | undefined;

  /** The open turns, items and requests without a reported problem. */
  get open(): readonly Open[] {
    return [...this.#open.values()].filter(({ reported }) => !reported);
  }

  get(key: string): Open | undefined {
    return this.#open.get(key);
  }

  knows(key: string): boolean {
    return this.#known.has(key);
  }

  /** Opens a turn, an item or a request. Undefined if it was open before. */
  start(subject: EventSubject, index: number, event_id: string, report: ReportFinding): Open | undefined {
    const { kind, key } = subject;
    const { turn } = this;
    const name = nameOf(subject);
    const isTurn = kind === "turn";
    const isKnown = this.#known.has(key);
    if (isKnown) report(WORDS[kind].broken, `The ${name} ${WORDS[kind].again}.`);
    else if (isTurn && turn) report("I4", `The ${name} starts before the end of the ${turn.name}.`);
    if (isKnown && (!isTurn || this.#open.has(key))) return undefined; // a turn with a reused id opens again
    const more = { name, index, event_id, turn, inside: new Set<Open>(), reported: false, text: "" };
    const open: Open = { ...subject, ...more };
    this.#known.add(key);
    this.#open.set(key, open);
    if (isTurn) this.turn = open;
    else turn?.inside.add(open);
    if (isTurn && turn) turn.reported = true;
    return open;
  }

  /** Closes a turn, an item or a request, and returns it. */
  end(subject: EventSubject, report: ReportFinding): Open | undefined {
    const { kind, key } = subject;
    const isKnown = this.#known.has(key);
    const named = this.#open.get(key);
    if (!named)
      report(WORDS[kind].broken, `The ${nameOf(subject)} ${WORDS[kind][isKnown ? "closed" : "unknown"]}.`);
    if (kind === "item") this.#known.add(key);
    const open = named ?? (kind === "turn" && !isKnown ? this.turn : undefined); // an unknown id is misspelt
    if (!open) return undefined;
    this.#open.delete(open.key);
    open.turn?.inside.delete(open);
    while (this.turn && !this.#open.has(this.turn.key)) this.turn = this.turn.turn;
    reportOpen(open.inside, report, "its turn");
    return open;
  }
}

export function reportOpen(opened: Iterable<Open>, report: ReportFinding, when: string): void {
  for (const open of opened) {
    if (!open.reported) report(leftOpen(open), `The ${open.name} is still open at the end of ${when}.`);
    open.reported = true;
  }
}

/** The invariant that is broken if nothing closes the turn, item or request. */
export const leftOpen = ({ kind, turn }: Open): Invariant =>
  kind === "item" && turn ? "I8" : WORDS[kind].broken;

/** Characters of an id that a message quotes. */
const QUOTED = 100;

export const quotedId = (id: string): string => `\`${id.slice(0, QUOTED)}\``;

const nameOf = ({ kind, id }: EventSubject): string => `${kind} ${quotedId(id)}`;
