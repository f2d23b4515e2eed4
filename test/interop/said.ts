import { writeSync } from "node:fs";

/** What a user of a client hears and gets, in order. */
export type Heard =
  /** A chunk or an event. Text of the main agent is `{ type: "chunk", chunk }`. */
  | { readonly said: "item"; readonly item: Item }
  /** A run is over. */
  | { readonly said: "result"; readonly result: Result }
  /** A run has thrown. */
  | { readonly said: "rejected"; readonly error: Rejection }
  /** The client wanted to wait before another try. */
  | { readonly said: "waited"; readonly ms: number };

export interface Item {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface Result {
  readonly output: { readonly type: string; readonly [field: string]: unknown };
  readonly sessionState?: unknown;
  /** Of this library. */
  readonly stopReason?: string;
}

export interface Rejection {
  readonly message: string;
  readonly statusCode?: unknown;
  /** Of this library. */
  readonly kind?: string;
  /** The server's word; of this library. */
  readonly code?: string;
}

/** What the child tells its parent, one JSON text a line. */
export type Said =
  /** `run` is the number of one of the job's runs. */
  | (Heard & { readonly run: number })
  /** A promise was rejected, and nobody looked. */
  | { readonly said: "unhandled"; readonly message: string }
  /** Something wanted to leave this machine, and could not. */
  | { readonly said: "refused"; readonly host: string };

const STDOUT = 1;

/** Where a process waits for the reader of its full pipe. */
const PAUSE = new Int32Array(new SharedArrayBuffer(4));

/** Says it at once: what comes before an end by a signal counts too. */
export function say(said: Said): void {
  const bytes = Buffer.from(`${JSON.stringify(said)}\n`);
  for (let sent = 0; sent < bytes.length; ) sent += written(bytes, sent);
}

/** How many bytes the pipe has taken: it has room for some 64 KiB. */
function written(bytes: Buffer, from: number): number {
  try {
    return writeSync(STDOUT, bytes, from);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    Atomics.wait(PAUSE, 0, 0, 1);
    return 0;
  }
}
