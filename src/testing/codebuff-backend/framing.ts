// The bytes of a stream: comments, blocks, line endings, pieces, gzip.
import { constants, createGzip } from "node:zlib";
import type { BackendSse } from "./script.ts";

/** A comment. It ends with one newline, so the next frame belongs to the same block. */
export function comment(words: string): string {
  return `: ${words}\n`;
}

/** The block of one frame. */
export function dataBlock(data: string): string {
  return `${data
    .split("\n")
    .map((line) => `data: ${line}\n`)
    .join("")}\n`;
}

/** The JSON of a frame; on several lines with `multiData`. */
export function jsonText(json: object, { multiData }: BackendSse): string {
  return multiData ? JSON.stringify(json, null, 1) : JSON.stringify(json);
}

/** Applies the configured line endings. */
export function withLineEnds(block: string, { crlf, cr }: BackendSse): string {
  if (crlf) return block.replaceAll("\n", "\r\n");
  return cr ? block.replaceAll("\n", "\r") : block;
}

/** Splits the bytes of a frame into the pieces of each write. */
export function pieces(bytes: Uint8Array, size: number | undefined): readonly Uint8Array[] {
  if (size === undefined || bytes.length === 0) return [bytes];
  const result: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) result.push(bytes.subarray(at, at + size));
  return result;
}

/** Compresses frame by frame. Each frame is readable on arrival. */
export class Gzip {
  readonly #stream = createGzip();
  #out: Uint8Array[] = [];

  constructor() {
    this.#stream.on("data", (bytes: Uint8Array) => this.#out.push(bytes));
  }

  async add(bytes: Uint8Array): Promise<Uint8Array> {
    this.#stream.write(bytes);
    await new Promise<void>((resolve) => this.#stream.flush(constants.Z_SYNC_FLUSH, () => resolve()));
    return this.#taken();
  }

  async end(): Promise<Uint8Array> {
    await new Promise<void>((resolve) => {
      this.#stream.on("end", () => resolve());
      this.#stream.end();
    });
    return this.#taken();
  }

  #taken(): Uint8Array {
    const bytes = Buffer.concat(this.#out);
    this.#out = [];
    return bytes;
  }
}
