// Checks the events of one session in their order, by the turns, items and requests that are open.
import type { ContentPart, ItemDeltaData, UniversalEvent, UniversalItem } from "../events.ts";
import { brokenRules } from "./rules.ts";

export class SessionCheck {
  #sequence = 0;
  #started = false;
  #hasNativeId = false;
  /** Undefined after the end of the session. */
  #book: CheckBook | undefined = new CheckBook();
  readonly #calls = new Set<string>();
  /** Results without a known call at their start. */
  readonly #orphans = new WeakSet<Open>();
  /** The item that the last event started outside of a turn. */
  #loose: Open | undefined;

  /** Counts an unreadable event. Its effects are unknown. */
  skip(sequence: number | undefined): void {
    this.#sequence = sequence ?? this.#sequence + 1;
    this.#started = true; // the event may have been the start
  }

  push(event: UniversalEvent, index: number, report: Report): void {
    this.#checkEnvelope(event, report);
    const book = this.#book;
    if (!book) {
      report("I3", "The session has ended before this event.");
      return;
    }
    if ((event.type === "session.started") === this.#started)
      report(
        "I2",
        this.#started ? "The session has started before." : "The first event is not `session.started`.",
      );
    this.#started = true;
    if (event.type === "session.ended") {
      this.#book = undefined;
      reportOpen(book.open, report, "the session");
      return;
    }
    const subject = subjectOfEvent(event);
    const loose = this.#loose;
    this.#loose = undefined;
    if (loose && (loose.key !== subject?.key || subject.opens))
      reportLoose(loose, report, "started outside of a turn: the next event must complete it");
    if (event.type === "item.delta") grow(event.data, book, report);
    else if (subject?.opens) this.#start(book.start(subject, index, event.event_id, report), book, report);
    else if (subject) this.#end(subject, book.end(subject, report), book, report);
  }

  open(): readonly Open[] {
    return this.#book?.open ?? [];
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

  #start(open: Open | undefined, book: CheckBook, report: Report): void {
    if (!open || open.kind === "turn") return;
    const { item, turn, name } = open;
    if (!item) {
      if (!turn) report("grammar", `The ${name} is requested outside of a turn.`);
      open.reported = turn === undefined;
      return;
    }
    checkParent(item, book, report);
    if (this.#isOrphan(item)) {
      report("I11", ORPHAN);
      this.#orphans.add(open);
    }
    if (turn) return;
    if (mayBeLoose(item)) this.#loose = open;
    else reportLoose(open, report, "started outside of a turn");
  }

  /** Checks a completed item. `open` is undefined if the item was not open. */
  #end({ item }: Subject, open: Open | undefined, book: CheckBook, report: Report): void {
    if (!item) return;
    if (this.#isOrphan(item) && !(open && this.#orphans.has(open))) report("I11", ORPHAN);
    if (!open?.item) return;
    const { kind, role, parent_id } = open.item;
    if (item.parent_id !== parent_id) checkParent(item, book, report);
    if (item.kind !== kind || item.role !== role)
      report("shape", `The ${open.name} has another kind or role than at its start.`);
    else if (isCompared(item) && textOf(item.content) !== open.text)
      report("I7", `The joined deltas of the ${open.name} differ from its text.`);
    if (!open.turn && kind === "message" && !isLateAudio(item))
      reportLoose(open, report, "is a message outside of a turn");
  }

  /** Whether a result has no call. Remembers the calls. */
  #isOrphan({ kind, content }: UniversalItem): boolean {
    const [part] = content;
    if (kind === "tool_call" && part?.type === "tool_call") this.#calls.add(part.call_id);
    return kind === "tool_result" && part?.type === "tool_result" && !this.#calls.has(part.call_id);
  }
}

const ORPHAN = "The tool result belongs to no tool call before it.";

function grow({ item_id: id, delta }: ItemDeltaData, book: CheckBook, report: Report): void {
  const open = book.get(keyOfItem(id));
  if (open?.item && isCompared(open.item)) open.text += delta;
  if (open) return;
  const problem = book.knows(keyOfItem(id)) ? "is completed" : "has not started";
  report("I6", `A delta for the item ${quoted(id)}, which ${problem}.`);
}

function checkParent({ item_id, parent_id }: UniversalItem, book: CheckBook, report: Report): void {
  if (parent_id === null || (parent_id !== item_id && book.knows(keyOfItem(parent_id)))) return;
  report("I10", `The parent ${quoted(parent_id)} is no item that has started before.`);
}

/** Items that are allowed between turns. A message may be late audio, as its end will show. */
const mayBeLoose = ({ kind, role }: UniversalItem): boolean =>
  kind === "status" || kind === "system" || kind === "unknown" || (kind === "message" && role !== "user");

const isLateAudio = ({ content }: UniversalItem): boolean =>
  content.length > 0 && content.every((part) => part.type === "file_ref");

const isCompared = ({ kind, role }: UniversalItem): boolean => kind === "message" && role !== "user";

function textOf(content: readonly ContentPart[]): string {
  let text = "";
  for (const part of content) if (part.type === "text" || part.type === "reasoning") text += part.text;
  return text;
}

function reportLoose(open: Open, report: Report, problem: string): void {
  if (!open.reported) report("grammar", `The ${open.name} ${problem}.`);
  open.reported = true;
}

/** The broken rule: the shape of an event, an invariant, or the order of events outside of turns. */
export type Invariant = "shape" | `I${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12}` | "grammar";

type Report = (invariant: Invariant, message: string) => void;

/** The turn, item or request that an event opens or closes. */
interface Subject {
  readonly kind: "turn" | "item" | "permission" | "question";
  readonly id: string;
  readonly opens: boolean;
  /** Unique in its session. */
  readonly key: string;
  /** Only for an item. */
  readonly item?: UniversalItem;
}

export function subjectOfEvent({ type, data }: UniversalEvent): Subject | undefined {
  if (type === "turn.started" || type === "turn.ended") return subject("turn", data.turn_id, type);
  if (type === "item.started" || type === "item.completed")
    return { ...subject("item", data.item.item_id, type), item: data.item };
  if (type === "permission.requested" || type === "permission.resolved")
    return subject("permission", data.permission_id, type);
  if (type === "question.requested" || type === "question.resolved")
    return subject("question", data.question_id, type);
  return undefined;
}

function subject(kind: Subject["kind"], id: string, type: UniversalEvent["type"]): Subject {
  const opens = type.endsWith(".started") || type.endsWith(".requested");
  return { kind, id, key: `${kind} ${id}`, opens };
}

const keyOfItem = (id: string): string => `item ${id}`;

/** An open turn, item or request. */
interface Open extends Subject {
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
class CheckBook {
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
  start(subject: Subject, index: number, event_id: string, report: Report): Open | undefined {
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
  end(subject: Subject, report: Report): Open | undefined {
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

function reportOpen(opened: Iterable<Open>, report: Report, when: string): void {
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

const quoted = (id: string): string => `\`${id.slice(0, QUOTED)}\``;

const nameOf = ({ kind, id }: Subject): string => `${kind} ${quoted(id)}`;
