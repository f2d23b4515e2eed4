// The connection to the test. The process dies when it ends.
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";

/** A process's first message to the test. Only a run of the fake CLI has a record, and only an agent its program. */
export interface Greeting {
  readonly pid: number;
  readonly run?: string;
  readonly program?: object;
  /** The pid of the agent that started it. */
  readonly parent?: number;
}

/**
 * The connection to the test. While it is open, the test knows that the process lives. When it closes, the process
 * kills itself, so no process outlives its test, even after a crash.
 */
export class Lifeline {
  readonly #socket: Socket;
  readonly #released = new Set<string>();
  readonly #waiting = new Set<() => void>();

  private constructor(socket: Socket, heard: ((line: string) => void) | undefined) {
    this.#socket = socket;
    const lines = createInterface({ input: socket });
    lines.on("line", (line) => {
      if (heard) return heard(line);
      this.#released.add(line);
      for (const look of this.#waiting) look();
    });
    for (const each of [socket, lines]) each.on("error", () => {}); // `close` handles the end
    socket.on("close", () => process.kill(process.pid, "SIGKILL"));
  }

  /** @param heard called with each line of the test, in place of waiting for it */
  static connect(address: string, heard?: (line: string) => void): Promise<Lifeline> {
    return new Promise((resolve, reject) => {
      const socket = connect(address);
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.off("error", reject);
        resolve(new Lifeline(socket, heard));
      });
    });
  }

  /** Resolves when the message is sent, so the test knows the process before any output. */
  greet(greeting: Greeting): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.write(`${JSON.stringify(greeting)}\n`, () => resolve());
    });
  }

  /** @param line by default an empty one, which only signals a changed record */
  tell(line = ""): void {
    this.#socket.write(`${line}\n`);
  }

  /** Resolves when the test has released `name`, or `signal` is aborted. */
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
