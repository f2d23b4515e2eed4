// Writes a recording to a file or a stream.
import { closeSync, openSync, writeSync } from "node:fs";
import type { Writable } from "node:stream";

/** The destination of a recording. If it throws or rejects, the recording ends and `Recorder.stop()` rejects. */
export interface RecordingSink {
  /** Takes one line, without its newline, at the time of its event. */
  write(line: string): unknown;
  /** Called once, after the last line. */
  end?(): unknown;
}

/**
 * Writes a recording to a file that only its owner can read. The file is created or emptied at once. Each line is
 * passed to the operating system before the call returns, so a crash of the process loses no line.
 *
 * @throws the file system's error if the file cannot be opened.
 */
export function toFile(path: string | URL): RecordingSink {
  const file = openSync(path, "w", 0o600);
  return {
    write: (line) => writeWhole(file, Buffer.from(`${line}\n`)),
    end: () => closeSync(file),
  };
}

/** `writeSync` may write fewer bytes than given. */
function writeWhole(file: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}

/** Writes a recording to a stream, and leaves the stream open. */
export function toStream(stream: Writable): RecordingSink {
  stream.on("error", () => {}); // each write reports its own error; an unhandled one would end the process
  return {
    write: (line) =>
      new Promise<void>((resolve, reject) => {
        stream.write(`${line}\n`, (error) => (error ? reject(error) : resolve()));
      }),
  };
}
