import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import type { Clock } from "../core/clock.ts";
import { Deadline } from "../core/deadline.ts";

/** The end of a process. */
export interface Exit {
  /** Null if a signal ended the process. */
  readonly code: number | null;
  readonly signal: string | null;
}

export interface ProcessSetup {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Written to stdin at once; stdin is then closed. Without `input`, stdin is empty. */
  readonly input: string | undefined;
  /** Whether SIGINT, SIGTERM and SIGHUP of this process are passed on. */
  readonly forwardSignals: boolean;
  readonly clock: Clock;
  readonly listener: ProcessListener;
}

export interface ProcessListener {
  /** Attached directly to the pipe: no code of this file runs for a piece. */
  readonly stdout: (piece: Uint8Array) => void;
  readonly stderr: (piece: Uint8Array) => void;
  /** The process has ended. Its output may still arrive. */
  exited(): void;
  /** The process has ended, and all of its output has arrived. Called once, as the last call. */
  ended(exit: Exit): void;
  /** The process was killed because this process ends. No other call follows. */
  abandoned(): void;
  /** The process could not be started. Called instead of the others. */
  failed(error: NodeJS.ErrnoException): void;
}

/** ms after the exit in which another process may keep the pipes open. Does not run while stdout is paused. */
const PIPE_GRACE = 1_000;

/**
 * `asked`: the reason why a running process may end. A signal: this process got that signal and passed it on first, and the program
 * decides how to react. `to end`: the process was told to end, and the processes that it leaves behind are killed.
 */
type State =
  | { readonly name: "running"; readonly asked: "nothing" | "to end" | NodeJS.Signals }
  | { readonly name: "draining"; readonly exit: Exit }
  | { readonly name: "over" };

/**
 * One process in its own process group, so that everything that it starts can be ended with it. Never uses a shell.
 *
 *     running ──exit──▶ draining ──its pipes close, or PIPE_GRACE──▶ over
 *        └── could not be started ──────────────────────────────────▶ over
 */
export class GroupProcess {
  readonly forwardsSignals: boolean;
  readonly #child: ChildProcess;
  readonly #listener: ProcessListener;
  /** Runs in the state `draining`, while stdout is not paused. */
  readonly #drain: Deadline;
  #state: State = { name: "running", asked: "nothing" };
  /** Not read from the pipe: Node resumes the pipe at the exit. */
  #isPaused = false;

