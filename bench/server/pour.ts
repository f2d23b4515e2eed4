import { once } from "node:events";
import type { Writable } from "node:stream";
import { type Block, block, TEXTS } from "./frames.ts";

/** Frames in a block, at least: some 100 kB, so that a client's socket never runs dry. */
const BLOCK = 512;

/** `chunk` for every id in turn, with one text after the other, in a block that can be repeated. */
export function chunkBlock<Id>(ids: readonly Id[], chunk: (id: Id, text: string) => unknown): Block {
  const rows = Math.ceil(BLOCK / ids.length);
  const messages: string[] = [];
  for (let row = 0; row < rows; row++) {
    const text = TEXTS[row % TEXTS.length] ?? "";
    for (const id of ids) messages.push(JSON.stringify(chunk(id, text)));
  }
  return block(messages);
}

/** Writes `total` frames, the block again and again, as fast as the peer takes them. */
export async function pour(tcp: Writable, { bytes, ends }: Block, total: number): Promise<void> {
  for (let left = total; left > 0; left -= ends.length) {
    const end = ends[Math.min(left, ends.length) - 1];
    if (!tcp.write(bytes.subarray(0, end))) await once(tcp, "drain");
  }
}
