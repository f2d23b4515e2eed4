// The result of a search as text, like ripgrep with headings.
import { wholeStart } from "../../../core/text.ts";
import type { LineRange } from "./hits.ts";

/** Matches per search. */
export const MAX_MATCHES = 250;
/** Characters of `stdout`. */
export const MAX_SEARCH_OUTPUT = 20_000;

export interface ReportOptions {
  readonly maxPerFile: number;
  /** Context lines. */
  readonly before: number;
  readonly after: number;
  /** The agent's limit per file. Files that reach this limit are named. */
  readonly maxResults: number;
}

/** The report for the agent, as ripgrep prints it: `n:` is a match, `n-` is context. */
export class SearchReport {
  readonly #options: ReportOptions;
  #text = "";
  matches = 0;
  readonly #cut: string[] = [];

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.matches >= MAX_MATCHES || this.#text.length >= MAX_SEARCH_OUTPUT;
  }

  /** Shows nothing if the file has changed since the match. */
  add(path: string, text: string, ranges: readonly LineRange[]): void {
    const { maxPerFile, maxResults, before, after } = this.#options;
    const shown = ranges.slice(0, Math.min(maxPerFile, MAX_MATCHES - this.matches));
    const lines = new Lines(text);
    const heading = `${this.#text === "" ? "" : "\n\n"}${path}:`;
    let body = "";
    let matches = 0;
    let next = 1;
    for (const [n, { first, last }] of shown.entries()) {
      const from = Math.max(next, first - before);
      const until = Math.min(last + after, (shown[n + 1]?.first ?? Infinity) - 1);
      let part = before + after > 0 && matches > 0 && from > next ? "\n--" : "";
      for (next = from; next <= until && lines.has(next) && part.length < MAX_SEARCH_OUTPUT; next++)
        part += `\n${next}${next >= first && next <= last ? ":" : "-"}${lines.at(next)}`;
      if (next <= first) break; // the file got shorter, or the report is full
      body += part;
      matches++;
      if (this.#text.length + heading.length + body.length >= MAX_SEARCH_OUTPUT) break;
    }
    if (matches === 0) return;
    this.#text += heading + body;
    this.matches += matches;
    if (matches >= maxResults) this.#cut.push(path);
  }

  whole(): string {
    if (this.#text === "") return "No results";
    if (this.#cut.length === 0) return shorten(this.#text);
    const { maxResults } = this.#options;
    const files = this.#cut.map((path) => `${path}: limited to ${maxResults} results per file`);
    return shorten(
      `${this.#text}\n\n[Results limited to ${maxResults} per file. Truncated files:\n${files.join("\n")}]`,
    );
  }

  /** The report of a search that stopped because the report was full. */
  stopped(): string {
    const limit =
      this.matches >= MAX_MATCHES
        ? `Global limit of ${MAX_MATCHES} results reached.`
        : "Output size limit reached.";
    return `${shorten(this.#text)}\n\n[${limit}]`;
  }

  /** The start of the report, after a timeout. */
  head(length: number): string {
    return shorten(this.#text, length);
  }
}

function shorten(text: string, length = MAX_SEARCH_OUTPUT): string {
  if (text.length <= length) return text;
  return `${wholeStart(text, length)}\n\n[Output truncated]`;
}

/** Reads the lines of a text in ascending order. Linear. */
class Lines {
  readonly #text: string;
  #number = 1;
  #from = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Whether the line exists. Numbers must not decrease between calls. */
  has(number: number): boolean {
    while (this.#number < number) {
      const feed = this.#text.indexOf("\n", this.#from);
      if (feed < 0) return false;
      this.#from = feed + 1;
      this.#number++;
    }
    return this.#from < this.#text.length;
  }

  at(number: number): string {
    if (!this.has(number)) return "";
    const feed = this.#text.indexOf("\n", this.#from);
    const to = feed < 0 ? this.#text.length : feed;
    const line = this.#text.slice(this.#from, Math.min(to, this.#from + MAX_SEARCH_OUTPUT));
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  }
}
