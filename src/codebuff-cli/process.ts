import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import type { Clock } from "../core/clock.ts";
import { Deadline } from "../core/deadline.ts";

/** How a process ended. */
export interface Exit {
  /** Null where a signal ended the process. */
  readonly code: number | null;
  readonly signal: string | null;
}

export interface ProcessSetup {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Written to stdin at once, which is closed behind it. Without it stdin is empty. */
  readonly input: string | undefined;
  /** Whether SIGINT, SIGTERM and SIGHUP of this process are passed on. */
  readonly forwardSignals: boolean;
  readonly clock: Clock;
  readonly listener: ProcessListener;
}

export interface ProcessListener {
  /** Attached to the pipe itself: no code of this file runs for a piece. */
  readonly stdout: (piece: Uint8Array) => void;
  readonly stderr: (piece: Uint8Array) => void;
  /** The process is gone. Output that it wrote may still come. */
  exited(): void;
  /** Called once, last: the process is gone, and all of its output has come. */
  ended(exit: Exit): void;
  /** The process was killed because this process ends: nothing else will be told. */
  abandoned(): void;
  /** Called in place of the others: the process could not be started. */
  failed(error: NodeJS.ErrnoException): void;
}

/** ms after the exit during which another process may hold the pipes open. Does not run while stdout is paused. */
const PIPE_GRACE = 1_000;

/**
 * `asked` says why a running process may end. A signal: that signal of this process was passed on first, and the program
 * decides what to do about it. `to end`: it was told to end, and what it leaves behind is killed.
 */
type State =
  | { readonly name: "running"; readonly asked: "nothing" | "to end" | NodeJS.Signals }
  | { readonly name: "draining"; readonly exit: Exit }
  | { readonly name: "over" };

/**
 * One process, in a process group of its own, so that all that it has started ends with it. Never through a shell.
 *
 *     running ──exit──▶ draining ──its pipes close, or PIPE_GRACE──▶ over
 *        └── could not be started ──────────────────────────────────▶ over
 */
export class CliProcess {
  readonly forwardsSignals: boolean;
  readonly #child: ChildProcess;
  readonly #listener: ProcessListener;
  /** Runs while the state is `draining` and stdout is not paused. */
  readonly #drain: Deadline;
  #state: State = { name: "running", asked: "nothing" };
  /** The pipe cannot tell: Node resumes it at the exit. */
  #isPaused = false;

  /** @throws what `spawn` throws for arguments that cannot be */
  constructor({ command, args, cwd, env, input, forwardSignals, clock, listener }: ProcessSetup) {
    this.forwardsSignals = forwardSignals;
    this.#listener = listener;
    // After a long turn of the event loop the timer comes first; `setImmediate` lets Node read the pipes before.
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
    // A pipe that breaks has ended; the exit tells the rest.
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

  /** Not `child.stdio`, which is missing when the system has no more file descriptors. */
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

  /** This process ends, by `signal` or without one. The process ends too, unless the same signal was passed on to it. */
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
      this.#child.kill(signal); // the group is gone, or this process may not signal it
    }
  }

  #onError(error: NodeJS.ErrnoException): void {
    if (this.#child.pid !== undefined || this.#state.name === "over") return; // a signal that did not arrive
    this.#state = { name: "over" };
    this.#listener.failed(error);
  }

  #onExit(exit: Exit): void {
    if (this.#state.name === "running" && this.#state.asked !== "nothing") this.#signal("SIGKILL"); // its process group
    this.#state = { name: "draining", exit };
    this.#listener.exited();
    if (!this.isPaused) this.#drain.start();
  }

  #onDrained(): void {
    if (!this.isPaused) this.#close(); // else the grace begins anew when the reader goes on
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

const running = new Set<CliProcess>();

/** The signals by which a terminal or a supervisor ends this process. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Takes signal-exit's listener away again, once there is one. */
let ignoreSignals: (() => void) | undefined;

function watch({ forwardsSignals }: CliProcess): void {
  if (forwardsSignals) listen();
  if (running.size > 1) return;
  process.on("exit", endAll);
  // Imported only now, because the import adds to `globalThis`.
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

/** One shared listener, before all others: `onSignal` has to know whether the app listens too. */
function listen(): void {
  for (const signal of SIGNALS) process.off(signal, onSignal).prependListener(signal, onSignal);
}

function onSignal(signal: NodeJS.Signals): void {
  for (const each of running) if (each.forwardsSignals) each.forward(signal);
  process.off(signal, onSignal);
  // The app has no listener for the signal: the signal ends this process, as without this library.
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  else setImmediate(() => isForwarding() && listen());
}
