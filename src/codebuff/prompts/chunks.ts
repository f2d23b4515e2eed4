// Decodes streamed chunks into text.
import { Late } from "../../core/late.ts";
import type { ChunkObject } from "../messages.ts";
import type { DecodedChunk, SseDecoder } from "./sse-chunks.ts";

/** Decodes chunks of server-sent events. */
export const SSE_CODE = /* @__PURE__ */ new Late(
  "the code for server-sent events",
  () => import("./sse-chunks.ts"),
);

/**
 * The decoding of string chunks.
 *
 * - `auto`: text stays text; a chunk that consists of OpenAI server-sent events is decoded.
 * - `text`: every string is text, as the published protocol says.
 * - `openai-sse`: the strings together are one stream of server-sent events.
 */
export type ChunkDecoding = "auto" | "text" | "openai-sse";

/** Object chunks add no text: the original server sends the text twice, in strings and in objects, and the strings count. */
const NO_TEXT: DecodedChunk = { text: "" };

/** The end of Python's name for an object. The name begins with `<src.`; any text may be between. */
const REPR_END = / object at 0x[0-9a-fA-F]+>$/;

/** Whether the chunk is Python's name for an object, sent by mistake instead of the object's text. Seen in real streams. */
export const isPythonRepr = (chunk: string): boolean =>
  chunk.startsWith("<src.") && REPR_END.test(chunk.slice(-64));

/** Decodes the chunks of one prompt. */
export class ChunkDecoder {
  readonly #mode: ChunkDecoding;
  #events: SseDecoder | undefined;

  constructor(mode: ChunkDecoding) {
    this.#mode = mode;
  }

  decode(chunk: string | ChunkObject): DecodedChunk {
    if (typeof chunk !== "string") return NO_TEXT;
    return this.#decodeString(chunk);
  }

  /** The prompt is over: returns the content of an unfinished event, if there is one. */
  end(): DecodedChunk | undefined {
    return this.#events?.end();
  }

  #decodeString(chunk: string): DecodedChunk {
    if (isPythonRepr(chunk)) {
      const oddity = "a chunk that is the name of a Python object instead of text";
      return { text: this.#mode === "text" ? chunk : "", oddity };
    }
    switch (this.#mode) {
      case "text":
        return { text: chunk };
      case "auto":
        return (
          (chunk.startsWith("data: ") ? SSE_CODE.module.decodeExact(chunk) : undefined) ?? { text: chunk }
        );
      case "openai-sse":
        this.#events ??= new SSE_CODE.module.SseDecoder();
        return this.#events.decode(chunk);
    }
  }
}
