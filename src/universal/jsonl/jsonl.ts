// Writes universal events as JSONL, and reads them from complete or cut files.
import { checkCallOptions, checks, describe } from "../../core/checks.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { parseJson } from "../../core/text.ts";
import { isUniversalEvent, shapeProblem } from "../check/shape.ts";
import type { UniversalEvent } from "../events.ts";
import { DeltaLines } from "./delta-line.ts";

/**
 * Writes JSONL: one line per event, each with a line feed.
 * @throws InvalidInputError for an event without JSON, such as one with a circular `raw`
 */
export function toJsonl(events: Iterable<UniversalEvent>): string {
  let text = "";
  for (const event of events) text += `${lineOf(event)}\n`;
  return text;
}

/** @throws InvalidInputError for a value that is not an event, or has no JSON */
export function lineOf(event: UniversalEvent): string {
  const problem = shapeProblem(event);
  if (problem !== undefined)
    throw new InvalidInputError(`a value is no universal event: ${problem}.`, "Pass the events of a stream.");
  try {
    return JSON.stringify(event);
  } catch (cause) {
    const what = `event ${event.sequence} of session ${event.session_id} cannot be written as JSON.`;
    throw new InvalidInputError(what, "Leave out `raw`, or data that is nested too deeply.", { cause });
  }
}

/** What {@link readJsonl} found. */
export interface JsonlContent extends JsonlEnd {
  readonly events: readonly UniversalEvent[];
  readonly problems: readonly JsonlProblem[];
  /** Repeated or late events: see {@link JsonlReader}. */
  readonly dropped: number;
}

/** Reads a whole JSONL text with {@link JsonlReader}. Never throws because of the content of `text`. */
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
  /** Where the next line belongs; cut off the rest. In UTF-16 code units, or bytes if bytes were read. */
  readonly end: number;
  /** Write this at `end` before the next line: a line feed if the complete last line has none. */
  readonly separator: "" | "\n";
}

/** Options of {@link JsonlReader}. */
export interface JsonlReaderOptions {
  /**
   * Maximum length of an incomplete line, in UTF-16 code units or bytes. A longer line is a problem, and skipped.
   * @default 256 Mi: twice the largest message that a client receives, because `raw` may hold it
   */
  readonly maxLineLength?: number;
}

const READER_OPTIONS = { maxLineLength: checks.count };

const MAX_LINE_LENGTH = 256 * 1_024 * 1_024;
const LINE_FEED = 0x0a;

/**
 * Reads events from JSONL that arrives in chunks: texts, or UTF-8 bytes, cut anywhere.
 *
 * - A line that is not an event is a problem. The rest is still read. Blank lines are skipped. CR LF is allowed.
 * - A line that is an array holds further deltas, as `directoryStore` writes them. Each becomes an event.
 * - An event whose `sequence` is not above the last one of its session is a repetition, and dropped.
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
  /** The length of all chunks, and of the whole lines in them. */
  #total = 0;
  #end = 0;
  #decoder: InstanceType<typeof TextDecoder> | undefined;
  /** The incomplete last line. */
  #rest = "";
  /** Whether the incomplete line is too long, and not kept. */
  #isSkipping = false;

  /** @throws InvalidInputError for an unknown option or a value out of range */
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
   * Returns the events whose lines end in this chunk. Does not keep the bytes.
   * @throws InvalidInputError for a value that is neither text nor bytes, and for a mix of both
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

  /** Returns how the text ends, and an unterminated last line's event. Call it after the last `push`. */
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

/** Undefined if the line is not JSON. Ignores a byte order mark. */
function parsed(line: string): { readonly json: unknown } | undefined {
  try {
    return { json: parseJson(line.charCodeAt(0) === 0xfeff ? line.slice(1) : line, "null") };
  } catch {
    return undefined; // reported by the caller, with the number of the line
  }
}

/** Finds repeated events: a writer that does not know where it stopped starts a little earlier. */
export class Overlap {
  readonly #last = new Map<string, number>();

  /** Whether the event follows all earlier events of its session. */
  isNew({ session_id, sequence }: UniversalEvent): boolean {
    if (sequence <= (this.#last.get(session_id) ?? 0)) return false;
    this.#last.set(session_id, sequence);
    return true;
  }
}
