import { type ChildProcessByStdio, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { TempFolder } from "../../scripts/support/temp-folder.ts";
import { tree } from "../checks/tree.ts";
import { fastStart } from "../helpers/sources.ts";
import type { Job } from "./codebuff-ws-sdk-run.ts";
import type { Said } from "./said.ts";

const PROGRAM = fileURLToPath(new URL("./codebuff-ws-sdk-run.ts", import.meta.url));
/** ms after which a child that hangs is killed, so that its test fails with what it has said. */
const LIMIT = 10_000;

/**
 * The original client at work in a process of its own: with a project in a temporary folder, nothing of this
 * machine's environment but `PATH` and what makes it start fast, and no way to any other machine.
 */
export class SdkChild implements AsyncDisposable {
  /** The folder it works in. At first it holds `a.txt`. */
  readonly project: string;
  readonly #said: Said[] = [];
  readonly #folder: TempFolder;
  readonly #job: Job;
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #looks = new Set<() => void>();
  readonly #closed: Promise<void>;
  #stderr = "";
  /** How it ended, once it did: `exit code 0`. */
  #ending: string | undefined;
  #overdue = false;

  private constructor(host: string, job: Job, folder: TempFolder) {
    this.#folder = folder;
    this.#job = job;
    this.project = join(folder.path, "project");
    this.#process = spawn(process.execPath, [PROGRAM, JSON.stringify(job)], {
      cwd: this.project,
      env: {
        PATH: process.env["PATH"],
        ...fastStart(),
        HOME: join(folder.path, "home"),
        NEXT_PUBLIC_CB_ENVIRONMENT: "test",
        NEXT_PUBLIC_CODEBUFF_BACKEND_URL: host,
      },
      stdio: "pipe",
      // A group of its own, so that what it starts ends with it.
      detached: true,
    });
    const kill = () => this.#kill();
    process.once("exit", kill);
    const timer = setTimeout(() => {
      this.#overdue = true;
      kill();
    }, LIMIT);
    this.#process.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
    });
    createInterface({ input: this.#process.stdout }).on("line", (line) => {
      this.#said.push(JSON.parse(line));
      // It might try again and again.
      if (this.#strayed) this.#kill();
      this.#look();
    });
    this.#closed = new Promise((resolve) => {
      this.#process.once("close", (code, signal) => {
        clearTimeout(timer);
        process.off("exit", kill);
        this.#ending = signal === null ? `exit code ${code}` : `signal ${signal}`;
        if (this.#overdue) this.#ending += `, since it was not done after ${LIMIT / 1000} s`;
        this.#look();
        resolve();
      });
    });
  }

  /** @param host of the server, with its port */
  static async start(host: string, job: Job): Promise<SdkChild> {
    return new SdkChild(host, job, await tree({ "project/a.txt": "hello\n", "home/.profile": "" }));
  }

  /** What it has said so far. */
  get said(): readonly Said[] {
    return this.#said;
  }

  /** Resolves once it says something that fits; rejects when it ends without, or was not to say what it said. */
  until(fits: (said: Said) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const happened = !this.#strayed && this.#said.some(fits);
        if (happened) resolve();
        else if (this.#strayed || this.#ending !== undefined) reject(new Error(this.#story()));
        else return;
        this.#looks.delete(look);
      };
      this.#looks.add(look);
      look();
    });
  }

  /** Settles as `happening` does; rejects when the client ends first, so that nobody waits in vain. */
  meanwhile<T>(happening: Promise<T>): Promise<T> {
    const ended = this.#closed.then((): never => {
      throw new Error(this.#story());
    });
    return Promise.race([happening, ended]);
  }

  /** Resolves once it has ended well and by itself, with all it said. */
  async end(): Promise<readonly Said[]> {
    await this.#closed;
    if (this.#strayed || this.#ending !== "exit code 0") throw new Error(this.#story());
    return this.#said;
  }

  /** Ends its stdin, which is a sign for some jobs. */
  endInput(): void {
    this.#process.stdin.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#kill();
    await this.#closed;
    await this.#folder[Symbol.asyncDispose]();
  }

  /** Whether it wanted to leave this machine although that is not what it was told. */
  get #strayed(): boolean {
    return this.#job.program !== "break-out" && this.#said.some(({ said }) => said === "refused");
  }

  #look(): void {
    for (const look of [...this.#looks]) look();
  }

  #kill(): void {
    const { pid } = this.#process;
    if (pid === undefined || this.#ending !== undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It has ended, and its pipes are about to: nothing left to kill.
    }
  }

  #story(): string {
    const said = this.#said.map((each) => JSON.stringify(each)).join("\n");
    return `The original client: ${this.#ending ?? "still at work"}. It has said:\n${said}\n${this.#stderr}`;
  }
}
