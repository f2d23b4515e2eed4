// Removes terminal escape sequences from streamed text.

/** Characters of the longest sequence. Links (OSC 8) hold URLs. Longer ones lose only their start. */
const LONGEST = 4_096;

/** Text of a sequence up to BEL or ST. Excludes ESC, so a match never crosses the next sequence. */
const BODY = String.raw`[^\x07\x1b\x9c]{0,${LONGEST}}`;

/** ECMA-48: CSI; OSC, DCS, SOS, PM and APC with text; short sequences. */
const SEQUENCE = new RegExp(
  String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]PX^_]${BODY}(?:\x07|\x9c|\x1b\\)|\x1b[ -/]*[0-~]`,
  "g",
);

/** An unfinished sequence at the end of a text. */
const UNFINISHED = new RegExp(
  String.raw`(?:(?:\x1b\[|\x9b)[0-?]*[ -/]*|\x1b[\]PX^_]${BODY}\x1b?|\x1b[ -/]*)$`,
);

/** Removes terminal sequences from text in pieces. Linear; holds at most one sequence. */
export class EscapeFilter {
  #held = "";

  push(piece: string): string {
    const text = this.#held + piece;
    const tail = text.slice(-LONGEST);
    const open = UNFINISHED.exec(tail)?.[0].length ?? 0;
    const end = text.length - open;
    this.#held = text.slice(end);
    return withoutSequences(open === 0 ? text : text.slice(0, end));
  }

  /** Ends the text. Returns what was held. */
  end(): string {
    const held = this.#held;
    this.#held = "";
    return withoutSequences(held);
  }
}

function withoutSequences(text: string): string {
  return text.includes("\x1b") || text.includes("\x9b") ? text.replace(SEQUENCE, "") : text;
}
