// `checkTranscript`: finds events that break a shape, an invariant or the order of turns.
import { type Checks, checkCallOptions, checks, describe, fieldsOf } from "../../core/checks.ts";
import { type Invariant, leftOpen, SessionCheck } from "./session-check.ts";
import { isUniversalEvent, shapeProblem } from "./shape.ts";

/** A problem of one event of a transcript. */
export interface TranscriptProblem {
  /** The event's index, from 0. If something stays open: the index of the event that opened it. */
  readonly index: number;
  /** The id of the event, if it has one. */
  readonly event_id: string | undefined;
  /** The broken rule: an event's `shape`, an invariant (`I1` to `I12`), or the order of turns (`grammar`). */
  readonly invariant: Invariant;
  readonly message: string;
}

export interface CheckTranscriptOptions {
  /** The transcript is unfinished: turns, items and requests may be open at its end. @default false */
  readonly live?: boolean;
}

/**
 * Checks events one by one. Several sessions may be mixed; each is checked separately. Of finished items, only the ids
 * are kept. No method throws, whatever its input.
 */
export class TranscriptChecker {
  readonly #sessions = new Map<string, SessionCheck>();
  #last: SessionCheck | undefined;
  /** An event before the first session was unreadable. It may have been the start of a session. */
  #lostStart = false;
  #count = 0;

  /** Returns the problems of the next event. An event of a wrong shape only counts for the sequence. */
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

  /** Returns open turns (I4), items (I8; I5 outside of a turn) and requests (I9). More events may follow. */
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
      const { event_id: id } = fieldsOf(event);
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

  /** Counts an event of a wrong shape, so that the next event is not reported too. */
  #skip(event: unknown): void {
    const { session_id: id, sequence } = fieldsOf(event);
    const session = typeof id === "string" ? this.#session(id) : this.#last;
    if (session)
      session.skip(typeof sequence === "number" && Number.isSafeInteger(sequence) ? sequence : undefined);
    else this.#lostStart = true;
  }
}

const OPTIONS = { live: checks.boolean } satisfies Checks<CheckTranscriptOptions>;

/**
 * Finds the events that break the shape of events, the invariants I1 to I12, or the order of turns. Several sessions
 * may be mixed; each is checked separately. The problems are in the order of the events. Never throws because of
 * `events`. If `events` cannot be iterated, the problem has the index of the first unread event.
 * @throws InvalidInputError for an unknown option
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

/** A string can be iterated, but is no list of events. */
function isIterable(value: unknown): boolean {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}
