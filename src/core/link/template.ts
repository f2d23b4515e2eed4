// Reads frames that differ from an earlier frame only in a few strings, without parsing their other parts.
import { fieldsOf } from "../checks.ts";
import { endOfString } from "../text.ts";

/** The strings in which a frame differs from others of its kind, such as an id and a text, and a copy of the frame with others. */
export interface Hot {
  /** Each is a member of the frame, or of an object in it. */
  readonly strings: readonly string[];
  /** A copy of the frame with other strings, in the same order. */
  withStrings(strings: readonly string[]): unknown;
}

/** A kind of frequent frames. Returns the strings of a parsed frame of this kind, otherwise undefined. */
export type HotKind = (frame: unknown) => Hot | undefined;

/** The longest frame that becomes a template, in characters. Frames of deltas are far shorter. */
const MAX_LEARNED = 16_384;

/** The templates of one connection. A server has few kinds of deltas, each once per agent. */
const MAX_TEMPLATES = 8;

/** How many templates may be made without a use. Each {@link USES} uses allow one more. So frames that never repeat cost little. */
const MAX_CREDIT = 32;
const USES = 16;

/**
 * The templates of one connection. A template is a parsed frame without its hot strings. In a later frame with the same
 * text around its strings, only the strings are parsed. Every other frame is parsed whole.
 */
export class Templates {
  readonly #kinds: readonly HotKind[];
  readonly #templates: Template[] = [];
  /** The template of the last frame, which is tried first. */
  #last: Template | undefined;
  #credit = MAX_CREDIT;

  constructor(kinds: readonly HotKind[]) {
    this.#kinds = kinds;
  }

  /** A new value, equal to the parsed frame. Undefined if no template fits. */
  read(frame: string): unknown {
    let value = this.#last?.read(frame);
    for (let at = 0; value === undefined && at < this.#templates.length; at++) {
      const template = this.#templates[at];
      if (template === this.#last) continue;
      value = template?.read(frame);
      if (value !== undefined) this.#last = template;
    }
    if (value !== undefined && this.#credit < MAX_CREDIT) this.#credit += 1 / USES;
    return value;
  }

  /** Makes a template of a parsed frame, if the frame is of a hot kind. `value` may change later. */
  learn(frame: string, value: unknown): void {
    if (this.#credit < 1 || frame.length > MAX_LEARNED) return;
    for (const kind of this.#kinds) {
      const hot = kind(value);
      if (!hot) continue;
      this.#credit--;
      const copy = hot.withStrings(hot.strings);
      const model = sharesObjects(copy, value) ? undefined : kind(copy);
      const template = model && templateOf(frame, model);
      if (!template) return;
      if (this.#templates.length === MAX_TEMPLATES) this.#templates.splice(0, 1);
      this.#templates.push(template);
      this.#last = template;
      return;
    }
  }
}

/**
 * A template of `frame`. Undefined unless each of its hot strings has exactly one literal: then that literal alone decides
 * the string.
 */
function templateOf(frame: string, model: Hot): Template | undefined {
  const { strings } = model;
  const holes: Hole[] = [];
  let end = 0;
  for (let start = frame.indexOf('"'), from = 0; start !== -1; start = frame.indexOf('"', from)) {
    from = endOfString(frame, start) + 1;
    const index = strings.indexOf(JSON.parse(frame.slice(start, from)));
    if (index === -1) continue;
    holes.push({ index, before: frame.slice(end, start + 1) });
    end = from - 1;
  }
  const isOneEach = new Set(holes.map(({ index }) => index)).size === strings.length;
  return isOneEach && holes.length === strings.length
    ? new Template(model, holes, frame.slice(end))
    : undefined;
}

/** Whether an object or array is part of both values. Frames made from one would share it. */
function sharesObjects(copy: unknown, value: unknown): boolean {
  if (typeof copy !== "object" || copy === null) return false;
  if (copy === value) return true;
  const others = fieldsOf(value);
  return Object.entries(copy).some(([name, inner]) => sharesObjects(inner, others[name]));
}

/** A hot string of a template. */
interface Hole {
  /** Its index among the strings of the kind. */
  readonly index: number;
  /** The text before its opening quote, and the quote. Begins where the previous string ends. */
  readonly before: string;
}

class Template {
  readonly #model: Hot;
  readonly #holes: readonly Hole[];
  /** The text behind the last string. */
  readonly #rest: string;
  readonly #strings: string[];
  /** The text of an earlier frame before its last string. Most frames repeat it, ids included. */
  #head = "";

  constructor(model: Hot, holes: readonly Hole[], rest: string) {
    this.#model = model;
    this.#holes = holes;
    this.#rest = rest;
    this.#strings = holes.map(() => "");
  }

  read(frame: string): unknown {
    const rest = this.#rest;
    const end = frame.length - rest.length;
    // By code, because a slice is an object more for each frame.
    for (let at = 0; at < rest.length; at++)
      if (frame.charCodeAt(end + at) !== rest.charCodeAt(at)) return undefined;
    const { length } = this.#head;
    const isRepeated = length > 0 && frame.slice(0, length) === this.#head;
    if (!isRepeated && !this.#readHead(frame)) return undefined;
    if (!this.#readString(frame, this.#head.length, end, this.#holes.length - 1)) return undefined;
    return this.#model.withStrings(this.#strings);
  }

  #readHead(frame: string): boolean {
    this.#head = "";
    let at = 0;
    for (let hole = 0; hole < this.#holes.length; hole++) {
      const { before = "" } = this.#holes[hole] ?? {};
      const start = at + before.length;
      if (frame.slice(at, start) !== before) return false;
      if (hole === this.#holes.length - 1) {
        this.#head = frame.slice(0, start);
        break;
      }
      at = frame.indexOf('"', start);
      if (!this.#readString(frame, start, at, hole)) return false;
    }
    return true;
  }

  /** Reads the string of a hole. Its quotes would be before `start` and at `end`. */
  #readString(frame: string, start: number, end: number, hole: number): boolean {
    const quote = frame.indexOf('"', start);
    // Without this check, a frame with more members would cost an exception.
    if (quote !== end && frame[quote - 1] !== "\\") return false;
    try {
      this.#strings[this.#holes[hole]?.index ?? 0] = JSON.parse(frame.slice(start - 1, end + 1));
      return true;
    } catch {
      return false; // not one literal: the parser reads the frame, or refuses it
    }
  }
}
