// Makes the text of an agent safe to print on a terminal.
import { checkCallOptions, checks, describe } from "../../core/checks.ts";
import { InvalidInputError } from "../../core/errors.ts";
import {
  isInvisible,
  isJoinerOrSelector,
  isMark,
  type Left,
  leftOf,
  staysAfter,
  staysBefore,
} from "./invisible.ts";

/** Options of {@link inert}. */
export interface InertOptions {
  /** `false`: a line break becomes a space, for text in one line. @default true */
  readonly keepNewlines?: boolean;
  /** `false`: a tab becomes a space. @default true */
  readonly keepTabs?: boolean;
}

/** Makes text safe to print, chunk by chunk. */
export interface InertStream {
  /** Returns the next chunk, made safe. At most one character is held back until the next call. */
  push(delta: string): string;
  /** Returns the character that was held back, and resets the stream. */
  end(): string;
}

/**
 * The longest escape sequence, in UTF-16 code units. The rest of a longer one counts as text, so that a sequence
 * without an end cannot swallow the answer. Terminals accept hyperlinks of 2,083 bytes.
 */
export const MAX_SEQUENCE_LENGTH = 4_096;

/** The limit of combining marks on a character: more would paint over lines. Hebrew has 5, Tibetan 7. */
export const MAX_COMBINING_MARKS = 8;

const INERT_OPTIONS = { keepNewlines: checks.boolean, keepTabs: checks.boolean };

/**
 * Makes text of an agent safe to print on a terminal. Removes escape sequences, control characters, bidirectional
 * controls and invisible characters. Keeps the joiners and selectors that emoji, Persian and Indic scripts need. All
 * kinds of line breaks become `\n`. A lone surrogate becomes U+FFFD.
 *
 * A second call changes nothing. For the deltas of a stream use {@link createInert}, because a sequence may be split
 * between two deltas.
 *
 * The result hides what was removed. Do not judge a command by it: use {@link reveal}.
 *
 * @throws InvalidInputError if `text` is no string, or for an unknown option
 */
export function inert(text: string, options?: InertOptions): string {
  const stream = createInert(options);
  return stream.push(text) + stream.end();
}

/**
 * {@link inert} for text that arrives in chunks. The joined results equal the result for the whole text.
 * @throws InvalidInputError for an unknown option
 */
export function createInert(options?: InertOptions): InertStream {
  checkCallOptions<InertOptions, typeof INERT_OPTIONS>(options, INERT_OPTIONS);
  const { keepNewlines = true, keepTabs = true } = options ?? {};
  return new Inert(keepNewlines ? "\n" : " ", keepTabs ? "\t" : " ");
}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const LINE_SEPARATOR = 0x2028;
const PARAGRAPH_SEPARATOR = 0x2029;
const REPLACEMENT = 0xfffd;

/** Reads each code unit once, with constant state: the work is linear, and splits change nothing. */
class Inert implements InertStream {
  readonly #newline: string;
  readonly #tab: string;
  #sequence: SequenceState | undefined;
  /** Code units of the open sequence so far. */
  #length = 0;
  /** A high surrogate that waits for its low surrogate, or 0. */
  #high = 0;
  /** Whether the last character was a carriage return, which joins a following line feed. */
  #returned = false;
  #left: Left = "other";
  /** A joiner or selector that waits for the next character, or 0. */
  #waiting = 0;
  /** Combining marks since the last base character. */
  #marks = 0;
  #out = "";

  constructor(newline: string, tab: string) {
    this.#newline = newline;
    this.#tab = tab;
  }

  push(delta: string): string {
    if (typeof delta !== "string")
      throw new InvalidInputError(`the text is ${describe(delta)}.`, "Pass a string.");
    for (let at = 0; at < delta.length; at++) {
      const plain = this.#sequence === undefined && this.#high === 0 ? endOfPlain(delta, at) : at;
      if (plain > at) this.#keep(delta.charCodeAt(at), delta.slice(at, plain), delta.charCodeAt(plain - 1));
      at = plain;
      if (at < delta.length) this.#unit(delta.charCodeAt(at));
    }
    return this.#taken();
  }

  end(): string {
    this.#endHigh();
    this.#sequence = undefined;
    this.#waiting = 0;
    this.#left = "other";
    this.#marks = 0;
    this.#returned = false;
    return this.#taken();
  }

