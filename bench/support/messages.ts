import type { RawData } from "ws";

/** A chunk frame, as far as those who check nothing look at it. */
export interface PlainFrame {
  readonly data: { readonly chunk: string };
}

/** Any frame of an answer. */
interface PlainAnswer {
  readonly data?: { readonly type: string; readonly chunk?: string | object };
}

/** What `graphql-ws` yields for one chunk. */
export interface ChunkData extends Record<string, unknown> {
  readonly chunk: string;
}

/** A piece of text of Codey's. */
export interface PlainDelta {
  readonly content: string;
}

/** What of Cass's frames is needed to go from one turn to the next. */
export interface PlainReply {
  readonly type: string;
  readonly text?: string;
}

/** An event that a program prints. */
export interface PlainLine {
  readonly type: string;
  readonly text: string;
}

/** How a program reads frames that has nothing but `ws`: unchecked. */
export function parsePlain(data: RawData | string): PlainFrame {
  return JSON.parse(data.toString());
}

/** The same for all frames of an answer. */
export function parseAnswer(data: RawData): PlainAnswer {
  return JSON.parse(data.toString());
}

/** The text of a chunk that may be an object. */
export function textIn(chunk: string | object): string {
  if (typeof chunk === "string") return chunk;
  return "text" in chunk && typeof chunk.text === "string" ? chunk.text : "";
}

/** The same for Codey's frames. */
export function parsePlainCodey(data: RawData | string): PlainDelta {
  return JSON.parse(data.toString());
}

/** The same for Cass's frames. */
export function parsePlainCass(data: RawData | string): PlainReply {
  return JSON.parse(data.toString());
}

/** The same for a line of a program's output. */
export function parsePlainLine(line: string): PlainLine {
  return JSON.parse(line);
}

/** A chunk of a model's answer. */
export interface PlainChatChunk {
  readonly choices: readonly { readonly delta: { readonly content: string } }[];
}

/** The same for a chunk of a model's answer. */
export function parsePlainChat(data: string): PlainChatChunk {
  return JSON.parse(data);
}
