// Writes bytes to a stream or a file, and noise to stderr.
import { Buffer } from "node:buffer";
import { appendFileSync, writeFileSync } from "node:fs";
import type { Writable } from "node:stream";
import type { FakeCodebuffScenario } from "../scenario.ts";
import { breathe, pause } from "./pause.ts";

/** Where bytes go. Its promise resolves once they have left this process, so that no more than one piece is in memory. */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>;
  /** Whether nobody reads any more: then `write` does nothing. */
  readonly broken: boolean;
}

/** A stream that may break: a reader who leaves ends the output, not the program. */
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
            // An error is heard above; a stream that breaks while it writes still calls back.
            stream.write(bytes, () => resolve());
          }),
  };
}

/** A file, which is emptied at once. */
export function fileSink(path: string): ByteSink {
  writeFileSync(path, "");
  return {
    broken: false,
    async write(bytes) {
      appendFileSync(path, bytes);
    },
  };
}

/** As much as is written at once: a whole number of lines, near what a pipe holds. */
const LINE = `${"noise ".repeat(13)}\n`;
const BLOCK = Buffer.from(LINE.repeat(800));

/** What goes to stderr beside the events; resolves once all of it has. */
export async function makeNoise(
  { stderr: texts = [], stderrFlood = 0 }: FakeCodebuffScenario,
  stderr: ByteSink,
): Promise<void> {
  const saying = texts.map(async ({ text, atMs = 0 }) => {
    // The clock of a process starts before its first statement.
    if (atMs > 0) await pause(Math.max(0, atMs - performance.now()));
    await stderr.write(Buffer.from(text));
  });
  for (let left = stderrFlood; left > 0 && !stderr.broken; left -= BLOCK.length) {
    await stderr.write(BLOCK.subarray(0, left));
    await breathe();
  }
  await Promise.all(saying);
}
