// Writes a recording to a file or a stream.
import { closeSync, openSync, writeSync } from "node:fs";
import type { Writable } from "node:stream";

/** Where a recording goes. What it throws, or rejects with, ends the recording and is told by `Recorder.stop()`. */
export interface RecordingSink {
  /** Takes one line as soon as it has happened, without its newline. */
  write(line: string): unknown;
  /** Called once, after the last line. */
  end?(): unknown;
}

/**
 * Writes a recording to a file, which is created, or emptied, at once, for its owner to read alone. Each line
 * is handed to the operating system before the call returns, so that a crash of the process loses none.
 *
 * @throws the error of the file system when the file cannot be opened.
 */
export function toFile(path: string | URL): RecordingSink {
  const file = openSync(path, "w", 0o600);
  return {
    write: (line) => writeWhole(file, Buffer.from(`${line}\n`)),
    end: () => closeSync(file),
  };
}

/** The system may take less than it was offered. */
function writeWhole(file: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}

/** Writes a recording to a stream, which stays open after it. */
export function toStream(stream: Writable): RecordingSink {
  stream.on("error", () => {}); // each write is told too; an error that nobody hears would end the process
  return {
    write: (line) =>
      new Promise<void>((resolve, reject) => {
        stream.write(`${line}\n`, (error) => (error ? reject(error) : resolve()));
      }),
  };
}
