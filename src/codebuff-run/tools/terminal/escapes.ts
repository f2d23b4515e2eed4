// Takes escape sequences of terminals out of streamed text.

/** Characters of the longest sequence. Links (OSC 8) have an address inside. A longer one loses only its first two characters. */
const LONGEST = 4_096;

/** The text of a sequence that ends with BEL or ST. It has no ESC, so that a search never passes the start of the next sequence. */
const BODY = String.raw`[^\x07\x1b\x9c]{0,${LONGEST}}`;

/** ECMA-48: CSI with parameters; OSC, DCS, SOS, PM and APC with their text; the short ones. */
const SEQUENCE = new RegExp(
  String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]PX^_]${BODY}(?:\x07|\x9c|\x1b\\)|\x1b[ -/]*[0-~]`,
  "g",
);

/** The start of a sequence at the end of a text. */
const UNFINISHED = new RegExp(
  String.raw`(?:(?:\x1b\[|\x9b)[0-?]*[ -/]*|\x1b[\]PX^_]${BODY}\x1b?|\x1b[ -/]*)$`,
);

/** Removes colours and other sequences for terminals from a text that arrives in pieces. Linear, and keeps at most one sequence. */
export class EscapeFilter {
  /** The start of a sequence whose rest has not arrived. */
  #held = "";

  push(piece: string): string {
    const text = this.#held + piece;
    const tail = text.slice(-LONGEST);
    const open = UNFINISHED.exec(tail)?.[0].length ?? 0;
    const end = text.length - open;
    this.#held = text.slice(end);
    return withoutSequences(open === 0 ? text : text.slice(0, end));
  }

  /** The end of the text: what has begun is no sequence, but for its first characters. */
  end(): string {
    const held = this.#held;
    this.#held = "";
    return withoutSequences(held);
  }
}

function withoutSequences(text: string): string {
  return text.includes("\x1b") || text.includes("\x9b") ? text.replace(SEQUENCE, "") : text;
}
