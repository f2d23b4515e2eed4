import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import type { Clock } from "../core/clock.ts";
import { Deadline } from "../core/deadline.ts";
import type { Exit } from "./outcome.ts";

export interface ProcessSetup {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Written to its input at once, which is closed behind it. Without it the input is empty. */
  readonly input: string | undefined;
  readonly clock: Clock;
  readonly listener: ProcessListener;
}

export interface ProcessListener {
  stdout(piece: Uint8Array): void;
  stderr(piece: Uint8Array): void;
  /** The process is gone; what it wrote may still come. */
  exited(): void;
  /** Called once, last: the process is gone, and so is all that it wrote. */
  ended(exit: Exit): void;
  /** It was killed because this process ends: nothing else will be told. */
  abandoned(): void;
  /** Called instead: it could not be started. */
  failed(error: NodeJS.ErrnoException): void;
}

/** ms behind the exit in which something else may hold the pipes open, and write to them; not counted while nobody reads. */
const PIPE_GRACE = 1_000;

/** What runs, to be ended when this process is: it exits, or dies of a signal that nobody listens to. */
const running = new Set<CliProcess>();
let ignoreSignals: (() => void) | undefined;

function watch(): void {
  process.on("exit", endAll);
  // Only now, since importing it adds to `globalThis`.
  void import("signal-exit").then(({ onExit }) => {
    if (running.size > 0) ignoreSignals ??= onExit(endAll);
  });
}

function unwatch(): void {
  process.off("exit", endAll);
  ignoreSignals?.();
  ignoreSignals = undefined;
}

function endAll(_code: unknown, signal?: NodeJS.Signals | null): void {
  for (const process of running) if (!signal || !process.wasTold(signal)) process.abandon();
}

/**
 * One process, in a group of its own, so that what it has started ends with it. Never through a shell.
 *
 *     spawned ──exit──▶ its pipes drain ──end of both, or PIPE_GRACE──▶ ended
 *        └── could not be started ──▶ failed
 */
export class CliProcess {
  readonly #child: ChildProcess;
  readonly #listener: ProcessListener;
  /** Runs from the exit, while the output is not paused. */
  readonly #drain: Deadline;
  #exit: Exit | undefined;
  /** The signal that was passed on to it, while nothing else has ended it. */
  #forwarded: NodeJS.Signals | undefined;
  #isTerminated = false;
  #isPaused = false;
  #isOver = false;

  /** @throws what `spawn` throws for arguments that cannot be */
  constructor({ command, args, cwd, env, input, clock, listener }: ProcessSetup) {
    this.#listener = listener;
    // What lies in the pipes is read behind the timers of a turn of the event loop, which may have been a long one.
    this.#drain = new Deadline(clock, PIPE_GRACE, () => setImmediate(() => this.#onDrained()));
    const child = spawn(command, [...args], {
      cwd,
      env,
      detached: process.platform !== "win32",
      shell: false,
      windowsHide: true,
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    this.#child = child;
    child.on("error", (error: NodeJS.ErrnoException) => this.#onError(error));
    // A pipe that breaks has ended; how the process ends tells the rest.
    for (const pipe of this.#pipes) pipe?.on("error", () => {});
    child.stdout?.on("data", (piece: Uint8Array) => this.#isOver || listener.stdout(piece));
    child.stderr?.on("data", (piece: Uint8Array) => this.#isOver || listener.stderr(piece));
    child.once("exit", (code, signal) => this.#onExit({ code, signal }));
    child.once("close", () => this.#close());
    child.stdin?.end(input);
    if (child.pid === undefined) return;
    if (running.size === 0) watch();
    running.add(this);
  }

  /** Not `stdio`, which is not there when the system had no more files to give. */
  get #pipes() {
    const { stdin, stdout, stderr } = this.#child;
    return [stdin, stdout, stderr];
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Lets it wait, as far as it writes more than its pipe takes. */
  pause(): void {
    this.#isPaused = true;
    this.#drain.stop();
    this.#child.stdout?.pause();
  }

  resume(): void {
    if (!this.#isPaused || this.#isOver) return;
    this.#isPaused = false;
    this.#child.stdout?.resume();
    if (this.#exit) this.#drain.start();
  }

  /** Asks it, and what it has started, to end. */
  terminate(): void {
    this.#forwarded = undefined;
    this.#ask("SIGTERM");
  }

  /** Tells it what this process was told. */
  forward(signal: NodeJS.Signals): void {
    if (!this.#isTerminated) this.#forwarded = signal;
    this.#ask(signal);
  }

  /** What is left when it is gone already is not asked: nobody would look after that. */
  #ask(signal: NodeJS.Signals): void {
    this.#isTerminated = true;
    this.resume();
    this.#signal(this.#exit ? "SIGKILL" : signal);
  }

  /** Whether this very signal was passed on to it, so that it ends by that as it likes. */
  wasTold(signal: NodeJS.Signals): boolean {
    return this.#forwarded === signal;
  }

  /** Ends it, and what it has started. */
  kill(): void {
    this.#isTerminated = true;
    this.#signal("SIGKILL");
  }

  /** Ends it because this process ends. */
  abandon(): void {
    this.kill();
    this.#listener.abandoned();
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#isOver) return;
    if (process.platform === "win32") {
      spawnSync("taskkill", ["/pid", String(pid), "/T", "/F"], { windowsHide: true, stdio: "ignore" });
      return;
    }
    try {
      process.kill(-pid, signal); // the whole group
    } catch {
      this.#child.kill(signal); // the group is gone, or is not ours to signal
    }
  }

  #onError(error: NodeJS.ErrnoException): void {
    if (this.#child.pid !== undefined || this.#isOver) return; // a signal that did not arrive
    this.#isOver = true;
    this.#listener.failed(error);
  }

  #onExit(exit: Exit): void {
    if (this.#isTerminated) this.#signal("SIGKILL"); // what it has started and left behind
    this.#exit = exit;
    this.#listener.exited();
    if (!this.#isPaused) this.#drain.start();
  }

  #onDrained(): void {
    if (!this.#isPaused) this.#close(); // or it has just been, and the grace begins anew
  }

  #close(): void {
    if (this.#isOver || !this.#exit) return;
    this.#isOver = true;
    this.#drain.stop();
    running.delete(this);
    if (running.size === 0) unwatch();
    for (const pipe of this.#pipes) pipe?.destroy();
    this.#child.unref();
    this.#listener.ended(this.#exit);
  }
}
