import { execFile } from "node:child_process";
import { createReadStream } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** A pipe that a command holds open. It closes when the last process of the command is gone, however it ends. */
export class Lifeline implements AsyncDisposable {
  readonly #folder: string;
  /** Resolves once a command has held the pipe, and no process holds it any more. */
  readonly gone: Promise<void>;

  static async open(): Promise<Lifeline> {
    const folder = await mkdtemp(join(tmpdir(), "agentwire-lifeline-"));
    await promisify(execFile)("mkfifo", [join(folder, "pipe")]);
    return new Lifeline(folder);
  }

  private constructor(folder: string) {
    this.#folder = folder;
    const pipe = createReadStream(this.#pipe);
    this.gone = new Promise((resolve, reject) => pipe.on("end", resolve).on("error", reject).resume());
  }

  /** A command of a shell that says `ready`, and would run for an hour with a process of its own. */
  get command(): string {
    return `exec 9>${this.#pipe}; echo ready; sleep 3600; echo over`;
  }

  get #pipe(): string {
    return join(this.#folder, "pipe");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await open(this.#pipe, "r+")).close(); // a reader that no command has come to goes on
    await this.gone;
    await rm(this.#folder, { recursive: true });
  }
}
