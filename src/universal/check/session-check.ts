// Checks the events of one session in their order.
import type { ContentPart, ItemDeltaData, UniversalEvent, UniversalItem } from "../events.ts";
import {
  CheckBook,
  type EventSubject,
  keyOfItem,
  type Open,
  quotedId,
  type ReportFinding,
  reportOpen,
  subjectOfEvent,
} from "./book.ts";
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

  push(event: UniversalEvent, index: number, report: ReportFinding): void {
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

  #checkEnvelope(event: UniversalEvent, report: ReportFinding): void {
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

  #start(open: Open | undefined, book: CheckBook, report: ReportFinding): void {
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
  #end({ item }: EventSubject, open: Open | undefined, book: CheckBook, report: ReportFinding): void {
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

function grow({ item_id: id, delta }: ItemDeltaData, book: CheckBook, report: ReportFinding): void {
  const open = book.get(keyOfItem(id));
  if (open?.item && isCompared(open.item)) open.text += delta;
  if (open) return;
  const problem = book.knows(keyOfItem(id)) ? "is completed" : "has not started";
  report("I6", `A delta for the item ${quotedId(id)}, which ${problem}.`);
}

function checkParent({ item_id, parent_id }: UniversalItem, book: CheckBook, report: ReportFinding): void {
  if (parent_id === null || (parent_id !== item_id && book.knows(keyOfItem(parent_id)))) return;
  report("I10", `The parent ${quotedId(parent_id)} is no item that has started before.`);
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

function reportLoose(open: Open, report: ReportFinding, problem: string): void {
  if (!open.reported) report("grammar", `The ${open.name} ${problem}.`);
  open.reported = true;
}
