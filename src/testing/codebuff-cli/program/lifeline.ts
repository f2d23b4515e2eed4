// The connection to the test, whose end also ends this process.
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";

/** What a process says of itself to `FakeCodebuffCli`. A run has a record; what a run has started has none. */
export interface Greeting {
  readonly pid: number;
  readonly run?: string;
}

/**
 * The connection to the test. While it stands, the test knows that the process lives; when it ends, the test is over,
 * and so is the process: none is ever left behind, not even by a test that crashed.
 */
export class Lifeline {
  readonly #socket: Socket;
  readonly #released = new Set<string>();
  readonly #waiting = new Set<() => void>();

  private constructor(socket: Socket) {
    this.#socket = socket;
    const lines = createInterface({ input: socket });
    lines.on("line", (name) => {
      this.#released.add(name);
      for (const look of this.#waiting) look();
    });
    for (const each of [socket, lines]) each.on("error", () => {}); // its end is told by `close`
    socket.on("close", () => process.kill(process.pid, "SIGKILL"));
  }

  static connect(address: string): Promise<Lifeline> {
    return new Promise((resolve, reject) => {
      const socket = connect(address);
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.off("error", reject);
        resolve(new Lifeline(socket));
      });
    });
  }

  /** Resolves once it is said: a test that sees output of this process, or knows its id, can wait for its end. */
  greet(greeting: Greeting): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.write(`${JSON.stringify(greeting)}\n`, () => resolve());
    });
  }

  /** The record has changed. */
  tell(): void {
    this.#socket.write("\n");
  }

  /** Resolves once the test has released `name`, or `signal` is aborted. */
  released(name: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!this.#released.has(name) && !signal.aborted) return;
        this.#waiting.delete(look);
        signal.removeEventListener("abort", look);
        resolve();
      };
      this.#waiting.add(look);
      signal.addEventListener("abort", look);
      look();
    });
  }
}
