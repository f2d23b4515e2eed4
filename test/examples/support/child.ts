import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { fastStart } from "../../helpers/sources.ts";

const FROM_SOURCE = new URL("../../helpers/from-source.ts", import.meta.url).href;

/** ms after which a child that hangs is killed, so that its test fails with what it has said. */
const LIMIT = 15_000;

export interface ChildOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** ms. @default 15_000 */
  readonly limit?: number;
}

/** A program in a process of its own, run from the sources, its user at the other end of the pipes. */
export class Child implements AsyncDisposable {
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #ended: Promise<unknown>;
  readonly #timer: NodeJS.Timeout;
  /** All that it has written. */
  text = "";
  /** All that it has complained of. */
  stderr = "";
  #seen = 0;
  #look = (): void => {};

  /** Nothing of this environment reaches it but `PATH`, what makes it start fast, and `env`. */
  constructor(program: string, args: readonly string[] = [], { env, limit = LIMIT }: ChildOptions = {}) {
    this.#process = spawn(process.execPath, ["--import", FROM_SOURCE, program, ...args], {
      env: { PATH: process.env["PATH"], ...fastStart(), ...env },
      stdio: "pipe",
    });
    this.#ended = once(this.#process, "close").then(() => this.#look());
    this.#process.stdout.setEncoding("utf8").on("data", (piece: string) => {
      this.text += piece;
      this.#look();
    });
    this.#process.stderr.setEncoding("utf8").on("data", (piece: string) => {
      this.stderr += piece;
    });
    this.#process.stdin.on("error", () => {}); // it has left, and its test sees that
    this.#timer = setTimeout(() => this.#process.kill("SIGKILL"), limit);
  }

  /** What it writes up to `words`, since the last time. @throws when it ends without them. */
  async until(words: string): Promise<string> {
    for (;;) {
      const at = this.text.indexOf(words, this.#seen);
      if (at !== -1) {
        const begin = this.#seen;
        this.#seen = at + words.length;
        return this.text.slice(begin, this.#seen);
      }
      if (this.#process.exitCode !== null || this.#process.signalCode !== null)
        throw new Error(
          `it ended without ${JSON.stringify(words)}: ${this.text.slice(this.#seen)}${this.stderr}`,
        );
      await new Promise<void>((resolve) => {
        this.#look = resolve;
      });
    }
  }

  /** A line, with Enter. */
  type(line: string): void {
    this.#process.stdin.write(`${line}\n`);
  }

  /** Ctrl-D. */
  endOfInput(): void {
    this.#process.stdin.end();
  }

  /** Closes the pipe of its output. */
  stopReading(): void {
    this.#process.stdout.destroy();
  }

  /** Ctrl-C. */
  interrupt(): void {
    this.#process.kill("SIGINT");
  }

  /** What a system sends that shuts down. */
  terminate(): void {
    this.#process.kill("SIGTERM");
  }

  /** Its exit code, once it has ended; null when a signal has ended it. */
  async exitCode(): Promise<number | null> {
    await this.#ended;
    return this.#process.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    this.#process.kill("SIGKILL");
    await this.#ended;
  }
}
