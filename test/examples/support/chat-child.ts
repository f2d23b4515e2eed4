import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const FROM_SOURCE = new URL("../../helpers/from-source.ts", import.meta.url).href;
const PROGRAM = pathOf("../../../examples/codey-chat.ts");

/** ms after which a child that hangs is killed, so that its test fails with what it has said. */
const LIMIT = 15_000;

/** `examples/codey-chat.ts` in a process of its own, its user at the other end of the pipes. */
export class ChatChild implements AsyncDisposable {
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #ended: Promise<unknown>;
  readonly #timer: NodeJS.Timeout;
  /** All that it has written. */
  text = "";
  #stderr = "";
  #seen = 0;
  #look = (): void => {};

  /** Nothing of this environment reaches it but `PATH` and `env`. */
  constructor(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
    this.#process = spawn(process.execPath, ["--import", FROM_SOURCE, PROGRAM, ...args], {
      env: { PATH: process.env["PATH"], ...env },
      stdio: "pipe",
    });
    this.#ended = once(this.#process, "close").then(() => this.#look());
    this.#process.stdout.setEncoding("utf8").on("data", (piece: string) => {
      this.text += piece;
      this.#look();
    });
    this.#process.stderr.setEncoding("utf8").on("data", (piece: string) => {
      this.#stderr += piece;
    });
    this.#process.stdin.on("error", () => {}); // it has left, and its test sees that
    this.#timer = setTimeout(() => this.#process.kill("SIGKILL"), LIMIT);
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
          `it ended without ${JSON.stringify(words)}: ${this.text.slice(this.#seen)}${this.#stderr}`,
        );
      await new Promise<void>((resolve) => {
        this.#look = resolve;
      });
    }
  }

  type(line: string): void {
    this.#process.stdin.write(`${line}\n`);
  }

  /** Ctrl-D. */
  endOfInput(): void {
    this.#process.stdin.end();
  }

  /** Ctrl-C. */
  interrupt(): void {
    this.#process.kill("SIGINT");
  }

  /** Its exit code, once it has ended. */
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
