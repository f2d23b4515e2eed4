// The bytes of a file as text and back, with its line endings and byte order mark.
import { hunksBetween } from "./diff.ts";
import { feedsIn, withLineFeeds } from "./lines.ts";

/** The text of a file, and what its bytes have besides. */
export interface FileText {
  /** As it stands in the file, without the byte order mark. */
  readonly raw: string;
  /** With `\n` at the end of each line: edits work on this. A `\r` elsewhere is a character like others. */
  readonly text: string;
  readonly hasMark: boolean;
  /** `mixed`: some lines end with `\n`, some with `\r\n`. */
  readonly endings: "lf" | "crlf" | "mixed";
}

const MARK = "\uFEFF";

const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const ENCODER = new TextEncoder();

/** `undefined` for bytes that are no UTF-8, and for bytes with a NUL: they are a program, a picture or UTF-16, which no edit of a text may touch. */
export function readText(bytes: Uint8Array): FileText | undefined {
  if (bytes.includes(0)) return undefined;
  let decoded: string;
  try {
    decoded = DECODER.decode(bytes);
  } catch {
    return undefined; // no UTF-8
  }
  const hasMark = decoded.startsWith(MARK);
  const raw = hasMark ? decoded.slice(1) : decoded;
  const text = withLineFeeds(raw);
  const pairs = raw.length - text.length;
  if (pairs === 0) return { raw, text, hasMark, endings: "lf" };
  return { raw, text, hasMark, endings: pairs === feedsIn(text) ? "crlf" : "mixed" };
}

/** For a file that `readText` cannot read. */
export const NOT_TEXT = "The file is no UTF-8 text, so it cannot be edited.";

/** A text of the agent as the text of a file: its ends of lines are the file's concern, and so is a byte order mark that the file has. */
export function textFor({ hasMark }: FileText, given: string): string {
  return withLineFeeds(hasMark && given.startsWith(MARK) ? given.slice(1) : given);
}

/**
 * The bytes of a file whose text is changed. Lines that stay keep their ending, even where endings are mixed; new lines get the ending that
 * most lines have.
 * @param text with `\n` at the end of each line
 */
export function writeText(before: FileText, text: string): Uint8Array {
  const raw = withEndings(before, text);
  return ENCODER.encode(before.hasMark ? MARK + raw : raw);
}

/** The bytes of a new file: the text as it is. */
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
