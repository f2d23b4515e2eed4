// The servers of a chapter: processes that are killed, frozen and replaced.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ServerCall, ServerOrder, ServerWord } from "./server.ts";

/** ms in which a server starts, and in which one ends that was asked to. */
const BOUND = 30_000;

/** ms in which a server that hangs makes a report. */
const REPORT = 3_000;

/** Characters of the error output that are kept. */
const KEPT = 4_000;

export interface FleetOptions {
  /** The bundled program. */
  readonly program: string;
  readonly order: Omit<ServerOrder, "name">;
  /** A folder for reports of servers that hang. */
  readonly reports: string;
  readonly onStalled: (ms: number) => void;
  /** A server has ended that nobody had ended, or has not ended in time. */
  readonly onProblem: (message: string) => void;
}

export class FleetServer {
  readonly name: string;
  readonly process: ChildProcess;
  port: number | undefined;
  isFrozen = false;
  /** Whether it is to end. */
  isEnding = false;
  readonly gone: Promise<unknown>;

  constructor(name: string, process: ChildProcess) {
    this.name = name;
    this.process = process;
    this.gone = once(process, "exit");
  }

  /** Whether it can answer. */
  get isUp(): boolean {
    return this.port !== undefined && !this.isEnding;
  }

  tell(call: ServerCall): void {
    if (this.process.connected) this.process.send(call, () => {}); // it may have been killed just now
  }
}

export class Fleet {
  readonly #options: FleetOptions;
  readonly #slots: (FleetServer | undefined)[];
  #count = 0;

  constructor(options: FleetOptions, size: number) {
    this.#options = options;
    this.#slots = Array.from({ length: size }, () => undefined);
  }

  /** The servers that run and are not frozen. */
  get up(): readonly FleetServer[] {
    return this.all.filter(({ isUp, isFrozen }) => isUp && !isFrozen);
  }

  get all(): readonly FleetServer[] {
    return this.#slots.filter((server) => server !== undefined);
  }

  /** Starts a server in each slot that has none. Resolves once all listen. */
  async fill(): Promise<void> {
    await Promise.all(
      this.#slots.map(async (server, slot) => {
        if (!server) await this.#start(slot);
      }),
    );
  }

  async kill(server: FleetServer): Promise<void> {
    server.isEnding = true;
    server.process.kill("SIGKILL");
    await server.gone;
  }

  freeze(server: FleetServer): void {
    server.isFrozen = true;
    server.process.kill("SIGSTOP");
  }

  thaw(server: FleetServer): void {
    server.isFrozen = false;
    server.process.kill("SIGCONT");
  }

  /** Asks it to end. It must end by itself. */
  async close(server: FleetServer, drain: number): Promise<void> {
    server.isEnding = true;
    server.tell({ type: "close", drain });
    const late = setTimeout(async () => {
      const stack = await this.#stackOf(server);
      this.#options.onProblem(`${server.name} has not ended within ${BOUND} ms of its \`close()\`: ${stack}`);
      server.process.kill("SIGKILL");
    }, BOUND);
    await server.gone;
    clearTimeout(late);
  }

  async killAll(): Promise<void> {
    await Promise.all(this.all.map((server) => this.kill(server)));
  }

  /** What a process runs that no longer answers. */
  async #stackOf({ process: { pid } }: FleetServer): Promise<string> {
    const { reports } = this.#options;
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => ""); // only on Linux
    const state = /^State:\s*(.*)$/m.exec(status)?.[1] ?? "unknown";
    if (pid !== undefined) process.kill(pid, "SIGUSR2");
    await sleep(REPORT);
    const name = (await readdir(reports)).find((file) => file.includes(`.${pid}.`));
    if (name === undefined) return `its state is ${state}, and it makes no report`;
    const report = JSON.parse(await readFile(join(reports, name), "utf8")) as { javascriptStack: unknown };
    return `its state is ${state}, and it runs ${JSON.stringify(report.javascriptStack)}`;
  }

  async #start(slot: number): Promise<void> {
    const name = `server-${++this.#count}`;
    const child = fork(this.#options.program, [JSON.stringify({ ...this.#options.order, name })], {
      execArgv: ["--no-warnings", "--report-on-signal", `--report-directory=${this.#options.reports}`],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    const server = new FleetServer(name, child);
    this.#slots[slot] = server;
    const killNow = (): void => void child.kill("SIGKILL");
    process.once("exit", killNow);
    let stderr = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-KEPT);
    });
    child.once("exit", (code, signal) => {
      process.off("exit", killNow);
      if (this.#slots[slot] === server) this.#slots[slot] = undefined;
      const isFine = server.isEnding && (signal === "SIGKILL" || code === 0);
      if (!isFine) this.#options.onProblem(`${name} ended with ${signal ?? code}\n${stderr}`);
    });
    const listening = new Promise<void>((resolve) => {
      child.on("message", (word: ServerWord) => {
        if (word.type === "stalled") this.#options.onStalled(word.ms);
        else {
          server.port = word.port;
          resolve();
        }
      });
    });
    const late = setTimeout(() => {
      if (server.port === undefined && !server.isEnding) child.kill("SIGKILL");
    }, BOUND);
    await Promise.race([listening, server.gone]);
    clearTimeout(late);
  }
}
