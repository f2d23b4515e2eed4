// Writes to stdout at the pace of its reader, until the reader has left.
import { once } from "node:events";

/** The standard output of a command that prints much. Close it with `off()`. */
export class PacedOutput {
  readonly #leave = new AbortController();
  readonly #onError = (): void => this.#leave.abort();

  constructor() {
    process.stdout.on("error", this.#onError);
  }

  /** Aborted once the reader has left. */
  get left(): AbortSignal {
    return this.#leave.signal;
  }

  /** Resolves when the reader has taken enough to go on. */
  async write(text: string): Promise<void> {
    const { left } = this;
    if (left.aborted || process.stdout.write(text)) return;
    await once(process.stdout, "drain", { signal: left }).catch(() => {}); // it has left
  }

  off(): void {
    process.stdout.off("error", this.#onError);
  }
}

/** Bytes that wait for a reader. */
const MAX_UNREAD = 4_194_304;

/** Prints what happens. What a reader that stands still has missed is left out, and counted. */
export function printTo(stream: NodeJS.WriteStream): (text: string) => void {
  let missed = 0;
  return (text) => {
    if (stream.writableLength > MAX_UNREAD) missed++;
    else {
      if (missed > 0) stream.write(`... ${missed} lines were left out\n`);
      missed = 0;
      stream.write(text);
    }
  };
}
