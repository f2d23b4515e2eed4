// The pipes of an agent in process: a pair of byte streams.
import type { AcpPort } from "./link.ts";
import type { MockAcpEnd } from "./record.ts";

/** The client's ends of the pipes. */
export interface MockAcpStreams {
  /** What the agent writes to stdout. */
  readonly readable: ReadableStream<Uint8Array>;
  /** The agent's stdin. */
  readonly writable: WritableStream<Uint8Array>;
}

/** What the pipes tell the agent. */
export interface PipeEvents {
  receive(bytes: Uint8Array): void;
  endInput(): void;
  gone(): void;
}

/** The agent's side of a stream pair. There are no processes: a signal and an exit end the streams. */
export class StreamPort implements AcpPort {
  readonly streams: MockAcpStreams;
  #output: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isDead = false;

  /** @param events the link, once it exists */
  constructor(events: () => PipeEvents | undefined) {
    const readable = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#output = controller;
      },
      cancel: () => {
        this.#output = undefined;
      },
    });
    const writable = new WritableStream<Uint8Array>({
      write: (bytes) => {
        if (this.#isDead) throw new Error("EPIPE: the agent has ended");
        events()?.receive(bytes);
      },
      close: () => events()?.endInput(),
      abort: () => events()?.gone(),
    });
    this.streams = { readable, writable };
  }

  write(bytes: Uint8Array): void {
    this.#output?.enqueue(bytes);
  }

  end(end: MockAcpEnd): void {
    this.#output?.close();
    this.#output = undefined;
    this.#isDead ||= !("closeStdout" in end);
  }
}
