// `checkTranscript`: which events break a shape, an invariant or the order of turns.
import { type Checks, checkCallOptions, checks, describe, isObject } from "../../core/checks.ts";
import { type Invariant, leftOpen } from "./book.ts";
import { SessionCheck } from "./session-check.ts";
import { isUniversalEvent, shapeProblem } from "./shape.ts";

/** Something wrong with one event of a transcript. */
export interface TranscriptProblem {
  /** The index of the event, from 0. If something is left open at the end: the index of the event that opened it. */
  readonly index: number;
  /** The id of the event, if it has one. */
  readonly event_id: string | undefined;
  /**
   * What is broken: the shape of the event (`shape`), an invariant (`I1` to `I12`), or the order of turns and of what may stand between
   * them (`grammar`).
   */
  readonly invariant: Invariant;
  readonly message: string;
}

export interface CheckTranscriptOptions {
  /** The transcript is not finished: turns, items and requests may be open at its end. @default false */
  readonly live?: boolean;
}

/**
 * Checks events as they come. Several sessions may be mixed: each session is checked alone. Of a finished item, only its ids are kept.
 * No method throws, whatever it is given.
 */
export class TranscriptChecker {
  readonly #sessions = new Map<string, SessionCheck>();
  /** The session of the last event. */
  #last: SessionCheck | undefined;
  /** An event before the first session could not be read. It may have been the start of a session. */
  #lostStart = false;
  #count = 0;

  /** Returns what is wrong with the next event. An event with a wrong shape has no effect but that its sequence is counted. */
  push(event: unknown): readonly TranscriptProblem[] {
    const index = this.#count++;
    const problems: TranscriptProblem[] = [];
    try {
      this.#check(event, index, problems);
    } catch {
      problems.push(unread(index, "The event throws when it is read.")); // only a getter or a proxy can throw
    }
    return problems;
  }

  /**
   * Returns what is still open: turns (I4), items (I8, or I5 outside of a turn) and requests (I9). Changes nothing: more events may follow.
   */
  end(): readonly TranscriptProblem[] {
    const all = [...this.#sessions.values()].flatMap((session) => session.open());
    const problems = all.map((open): TranscriptProblem => {
      const { index, event_id, name } = open;
      const message = `The ${name} is still open at the end of the transcript.`;
      return { index, event_id, invariant: leftOpen(open), message };
    });
    return problems.sort((one, other) => one.index - other.index);
  }

  #check(event: unknown, index: number, problems: TranscriptProblem[]): void {
    if (!isUniversalEvent(event)) {
      const { event_id: id } = isObject(event) ? event : {};
      const event_id = typeof id === "string" ? id : undefined;
      problems.push({ ...unread(index, `${shapeProblem(event)}.`), event_id });
      this.#skip(event);
      return;
    }
    const { event_id, session_id } = event;
    this.#session(session_id).push(event, index, (invariant, message) => {
      problems.push({ index, event_id, invariant, message });
    });
  }

  #session(id: string): SessionCheck {
    let session = this.#sessions.get(id);
    if (!session) {
      session = new SessionCheck();
      if (this.#lostStart) session.skip(undefined);
      this.#lostStart = false;
      this.#sessions.set(id, session);
    }
    this.#last = session;
    return session;
  }

  /** Counts an event of a wrong shape, so that the event behind it is not reported too. */
  #skip(event: unknown): void {
    const { session_id: id, sequence } = isObject(event) ? event : {};
    const session = typeof id === "string" ? this.#session(id) : this.#last;
    if (session)
      session.skip(typeof sequence === "number" && Number.isSafeInteger(sequence) ? sequence : undefined);
    else this.#lostStart = true;
  }
}

const OPTIONS = { live: checks.boolean } satisfies Checks<CheckTranscriptOptions>;

/**
 * Says which events of a transcript break the shape of events, the invariants I1 to I12, or the order of turns. Several sessions may be
 * mixed: each session is checked alone. The order of the problems is the order of the events.
 *
 * Never throws for what `events` is or holds. If `events` cannot be iterated, the problem has the index of the first event not read.
 *
 * @throws InvalidInputError for an option that does not exist
 */
export function checkTranscript(
  events: Iterable<unknown>,
  options?: CheckTranscriptOptions,
): readonly TranscriptProblem[] {
  checkCallOptions<CheckTranscriptOptions, typeof OPTIONS>(options, OPTIONS);
  const checker = new TranscriptChecker();
  const found: TranscriptProblem[] = [];
  let index = 0;
  try {
    if (!isIterable(events)) {
      const what = `The events are ${describe(events)}: pass an array, or another iterable, of events.`;
      return [unread(0, what)];
    }
    for (const event of events) {
      found.push(...checker.push(event));
      index++;
    }
  } catch {
    found.push(unread(index, "The events cannot be read: their iterator throws."));
  }
  const open = options?.live ? [] : checker.end();
  return [...found, ...open].sort((one, other) => one.index - other.index);
}

function unread(index: number, message: string): TranscriptProblem {
  return { index, event_id: undefined, invariant: "shape", message };
}

/** A string is no list of events, although it can be iterated. */
function isIterable(value: unknown): boolean {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}
