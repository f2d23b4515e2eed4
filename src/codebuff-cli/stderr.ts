// Keeps the first and last lines of the error output, in bounded memory.
import { stripVTControlCharacters } from "node:util";
import { LineSplitter } from "../process/lines.ts";
import type { CodebuffCliStderr } from "./errors.ts";

/** Kept first lines, where a program names missing requirements. */
const HEAD = 20;

/** Kept last lines, where a program gives the reason of its failure. */
const TAIL = 50;

/** Characters of a kept line. */
const LINE = 2_000;

/** Bytes of a line. A longer line is noise. */
const MAX_LINE_BYTES = 65_536;

export class StderrKeeper {
  readonly #redact: (text: string) => string;
  readonly #lines = new LineSplitter(MAX_LINE_BYTES);
  readonly #head: string[] = [];
  readonly #tail: string[] = [];
  #total = 0;
  #isCut = false;

  constructor(redact: (text: string) => string) {
    this.#redact = redact;
  }

  /** The lines that end in this chunk, without escape sequences and credentials. */
  push(piece: Uint8Array): readonly string[] {
    return [...this.#lines.push(piece)].map((line) => this.#add(line));
  }

  end(): readonly string[] {
    const line = this.#lines.end();
    return line === undefined ? [] : [this.#add(line)];
  }

  get kept(): CodebuffCliStderr {
    const head = [...this.#head];
    const tail = [...this.#tail];
    const isWhole = this.#total === head.length + tail.length;
    return { head, tail, truncated: this.#isCut || !isWhole, totalLines: this.#total };
  }

  #add(line: string | { readonly skipped: number }): string {
    const text =
      typeof line === "string"
        ? this.#redact(stripVTControlCharacters(line))
        : `(a line of ${line.skipped} bytes)`;
    if (typeof line !== "string" || text.length > LINE) this.#isCut = true;
    const short = text.slice(0, LINE);
    if (this.#head.length < HEAD) this.#head.push(short);
    else this.#tail.push(short);
    if (this.#tail.length > TAIL) this.#tail.shift(); // cheap: 50 elements
    this.#total++;
    return text;
  }
}