  #taken(): string {
    const out = this.#out;
    this.#out = "";
    return out;
  }

  #unit(unit: number): void {
    if (this.#high !== 0 && unit >= 0xdc00 && unit <= 0xdfff) {
      const point = (this.#high - 0xd800) * 0x400 + (unit - 0xdc00) + 0x10000;
      this.#high = 0;
      this.#character(point);
      return;
    }
    this.#endHigh();
    if (this.#isInSequence(unit)) return;
    if (unit >= 0xd800 && unit <= 0xdbff) this.#high = unit;
    else if (unit >= 0xdc00 && unit <= 0xdfff) this.#character(REPLACEMENT);
    else this.#character(unit);
  }

  #endHigh(): void {
    if (this.#high !== 0) this.#character(REPLACEMENT);
    this.#high = 0;
  }

  #isInSequence(unit: number): boolean {
    const state = this.#sequence;
    if (state !== undefined && ++this.#length > MAX_SEQUENCE_LENGTH) {
      this.#sequence = undefined;
      return this.#isInSequence(unit);
    }
    const step = sequenceStep(state, unit);
    this.#sequence = step === "ended" || step === "outside" ? undefined : step;
    if (this.#sequence === undefined) return step === "ended";
    if (state === undefined || this.#sequence === "escape") this.#length = 1;
    if (isObeyedInside(this.#sequence, unit)) this.#control(unit);
    return true;
  }

  #character(point: number): void {
    if (point < 0x20 || point === 0x7f) this.#control(point);
    else if (point === LINE_SEPARATOR || point === PARAGRAPH_SEPARATOR) this.#keep(LINE_FEED, this.#newline);
    else if (isInvisible(point)) return;
    else if (isJoinerOrSelector(point)) this.#joiner(point);
    else if (!isMark(point)) this.#keep(point, String.fromCodePoint(point));
    else if (this.#marks < MAX_COMBINING_MARKS) this.#mark(point);
  }

  #control(unit: number): void {
    if (unit === TAB) this.#keep(unit, this.#tab);
    if (unit === LINE_FEED && this.#returned) this.#returned = false;
    else if (unit === LINE_FEED) this.#keep(unit, this.#newline);
    if (unit !== RETURN) return;
    this.#keep(LINE_FEED, this.#newline);
    this.#returned = true;
  }

  #joiner(point: number): void {
    if (this.#waiting !== 0) return;
    const stays = staysAfter(point, this.#left);
    if (stays === undefined) this.#waiting = point;
    if (!stays) return;
    this.#out += String.fromCodePoint(point);
    this.#left = leftOf(point, this.#left);
  }

  #mark(point: number): void {
    const marks = this.#marks + 1;
    this.#keep(point, String.fromCodePoint(point));
    this.#marks = marks;
  }

  /** @param last the last character of `text`, if `text` is longer than `point` */
  #keep(point: number, text: string, last = point): void {
    this.#settle(point);
    this.#out += text;
    this.#left = leftOf(last, this.#left);
    this.#marks = 0;
    this.#returned = false;
  }

  /** Keeps or drops the waiting joiner, now that the next character is known. */
  #settle(next: number): void {
    if (this.#waiting !== 0 && staysBefore(next, this.#left))
      this.#out += String.fromCodePoint(this.#waiting);
    this.#waiting = 0;
  }
}

/** The end of the printable ASCII text that begins at `at`. */
function endOfPlain(text: string, at: number): number {
  let end = at;
  for (; end < text.length; end++) {
    const unit = text.charCodeAt(end);
    if (unit < 0x20 || unit > 0x7e) break;
  }
  return end;
}

/**
 * A state machine for terminal escape sequences, over UTF-16 code units, after ECMA-48 and the VT500 parser.
 *
 * - `escape`: after ESC. `intermediate`: after ESC and a byte such as `(` or `#`.
 * - `csi`: ESC [, colours and cursor moves.
 * - `osc`: ESC ], titles, hyperlinks, the clipboard. Ends with BEL or ST.
 * - `string`: DCS, SOS, PM and APC. Ends with ST.
 */
type SequenceState = "escape" | "intermediate" | "csi" | "osc" | "string";

/** `ended`: the unit was the last of its sequence. `outside`: the unit belongs to no sequence. */
type SequenceStep = SequenceState | "ended" | "outside";

const BEL = 0x07;
const CANCEL = 0x18;
const SUBSTITUTE = 0x1a;
const ESCAPE = 0x1b;
const DELETE = 0x7f;

/** The second character of a sequence that has more than two. */
const OPENERS: ReadonlyMap<number, SequenceState> = new Map([
  [0x5b, "csi"], // [
  [0x5d, "osc"], // ]
  [0x50, "string"], // P: DCS
  [0x58, "string"], // X: SOS
  [0x5e, "string"], // ^: PM
  [0x5f, "string"], // _: APC
]);

/** @param state `undefined`: no sequence is open */
function sequenceStep(state: SequenceState | undefined, unit: number): SequenceStep {
  if (unit === ESCAPE) return "escape";
  if (unit >= 0x80 && unit <= 0x9f) return OPENERS.get(unit - 0x40) ?? "ended"; // C1: one unit for ESC and a letter
  if (state === undefined) return "outside";
  if (unit === CANCEL || unit === SUBSTITUTE) return "ended";
  switch (state) {
    case "osc":
      return unit === BEL ? "ended" : state;
    case "string":
      return state;
    case "csi":
    case "escape":
    case "intermediate": {
      const [next, last] = state === "csi" ? (["csi", 0x3f] as const) : (["intermediate", 0x2f] as const);
      if (unit < 0x20 || unit === DELETE) return state;
      if (unit <= last) return next;
      if (unit > 0x7e) return "outside";
      return state === "escape" ? (OPENERS.get(unit) ?? "ended") : "ended";
    }
  }
}

/** Whether a terminal executes this control character inside a sequence, and continues the sequence. */
function isObeyedInside(state: SequenceState, unit: number): boolean {
  return unit < 0x20 && state !== "osc" && state !== "string";
}
