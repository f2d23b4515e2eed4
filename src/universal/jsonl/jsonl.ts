// Writes universal events as JSONL, and reads them back from whole or cut files.
import { checkCallOptions, checks, describe } from "../../core/checks.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { parseJson } from "../../core/text.ts";
import { isUniversalEvent, shapeProblem } from "../check/shape.ts";
import type { UniversalEvent } from "../events.ts";
import { DeltaLines } from "./delta-line.ts";

/**
 * JSONL: one line for each event, each with a line feed at its end.
 * @throws InvalidInputError for an event that JSON cannot hold, such as one whose `raw` refers to itself.
 */
export function toJsonl(events: Iterable<UniversalEvent>): string {
  let text = "";
  for (const event of events) text += `${lineOf(event)}\n`;
  return text;
}

/** @throws InvalidInputError for what is no event, or has no JSON */
export function lineOf(event: UniversalEvent): string {
  const problem = shapeProblem(event);
  if (problem !== undefined)
    throw new InvalidInputError(`a value is no universal event: ${problem}.`, "Pass the events of a stream.");
  try {
    return JSON.stringify(event);
  } catch (cause) {
    const what = `event ${event.sequence} of session ${event.session_id} cannot be written as JSON.`;
    throw new InvalidInputError(what, "Leave out `raw`, or what nests too deeply.", { cause });
  }
}

/** What {@link readJsonl} found. */
export interface JsonlContent extends JsonlEnd {
  readonly events: readonly UniversalEvent[];
  readonly problems: readonly JsonlProblem[];
  /** Events that came a second time, or late: see {@link JsonlReader}. */
  readonly dropped: number;
}

/** Reads the whole of a JSONL text as {@link JsonlReader} does. Never throws for the content of `text`. */
export function readJsonl(text: string): JsonlContent {
  const reader = new JsonlReader();
  const events = reader.push(text);
  const { events: last, ...how } = reader.end();
  const { problems, dropped } = reader;
  return { events: last.length === 0 ? events : [...events, ...last], problems, dropped, ...how };
}

/** A line that is no event. */
export interface JsonlProblem {
  /** The first line is 1. */
  readonly line: number;
  /** Does not quote the line. */
  readonly message: string;
}

/** How a text ends. */
export interface JsonlEnd {
  /** `false`: the last line was cut, as after a crash. It is neither an event nor a problem. */
  readonly complete: boolean;
  /**
   * Where the next line belongs: cut off what stands behind. In UTF-16 code units of a text, in bytes if bytes were read.
   */
  readonly end: number;
  /** What to write at `end` before the next line: a line feed if the last line is whole and has none. */
  readonly separator: "" | "\n";
}

/** Options of {@link JsonlReader}. */
export interface JsonlReaderOptions {
  /**
   * The most that is kept of a line whose end has not arrived, in UTF-16 code units or bytes. A longer line is a problem, and skipped.
   * @default 256 Mi: twice the largest message that a client receives, which `raw` may hold
   */
  readonly maxLineLength?: number;
}

const READER_OPTIONS = { maxLineLength: checks.count };

const MAX_LINE_LENGTH = 256 * 1_024 * 1_024;
const LINE_FEED = 0x0a;

/**
 * Reads events from JSONL that arrives in pieces: all texts, or all bytes of UTF-8, cut anywhere.
 *
 * - A line that is no event is a problem; the rest is still read. Blank lines are skipped. Lines may end with CR and LF.
 * - A line that is an array holds the deltas that follow one: `directoryStore` writes them so. Each becomes an event.
 * - An event whose `sequence` is not above the last one of its session is dropped: after a cut, a writer may have appended some events a
 *   second time.
 */
export class JsonlReader {
  readonly #maxLineLength: number;
  readonly #problems: JsonlProblem[] = [];
  readonly #overlap = new Overlap();
  readonly #deltas = new DeltaLines();
  #events: UniversalEvent[] = [];
  #dropped = 0;
  #line = 0;
  #kind: "text" | "bytes" | undefined;
  /** The length of all pieces, and of the whole lines in them. */
  #total = 0;
  #end = 0;
  #decoder: InstanceType<typeof TextDecoder> | undefined;
  /** What has arrived of the next line. */
  #rest = "";
  /** That line is too long: it is not kept. */
  #isSkipping = false;

