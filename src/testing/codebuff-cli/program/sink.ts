// Writes bytes to a stream or a file, and noise to stderr.
import { Buffer } from "node:buffer";
import { appendFileSync, writeFileSync } from "node:fs";
import type { Writable } from "node:stream";
import type { FakeCodebuffScenario } from "../scenario.ts";
import { breathe, pause } from "./pause.ts";

/** A destination for bytes. The promise resolves when the bytes have left this process. */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>;
  /** Whether the reader has left: then `write` does nothing. */
  readonly broken: boolean;
}

/** A stream. If its reader leaves, the output ends but the program continues. */
export function streamSink(stream: Writable): ByteSink {
  let broken = false;
  stream.on("error", () => {
    broken = true;
  });
  return {
    get broken() {
      return broken;
    },
    write: (bytes) =>
      broken
        ? Promise.resolve()
        : new Promise((resolve) => {
            // The `error` listener above handles errors. A stream that breaks during a write still calls back.
            stream.write(bytes, () => resolve());
          }),
  };
}

/** A file, truncated at once. */
export function fileSink(path: string): ByteSink {
  writeFileSync(path, "");
  return {
    broken: false,
    async write(bytes) {
      appendFileSync(path, bytes);
    },
  };
}

/** The size of one write: whole lines, close to a pipe's capacity. */
const LINE = `${"noise ".repeat(13)}\n`;
const BLOCK = Buffer.from(LINE.repeat(800));

/** Writes the scenario's stderr output beside the events. Resolves when it is complete. */
export async function makeNoise(
  { stderr: texts = [], stderrFlood = 0 }: FakeCodebuffScenario,
  stderr: ByteSink,
): Promise<void> {
  const saying = texts.map(async ({ text, atMs = 0 }) => {
    // A process's clock starts before its first statement.
    if (atMs > 0) await pause(Math.max(0, atMs - performance.now()));
    await stderr.write(Buffer.from(text));
  });
  for (let left = stderrFlood; left > 0 && !stderr.broken; left -= BLOCK.length) {
    await stderr.write(BLOCK.subarray(0, left));
    await breathe();
  }
  await Promise.all(saying);
}
