// Checks a transcript of universal events line by line, as it is read.
import { jsonIn } from "../../core/text.ts";
import type { LongLine } from "../../process/lines.ts";
import { type Invariant, isUniversalEvent, TranscriptChecker } from "../../universal/index.ts";
import { DeltaLines } from "../../universal/jsonl/delta-line.ts";

/** A broken rule. `json`: the line is no JSON. `cut`: the last line is unfinished. */
export interface LineProblem {
  /** The first line is 1. If something stays open: the line that opened it. */
  readonly line: number;
  readonly rule: Invariant | "json" | "cut";
  readonly message: string;
  readonly event_id?: string;
}

/** The text is no transcript of universal events. */
export class NoTranscript extends Error {
  readonly line: number;

  constructor(line: number, reason: string) {
    super(reason);
    this.line = line;
  }
}

/** Checks lines. Keeps the ids of items, and the line of each event that opens something: the text of events is forgotten. */
export class TranscriptCheck {
  readonly #checker = new TranscriptChecker();
  readonly #deltas = new DeltaLines();
  readonly #isLive: boolean;
  /** By the index of an event that opens something. */
  readonly #opened = new Map<number, number>();
  readonly #sessions = new Set<string>();
  #line = 0;
  #events = 0;
  #problems = 0;

  /** @param isLive whether the transcript goes on behind its end */
  constructor(isLive: boolean) {
    this.#isLive = isLive;
  }

  get counts(): { readonly events: number; readonly sessions: number; readonly problems: number } {
    return { events: this.#events, sessions: this.#sessions.size, problems: this.#problems };
  }

  /** The problems of the next line. @throws NoTranscript for a first line that is no event */
  push(line: string | LongLine): readonly LineProblem[] {
    this.#line++;
    if (typeof line !== "string")
      return this.#counted([this.#problem("json", `The line has ${line.skipped} bytes, which is too long.`)]);
    if (line.trim() === "") return [];
    const json = jsonIn(line, "null");
    const reason = this.#events === 0 ? strangeness(json) : undefined;
    if (reason !== undefined) throw new NoTranscript(this.#line, reason);
    if (json === undefined) return this.#counted([this.#problem("json", "The line is no JSON.")]);
    return this.#counted(this.#lineProblems(json));
  }

  /** The problems at the end. @param last the last line, if no newline ends it @throws NoTranscript for a text without events */
  end(last: string | LongLine | undefined): readonly LineProblem[] {
    const problems: LineProblem[] = [];
    if (last !== undefined && isCut(last)) {
      this.#line++;
      if (this.#events === 0) throw new NoTranscript(this.#line, "the line is no JSON, or was cut off");
      if (!this.#isLive)
        problems.push(
          ...this.#counted([this.#problem("cut", "The last line is unfinished: its writer was stopped.")]),
        );
    } else if (last !== undefined) problems.push(...this.push(last));
    if (this.#events === 0) throw new NoTranscript(Math.max(this.#line, 1), "it has no events");
    if (this.#isLive) return problems;
    const open = this.#checker.end().map(({ index, event_id, invariant, message }): LineProblem => {
      const line = this.#opened.get(index) ?? this.#line;
      return { line, rule: invariant, message, ...(event_id === undefined ? {} : { event_id }) };
    });
    return [...problems, ...this.#counted(open)];
  }

  #lineProblems(json: unknown): readonly LineProblem[] {
    if (!Array.isArray(json)) return this.#eventProblems(json);
    const deltas = this.#deltas.read(json);
    if (typeof deltas === "string") return [this.#problem("shape", `The line is an array: ${deltas}.`)];
    return deltas.flatMap((event) => this.#eventProblems(event));
  }

  #eventProblems(json: unknown): readonly LineProblem[] {
    const index = this.#events++;
    if (isUniversalEvent(json)) {
      this.#deltas.note(json);
      this.#sessions.add(json.session_id);
      if (/\.(?:started|requested)$/.test(json.type)) this.#opened.set(index, this.#line);
    }
    return this.#checker.push(json).map(({ invariant, message, event_id }) => ({
      ...this.#problem(invariant, message),
      ...(event_id === undefined ? {} : { event_id }),
    }));
  }

  #problem(rule: LineProblem["rule"], message: string): LineProblem {
    return { line: this.#line, rule, message };
  }

  #counted(problems: readonly LineProblem[]): readonly LineProblem[] {
    this.#problems += problems.length;
    return problems;
  }
}

/** Whether a line without a newline is unfinished. */
function isCut(line: string | LongLine): boolean {
  return typeof line !== "string" || (line.trim() !== "" && jsonIn(line, "null") === undefined);
}

/** Why a value is not even a damaged event. */
function strangeness(json: unknown): string | undefined {
  if (json === undefined) return "the line is no JSON";
  if (typeof json !== "object" || json === null) return "the line is no object";
  if (Array.isArray(json)) return "the line is an array, and no event stands before it";
  if ("conn" in json && ("ev" in json || "dir" in json))
    return "the file is a recording of a wire, which `agentwire mock --script` plays";
  if ("type" in json && ("sequence" in json || "session_id" in json || "event_id" in json)) return undefined;
  return "the line is no universal event: it has no `type` and no `sequence`";
}