  /** @throws InvalidInputError for an option that does not exist or is out of range. */
  constructor(options?: JsonlReaderOptions) {
    checkCallOptions<JsonlReaderOptions, typeof READER_OPTIONS>(options, READER_OPTIONS);
    this.#maxLineLength = options?.maxLineLength ?? MAX_LINE_LENGTH;
  }

  /** All problems so far. */
  get problems(): readonly JsonlProblem[] {
    return this.#problems;
  }

  /** The number of dropped events so far. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * The events whose lines end in this piece. The bytes of a piece are not kept.
   * @throws InvalidInputError for what is neither a text nor bytes, and for texts and bytes in turns.
   */
  push(piece: string | Uint8Array): readonly UniversalEvent[] {
    if (typeof piece !== "string" && !(piece instanceof Uint8Array))
      throw new InvalidInputError(`the piece is ${describe(piece)}.`, "Pass a string, or a Uint8Array.");
    const kind = typeof piece === "string" ? "text" : "bytes";
    if (this.#kind !== undefined && this.#kind !== kind)
      throw new InvalidInputError("the reader got both texts and bytes.", "Use one reader for each file.");
    this.#kind = kind;
    const text = typeof piece === "string" ? piece : this.#decode(piece);
    const cut = text.lastIndexOf("\n") + 1;
    if (cut > 0) {
      this.#lines(this.#rest + text.slice(0, cut));
      this.#rest = "";
      this.#end = this.#total + (typeof piece === "string" ? cut : piece.lastIndexOf(LINE_FEED) + 1);
    }
    this.#total += piece.length;
    this.#rest += text.slice(cut);
    if (this.#total - this.#end > this.#maxLineLength) {
      this.#isSkipping = true;
      this.#rest = "";
    }
    return this.#taken();
  }

  /** The event of a last line that is whole but for its line feed; and how the text ends. Call it once, behind the last `push`. */
  end(): JsonlEnd & { readonly events: readonly UniversalEvent[] } {
    const rest = this.#rest + (this.#decoder?.decode() ?? "");
    const isBlank = !this.#isSkipping && rest.trim() === "";
    const value = this.#isSkipping || isBlank ? undefined : parsed(rest);
    if (value === undefined) return { events: [], complete: isBlank, end: this.#end, separator: "" };
    this.#line++;
    this.#take(value.json);
    return { events: this.#taken(), complete: true, end: this.#total, separator: "\n" };
  }

  #decode(bytes: Uint8Array): string {
    this.#decoder ??= new TextDecoder();
    return this.#decoder.decode(bytes, { stream: true });
  }

  /** Reads whole lines. */
  #lines(text: string): void {
    let from = 0;
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", from)) {
      this.#line++;
      if (this.#isSkipping) this.#problem(`it is longer than ${this.#maxLineLength}`);
      else this.#readLine(text.slice(from, at));
      this.#isSkipping = false;
      from = at + 1;
    }
  }

  #readLine(line: string): void {
    if (line.trim() === "") return; // also removes a byte order mark
    const value = parsed(line);
    if (value) this.#take(value.json);
    else this.#problem("it is no JSON, or was cut");
  }

  #take(json: unknown): void {
    if (Array.isArray(json)) {
      const deltas = this.#deltas.read(json);
      if (typeof deltas === "string") this.#problem(deltas);
      else for (const event of deltas) this.#add(event);
    } else if (isUniversalEvent(json)) this.#add(json);
    else this.#problem(`it is no event: ${shapeProblem(json)}`);
  }

  #add(event: UniversalEvent): void {
    this.#deltas.note(event);
    if (this.#overlap.isNew(event)) this.#events.push(event);
    else this.#dropped++;
  }

  #problem(message: string): void {
    this.#problems.push({ line: this.#line, message });
  }

  #taken(): readonly UniversalEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}

/** `undefined` for what is no JSON. A byte order mark at the start of a file is no part of the JSON. */
function parsed(line: string): { readonly json: unknown } | undefined {
  try {
    return { json: parseJson(line.charCodeAt(0) === 0xfeff ? line.slice(1) : line, "null") };
  } catch {
    return undefined; // reported by the caller, with the number of the line
  }
}

/** Finds events that were stored a second time: a writer that is not sure where it stopped begins a little earlier. */
export class Overlap {
  /** The last sequence of each session. */
  readonly #last = new Map<string, number>();

  /** Whether the event comes behind all earlier ones of its session. */
  isNew({ session_id, sequence }: UniversalEvent): boolean {
    if (sequence <= (this.#last.get(session_id) ?? 0)) return false;
    this.#last.set(session_id, sequence);
    return true;
  }
}
