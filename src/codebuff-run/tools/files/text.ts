// Converts a file's bytes to text and back. Keeps line endings and byte order mark.
import { hunksBetween } from "./diff.ts";
import { feedsIn, withLineFeeds } from "./lines.ts";

export interface FileText {
  /** The unchanged text, without byte order mark. */
  readonly raw: string;
  /** With `\n` line ends, for edits. A `\r` elsewhere stays. */
  readonly text: string;
  readonly hasMark: boolean;
  /** `mixed`: both `\n` and `\r\n` occur. */
  readonly endings: "lf" | "crlf" | "mixed";
}

const MARK = "\uFEFF";

const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const ENCODER = new TextEncoder();

/** `undefined` if the bytes are not UTF-8 or hold a NUL, as in binary files and UTF-16. */
export function readText(bytes: Uint8Array): FileText | undefined {
  if (bytes.includes(0)) return undefined;
  let decoded: string;
  try {
    decoded = DECODER.decode(bytes);
  } catch {
    return undefined; // not UTF-8
  }
  const hasMark = decoded.startsWith(MARK);
  const raw = hasMark ? decoded.slice(1) : decoded;
  const text = withLineFeeds(raw);
  const pairs = raw.length - text.length;
  if (pairs === 0) return { raw, text, hasMark, endings: "lf" };
  return { raw, text, hasMark, endings: pairs === feedsIn(text) ? "crlf" : "mixed" };
}

export const NOT_TEXT = "The file is no UTF-8 text, so it cannot be edited.";

/** Removes the agent's line endings and byte order mark: those of the file apply. */
export function textFor({ hasMark }: FileText, given: string): string {
  return withLineFeeds(hasMark && given.startsWith(MARK) ? given.slice(1) : given);
}

/** The bytes of an edited file. Unchanged lines keep their ending; new lines get the most common one. */
export function writeText(before: FileText, text: string): Uint8Array {
  const raw = withEndings(before, text);
  return ENCODER.encode(before.hasMark ? MARK + raw : raw);
}

export function newText(text: string): Uint8Array {
  return ENCODER.encode(text);
}

function withEndings(before: FileText, text: string): string {
  switch (before.endings) {
    case "lf":
      return text;
    case "crlf":
      return text.replaceAll("\n", "\r\n");
    case "mixed":
      return withMixedEndings(before, text);
  }
}

function withMixedEndings(before: FileText, text: string): string {
  const isPair = before.raw
    .split("\n")
    .slice(0, -1)
    .map((line) => line.endsWith("\r"));
  const pairs = isPair.filter(Boolean).length;
  const usual = pairs * 2 >= isPair.length;
  const lines = text.split("\n");
  let result = "";
  let at = 0;
  let old = 0;
  const put = (pair: boolean): void => {
    const line = lines[at++];
    if (line === undefined) return;
    result += at === lines.length ? line : pair ? `${line}\r\n` : `${line}\n`;
  };
  const keep = (upTo: number): void => {
    while (old < upTo) put(isPair[old++] ?? usual);
  };
  for (const hunk of hunksBetween(before.text, text)) {
    keep(hunk.oldStart - 1);
    for (const line of hunk.lines) {
      if (line.startsWith("+")) put(usual);
      else if (line.startsWith("-")) old++;
      else if (line.startsWith(" ")) keep(old + 1);
    }
  }
  while (at < lines.length) put(isPair[old++] ?? usual);
  return result;
}
