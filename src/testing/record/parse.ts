// Parses a recording.
import { isDict } from "../server/dict.ts";
import type { RecordedClose, RecordedMessage, RecordingLine } from "./line.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Makes an error that names the line. */
type Refuse = (problem: string) => TypeError;

/**
 * Parses a recording: one JSON object per line, as a `Recorder` writes them. Also accepts older captures: `dir: "open"`
 * or `"close"` instead of `ev`, and `frame` (a value) instead of `raw` (its text). Blank lines and comments (any other
 * `ev`) are skipped.
 *
 * @throws TypeError that names the line, if it cannot be parsed or is out of order: a message or a close of a
 * connection that is not open, or a second opening.
 */
export function parseRecording(text: string): readonly RecordingLine[] {
  return parseLines(text.split("\n"));
}

export function parseLines(texts: readonly string[]): readonly RecordingLine[] {
  const lines: RecordingLine[] = [];
  const states = new Map<number, "open" | "closed">();
  for (const [index, text] of texts.entries()) {
    if (text.trim() === "") continue;
    const refuse = (problem: string): TypeError =>
      new TypeError(`line ${index + 1} of the recording ${problem}`);
    const line = readLine(text, refuse);
    if (!line) continue;
    checkOrder(line, states.get(line.conn), refuse);
    if (line.ev) states.set(line.conn, line.ev === "open" ? "open" : "closed");
    lines.push(line);
  }
  return lines;
}

function checkOrder(line: RecordingLine, state: "open" | "closed" | undefined, refuse: Refuse): void {
  if (line.ev === "open") {
    if (state) throw refuse(`opens connection ${line.conn} a second time`);
  } else if (state !== "open") {
    throw refuse(`is of connection ${line.conn}, which ${state ? "has closed" : "has not opened"}`);
  }
}

function readLine(text: string, refuse: Refuse): RecordingLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw Object.assign(refuse("is not JSON"), { cause });
  }
  if (!isDict(value)) throw refuse("is not a JSON object");
  const { ev, dir } = value;
  const kind = ev ?? dir;
  if (kind === "open") return { ...readWhen(value, refuse), ev: "open" };
  if (kind === "close") return readClose(value, refuse);
  if (typeof ev === "string") return undefined;
  if (dir === "c2s" || dir === "s2c") return readMessage(value, dir, refuse);
  throw refuse('is none of "open", "close", "c2s" and "s2c"');
}

function readWhen(fields: Fields, refuse: Refuse): { readonly ms: number; readonly conn: number } {
  const { ms, conn } = fields;
  if (typeof ms !== "number" || ms < 0) throw refuse('has no "ms": a number of milliseconds, 0 or more');
  if (typeof conn !== "number") throw refuse('has no "conn": the number of its connection');
  return { ms, conn };
}

function readMessage(fields: Fields, dir: "c2s" | "s2c", refuse: Refuse): RecordedMessage {
  const { raw, frame, binary } = fields;
  const message = { ...readWhen(fields, refuse), dir, raw: textOf(raw, frame) };
  if (message.raw === undefined) throw refuse('has neither "raw", a string, nor "frame"');
  const { raw: text } = message;
  if (binary === undefined) return { ...message, raw: text };
  if (binary !== "utf8" && binary !== "base64") throw refuse('has a "binary" that is not "utf8" or "base64"');
  return { ...message, raw: text, binary };
}

/** A server that uses `JSON.stringify` sent exactly this text for `frame`. */
function textOf(raw: unknown, frame: unknown): string | undefined {
  if (typeof raw === "string") return raw;
  return frame === undefined ? undefined : JSON.stringify(frame);
}

/** The largest close reason in bytes. A Close frame holds no more. */
const MAX_REASON = 123;

function readClose(fields: Fields, refuse: Refuse): RecordedClose {
  const { code, reason = "", by } = fields;
  if (typeof code !== "number" || !isCloseCode(code)) throw refuse('has no "code" that ends a WebSocket');
  if (typeof reason !== "string" || Buffer.byteLength(reason) > MAX_REASON) {
    throw refuse(`has a "reason" that is not a string of up to ${MAX_REASON} bytes`);
  }
  const close: RecordedClose = { ...readWhen(fields, refuse), ev: "close", code, reason };
  if (by === undefined) return close;
  if (by !== "client" && by !== "server") throw refuse('has a "by" that is not "client" or "server"');
  return { ...close, by };
}

/** RFC 6455, section 7.4. 1004 is reserved, and 1016 to 2999 are undefined. */
function isCloseCode(code: number): boolean {
  if (!Number.isInteger(code)) return false;
  return (code >= 1000 && code <= 1015 && code !== 1004) || (code >= 3000 && code <= 4999);
}
