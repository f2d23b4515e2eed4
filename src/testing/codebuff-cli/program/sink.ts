// Writes bytes to a stream or a file, and waits until they have left.
import { appendFileSync, writeFileSync } from "node:fs";
import type { Writable } from "node:stream";

/** Where bytes go. Its promise resolves once they have left this process, so that no more than one piece is in memory. */
export interface Sink {
  write(bytes: Uint8Array): Promise<void>;
  /** Whether nobody reads any more: then `write` does nothing. */
  readonly broken: boolean;
}

/** A stream that may break: a reader who leaves ends the output, not the program. */
export function streamSink(stream: Writable): Sink {
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
export function fileSink(path: string): Sink {
  writeFileSync(path, "");
  return {
    broken: false,
    async write(bytes) {
      appendFileSync(path, bytes);
    },
  };
}
