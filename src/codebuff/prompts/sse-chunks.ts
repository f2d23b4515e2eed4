// Decodes chunks that hold server-sent events of a chat completion.
import { isObject } from "../../core/checks.ts";
import { parseJson } from "../../core/text.ts";
import { SseTextReader } from "./sse.ts";

/** An error that an upstream model API reported inside the stream. */
export interface StreamError {
  readonly message: string;
  readonly kind: string;
  readonly status?: number;
  readonly retryable: boolean;
}

export interface DecodedChunk {
  readonly text: string;
  /** The parsed objects of a decoded server-sent event chunk. */
  readonly parsed?: readonly unknown[];
  readonly error?: StreamError;
  /** A problem with the chunk. */
  readonly oddity?: string;
}

const DONE = "[DONE]";

/** Decodes the chunks of one prompt, which together are one stream of events. */
export class SseDecoder {
  readonly #reader = new SseTextReader(
    (data) => this.#payloads.push(data),
    (line) => this.#stray.push(line),
  );
  #payloads: string[] = [];
  #stray: string[] = [];

  decode(chunk: string): DecodedChunk {
    this.#reader.feed(chunk);
    return this.#takeEvents();
  }

  /** The content of an unfinished event, if there is one. */
  end(): DecodedChunk | undefined {
    this.#reader.end();
    return this.#payloads.length + this.#stray.length === 0 ? undefined : this.#takeEvents();
  }

  #takeEvents(): DecodedChunk {
    const payloads = this.#payloads;
    const stray = this.#stray;
    this.#payloads = [];
    this.#stray = [];
    const decoded = readPayloads(payloads);
    const oddities = [
      ...decoded.oddities,
      ...(stray.length > 0 ? ["text outside of server-sent events"] : []),
    ];
    return summary(decoded, oddities[0]);
  }
}

/**
 * The data of each event, if the whole `chunk` consists of `data: ` lines that are each followed by a blank line; otherwise `undefined`.
 * The published proxy's connector sends this form.
 */
export function exactSse(chunk: string): readonly string[] | undefined {
  if (!chunk.startsWith("data: ") || !chunk.endsWith("\n\n")) return undefined;
  const events = chunk.slice(0, -2).split("\n\n");
  if (!events.every((event) => event.startsWith("data: ") && !event.includes("\n"))) return undefined;
  return events.map((event) => event.slice(6));
}

/** Decodes a chunk that consists of server-sent events of a chat completion; `undefined` for any other chunk. */
export function decodeExact(chunk: string): DecodedChunk | undefined {
  const payloads = exactSse(chunk);
  if (!payloads) return undefined;
  const decoded = readPayloads(payloads);
  const all = decoded.oddities.length === 0 && decoded.parsed.every(isCompletionChunk);
  return all ? summary(decoded) : undefined;
}

function isCompletionChunk(payload: unknown): boolean {
  return isObject(payload) && payload["object"] === "chat.completion.chunk";
}

interface Payloads {
  readonly text: string;
  readonly parsed: readonly unknown[];
  readonly error: StreamError | undefined;
  readonly oddities: readonly string[];
}

function readPayloads(payloads: readonly string[]): Payloads {
  const parsed: unknown[] = [];
  const oddities: string[] = [];
  let text = "";
  let error: StreamError | undefined;
  for (const payload of payloads) {
    if (payload.trim() === DONE) continue; // `[DONE]` may repeat, and may come before an error or without one
    let value: unknown;
    try {
      value = parseJson(payload);
    } catch {
      oddities.push("a server-sent event that is not JSON");
      continue;
    }
    parsed.push(value);
    text += deltaText(value);
    error ??= errorOf(value);
  }
  return { text, parsed, error, oddities };
}

function summary(payloads: Payloads, oddity?: string): DecodedChunk {
  const { text, parsed, error } = payloads;
  return { text, parsed, ...(error ? { error } : {}), ...(oddity === undefined ? {} : { oddity }) };
}

function deltaText(value: unknown): string {
  if (!isObject(value) || !Array.isArray(value["choices"])) return "";
  const choice: unknown = value["choices"][0];
  const delta = isObject(choice) ? choice["delta"] : undefined;
  const content = isObject(delta) ? delta["content"] : undefined;
  return typeof content === "string" ? content : "";
}

/** The `error` object of a payload or of its first choice. */
function errorOf(value: unknown): StreamError | undefined {
  if (!isObject(value)) return undefined;
  const choices: unknown = value["choices"];
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const error = isObject(value["error"]) ? value["error"] : isObject(choice) ? choice["error"] : undefined;
  if (!isObject(error)) return undefined;
  const { message, type, status_code: status, retryable } = error;
  return {
    message: typeof message === "string" ? message : "the model API reported an error",
    kind: typeof type === "string" ? type : "error",
    ...(typeof status === "number" ? { status } : {}),
    retryable: retryable === true,
  };
}