  /** @throws the error of `spawn` for invalid arguments */
  constructor({ command, args, cwd, env, input, forwardSignals, clock, listener }: ProcessSetup) {
    this.forwardsSignals = forwardSignals;
    this.#listener = listener;
    // After a long turn of the event loop, timers run first. `setImmediate` lets Node read the pipes before the check.
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
    // A broken pipe has ended; the exit reports the rest.
    for (const pipe of this.#pipes) pipe?.on("error", () => {});
    child.stdout?.on("data", listener.stdout);
    child.stderr?.on("data", listener.stderr);
    child.once("exit", (code, signal) => this.#onExit({ code, signal }));
    child.once("close", () => this.#close());
    child.stdin?.end(input);
    if (child.pid === undefined) return;
    running.add(this);
    watch(this);
  }

  /** Not `child.stdio`: it is missing if the system has no more file descriptors. */
  get #pipes() {
    const { stdin, stdout, stderr } = this.#child;
    return [stdin, stdout, stderr];
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Stops reading stdout: the program waits once its pipe is full. */
  pause(): void {
    this.#isPaused = true;
    this.#drain.stop();
    this.#child.stdout?.pause();
  }

  resume(): void {
    if (!this.isPaused || this.#state.name === "over") return;
    this.#isPaused = false;
    this.#child.stdout?.resume();
    if (this.#state.name === "draining") this.#drain.start();
  }

  /** Asks the process group to end. */
  terminate(): void {
    this.#tell("SIGTERM", "to end");
  }

  /** Passes on a signal that this process got. */
  forward(signal: NodeJS.Signals): void {
    this.#tell(signal, signal);
  }

  #tell(signal: NodeJS.Signals, asked: "to end" | NodeJS.Signals): void {
    const { name } = this.#state;
    if (name === "running" && (asked === "to end" || this.#state.asked === "nothing"))
      this.#state = { name, asked };
    this.resume();
    // After the exit, kill the rest of the process group: there is no second chance.
    this.#signal(name === "running" ? signal : "SIGKILL");
  }

  /** Kills the process group. */
  kill(): void {
    if (this.#state.name === "running" && this.#state.asked === "nothing")
      this.#state = { name: "running", asked: "to end" };
    this.#signal("SIGKILL");
  }

  /** This process ends, by `signal` or without one. The child ends too, unless the same signal was passed on to the child. */
  abandon(signal?: NodeJS.Signals | null): void {
    if (signal && this.#state.name === "running" && this.#state.asked === signal) return;
    this.kill();
    this.#listener.abandoned();
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#state.name === "over") return;
    if (process.platform === "win32") {
      spawnSync("taskkill", ["/pid", String(pid), "/T", "/F"], { windowsHide: true, stdio: "ignore" });
      return;
    }
    try {
      process.kill(-pid, signal); // the whole group
    } catch {
      this.#child.kill(signal); // the group has ended, or this process may not signal it
    }
  }

  #onError(error: NodeJS.ErrnoException): void {
    if (this.#child.pid !== undefined || this.#state.name === "over") return; // only a signal that did not arrive
    this.#state = { name: "over" };
    this.#listener.failed(error);
  }

  #onExit(exit: Exit): void {
    if (this.#state.name === "running" && this.#state.asked !== "nothing") this.#signal("SIGKILL"); // kill the rest of the process group
    this.#state = { name: "draining", exit };
    this.#listener.exited();
    if (!this.isPaused) this.#drain.start();
  }

  #onDrained(): void {
    if (!this.isPaused) this.#close(); // otherwise the grace period starts again when the reader goes on
  }

  #close(): void {
    if (this.#state.name !== "draining") return;
    const { exit } = this.#state;
    this.#state = { name: "over" };
    this.#drain.stop();
    running.delete(this);
    unwatch();
    for (const pipe of this.#pipes) pipe?.removeAllListeners("data").destroy();
    this.#child.unref();
    this.#listener.ended(exit);
  }
}

// --- the end of this process ---

const running = new Set<GroupProcess>();

/** The signals with which a terminal or a supervisor ends this process. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Removes signal-exit's listener, if there is one. */
let ignoreSignals: (() => void) | undefined;

function watch({ forwardsSignals }: GroupProcess): void {
  if (forwardsSignals) listen();
  if (running.size > 1) return;
  process.on("exit", endAll);
  // Imported only now, because the import changes `globalThis`.
  void import("signal-exit").then(({ onExit }) => {
    if (running.size > 0) ignoreSignals ??= onExit(endAll);
  });
}

function unwatch(): void {
  if (!isForwarding()) for (const signal of SIGNALS) process.off(signal, onSignal);
  if (running.size > 0) return;
  process.off("exit", endAll);
  ignoreSignals?.();
  ignoreSignals = undefined;
}

function endAll(_code: unknown, signal?: NodeJS.Signals | null): void {
  for (const each of running) each.abandon(signal);
}

function isForwarding(): boolean {
  return [...running].some(({ forwardsSignals }) => forwardsSignals);
}

/** One shared listener, before all others: `onSignal` must know whether the app listens too. */
function listen(): void {
  for (const signal of SIGNALS) process.off(signal, onSignal).prependListener(signal, onSignal);
}

function onSignal(signal: NodeJS.Signals): void {
  for (const each of running) if (each.forwardsSignals) each.forward(signal);
  process.off(signal, onSignal);
  // The app has no listener for the signal, so the signal ends this process, as it would without this library.
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  else setImmediate(() => isForwarding() && listen());
}
