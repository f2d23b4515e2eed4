// What streams say when a request is refused or an answer is cut off.
import type { Chunk } from "./message.ts";

export type Chunks = AsyncGenerator<Chunk, void, undefined>;

export const BUSY = "The agent is busy. It still answers another request: wait for the end, or stop it.";
export const CUT_OFF = "The answer was cut off.";
export const OTHER_CHAT =
  "This transport serves another chat. Make a transport for each chat, and give `useChat` an `id` that stays the same.";
export const RECAP = "The agent has forgotten the conversation, and gets a recap of its newest messages.";

export const errorChunks = (errorText: string): Chunks => oneChunk({ type: "error", errorText });
export const oneChunk = (chunk: Chunk): Chunks => chunksIn([chunk]);

export async function* chunksIn(chunks: readonly Chunk[]): Chunks {
  yield* chunks;
}

export async function* ending(chunks: Chunks, end: () => void): Chunks {
  yield* chunks;
  end();
}
