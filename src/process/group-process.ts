// Starts one program in its own process group, without a shell; its signals, pipes and end.
import { type ChildProcess, spawn } from "node:child_process";
import { type CancelTimer, type Clock, Deadline } from "../core/clock.ts";
import { randomId } from "../core/random-id.ts";
import { Group } from "./group.ts";
import { unwatch, type Watched, watch } from "./parent-end.ts";
import { MARK } from "./started.ts";

export interface Exit {
  /** Null if a signal ended the process. */
  readonly code: number | null;
  readonly signal: string | null;
}

/** As `input`: keeps stdin open for `write()`. */
export const OPEN_INPUT: unique symbol = Symbol("open input");

export interface ProcessSetup {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Written to stdin, which is then closed. Without `input`, stdin is empty. */
  readonly input: string | typeof OPEN_INPUT | undefined;
  /** Whether to pass on SIGINT, SIGTERM and SIGHUP of this process. */
  readonly forwardSignals: boolean;
  /**
   * `program`: processes that the program leaves behind stay. If it was told to end, they have the rest of its grace.
   * `group`: they are killed, and `ended` waits for them. `all`: as `group`, and so are those that left the group
   * (Linux only). A variable in the environment marks them.
   */
  readonly scope: "program" | "group" | "all";
  readonly clock: Clock;
  readonly listener: ProcessListener;
}

export interface ProcessListener {
  /** Attached directly to the pipe. */
  readonly stdout: (piece: Uint8Array) => void;
  readonly stderr: (piece: Uint8Array) => void;
  /** The program has read what was written, after `write()` returned unread bytes. */
  inputDrained?(): void;
  /** No more stdout will arrive. The process may live on. */
  outputEnded?(): void;
  /** The process has ended. Its output may still arrive. */
  exited(): void;
  /** The process has ended, and all output has arrived. Called once, as the last call. */
  ended(exit: Exit): void;
  /** The process was killed because this process ends. No other call follows. */
  abandoned(): void;
  /** The process could not be started. Called instead of the others. */
  failed(error: NodeJS.ErrnoException): void;
}

/** ms after the exit for other processes to close the pipes. Paused while stdout is paused. */
const PIPE_GRACE = 1_000;

/** ms between checks for processes of the group. The system does not report their end. */
const LOOK_EVERY = 10;

/** ms for a killed group to end, and again for its pipes to close. */
const AFTERMATH = 200;

type State =
  /** `asked`: the signal that was passed on. The program decides how to react. */
  | { readonly name: "running"; readonly asked: NodeJS.Signals | undefined }
  /** Told to end. `limit` kills the group. */
  | { readonly name: "ending"; readonly limit: CancelTimer }
  /** The output may still arrive. */
  | { readonly name: "draining"; readonly exit: Exit }
  /** Waits for the rest of the group. `limit` kills the group, then stops waiting. */
  | {
      readonly name: "clearing";
      readonly exit: Exit;
      readonly limit: CancelTimer;
      readonly look: CancelTimer;
    }
  /** The group has ended, so no signals are sent. Waits for the pipes. */
  | { readonly name: "closing"; readonly exit: Exit; readonly limit: CancelTimer }
  | { readonly name: "over" };

const NO_TIMER: CancelTimer = () => {};

/**
 * One process in its own process group, so that everything that it starts can be ended with it. Never uses a shell.
 *
 *     running ──exit──▶ draining ──its pipes close, or PIPE_GRACE──▶ over
 *        │                 └─────────── scope `group`: SIGKILL ───────┐
 *        ▼                                                            ▼
 *     ending (SIGTERM) ──exit, scope `group`─────────────────────▶ clearing ──no process is left──▶ closing ──pipes close──▶ over
 *        ├── grace: SIGKILL                                           └── grace: SIGKILL; then AFTERMATH ───────────────────▶ over
 *        └── exit, scope `program`: SIGKILL ─────────────────────▶ draining
 *
 * A process that could not be started goes from `running` to `over`. With the scope `group`, an exit that leaves no process goes from `draining` to
 * `closing` at once, and its pipes have PIPE_GRACE. A process that leaves the group (`setsid`) is out of
 * reach, except with the scope `all`.
 */
export class GroupProcess implements Watched {
  readonly forwardsSignals: boolean;
  readonly #child: ChildProcess;
  readonly #group: Group;
  readonly #scope: "program" | "group";
  readonly #clock: Clock;
  readonly #listener: ProcessListener;
  /** Runs in the state `draining`, while stdout is not paused. */
  readonly #drain: Deadline;
  #state: State = { name: "running", asked: undefined };
  /** Not read from the pipe: Node resumes the pipe at the exit. */
  #isPaused = false;

  /** @throws the error of `spawn` for invalid arguments */
  constructor(setup: ProcessSetup) {
    const { command, args, cwd, env, input, forwardSignals, scope, clock, listener } = setup;
    this.forwardsSignals = forwardSignals;
    this.#scope = scope === "program" ? scope : "group";
    const mark = scope === "all" ? randomId("process") : undefined;
    this.#clock = clock;
    this.#listener = listener;
    // After a blocked event loop, timers run first. `setImmediate` lets Node read the pipes before.
    // A paused stdout restarts the limit in `resume`.
    this.#drain = new Deadline(clock, PIPE_GRACE, () =>
      setImmediate(() => {
        if (!this.#isPaused) this.#drained();
      }),
    );
    const child = spawn(command, [...args], {
      cwd,
      env: mark === undefined ? env : { ...env, [MARK]: mark },
      detached: process.platform !== "win32",
      shell: false,
      windowsHide: true,
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    this.#child = child;
    this.#group = new Group(child, mark);
    child.on("error", (error: NodeJS.ErrnoException) => this.#onError(error));
    // A broken pipe is closed; the exit reports the rest.
    for (const pipe of this.#pipes) pipe?.on("error", () => {});
    child.stdin?.on("drain", () => listener.inputDrained?.());
    child.stdout?.on("data", listener.stdout);
    child.stdout?.on("end", () => listener.outputEnded?.());
    child.stderr?.on("data", listener.stderr);
    child.once("exit", (code, signal) => this.#onExit({ code, signal }));
    child.once("close", () => this.#onClose());
    if (input !== OPEN_INPUT) child.stdin?.end(input);
    if (child.pid !== undefined) watch(this);
  }

  /** Not `child.stdio`: it is missing if the system has no file descriptors left. */
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

  /** Writes to stdin, if it is open. Returns the number of unread bytes. */
  write(input: string | Uint8Array): number {
    const { stdin } = this.#child;
    if (!stdin?.writable) return 0;
    stdin.write(input);
    return stdin.writableLength;
  }

  endInput(): void {
    this.#child.stdin?.end();
  }

  /** Stops reading stdout: the program blocks once its pipe is full. An ending group waits for no reader. */
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

  /** Asks the process group to end, and kills it after `grace` ms. A second call changes nothing. */
  terminate(grace: number): void {
    const { name } = this.#state;
    if (name === "draining") this.kill(); // the program has ended: kill what it left behind
    if (name !== "running") return;
    this.resume();
    this.#become({ name: "ending", limit: this.#clock.setTimeout(() => this.kill(), grace) });
    this.#signal("SIGTERM");
  }

  forward(signal: NodeJS.Signals): void {
    const { name } = this.#state;
    if (name === "running") this.#become({ name, asked: this.#state.asked ?? signal });
    this.resume();
    this.#signal(name === "running" || name === "ending" ? signal : "SIGKILL");
  }

  kill(): void {
    const state = this.#state;
    switch (state.name) {
      case "running":
      case "ending":
        this.#become({ name: "ending", limit: NO_TIMER });
        this.#signal("SIGKILL");
        return;
      case "draining":
      case "clearing":
        this.resume();
        this.#signal("SIGKILL");
        if (this.#scope === "group") this.#clear(state.exit);
        return;
      case "closing":
      case "over":
        return;
      default:
        state satisfies never;
    }
  }

  abandon(signal?: NodeJS.Signals | null): void {
    // The program got the same signal.
    if (signal && this.#state.name === "running" && this.#state.asked === signal) return;
    this.kill();
    this.#listener.abandoned();
  }

  /** The only way to change the state. Cancels the last state's timers, unless the next state keeps them. */
  #become(next: State): void {
    const last = this.#state;
    this.#state = next;
    if ("look" in last) last.look();
    if ("limit" in last && !("limit" in next && next.limit === last.limit)) last.limit();
    if (last.name === "draining") this.#drain.stop();
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#state.name !== "closing" && this.#state.name !== "over") this.#group.signal(signal);
  }

  #onError(error: NodeJS.ErrnoException): void {
    if (this.#child.pid !== undefined || this.#state.name === "over") return; // a signal that was not delivered
    this.#become({ name: "over" });
    this.#listener.failed(error);
  }

  #onExit(exit: Exit): void {
    const state = this.#state;
    const isAsked = state.name === "ending" || (state.name === "running" && state.asked !== undefined);
    if (this.#scope === "group" && state.name === "ending") {
      this.#become({ name: "clearing", exit, limit: state.limit, look: NO_TIMER });
      this.#listener.exited();
      // Kill again: the wait for a killed group has a limit.
      if (state.limit === NO_TIMER) this.kill();
      else this.#look();
      return;
    }
    if (isAsked) this.#signal("SIGKILL"); // kill the rest of the process group
    this.#become({ name: "draining", exit });
    this.#listener.exited();
    if (this.#state.name !== "draining") return; // the listener has killed the group
    if (this.#scope === "group" && !this.#group.isAlive) this.#close(exit, PIPE_GRACE);
    else if (!this.isPaused) this.#drain.start();
  }

  #drained(): void {
    if (this.#state.name !== "draining") return;
    if (this.#scope === "group") this.kill();
    else this.#over(this.#state.exit);
  }

  #onClose(): void {
    if (this.#state.name === "draining") this.#drained();
    else if (this.#state.name === "closing") this.#over(this.#state.exit);
  }

  /** Waits for the killed group. */
  #clear(exit: Exit): void {
    const limit = this.#clock.setTimeout(() => this.#over(exit), AFTERMATH);
    this.#become({ name: "clearing", exit, limit, look: NO_TIMER });
    this.#look();
  }

  #look(): void {
    const state = this.#state;
    if (state.name !== "clearing") return;
    if (this.#group.isAlive)
      this.#become({ ...state, look: this.#clock.setTimeout(() => this.#look(), LOOK_EVERY) });
    else this.#close(state.exit, AFTERMATH);
  }

  #close(exit: Exit, delay: number): void {
    this.#signal("SIGKILL"); // kill a process that started during the check
    const giveUp = (): void => void setImmediate(() => this.#over(exit)); // see `#drain`
    this.#become({ name: "closing", exit, limit: this.#clock.setTimeout(giveUp, delay) });
    if (this.#pipes.every((pipe) => !pipe || pipe.closed)) this.#over(exit);
  }

  #over(exit: Exit): void {
    if (this.#state.name === "over") return;
    this.#become({ name: "over" });
    unwatch(this);
    for (const pipe of this.#pipes) pipe?.removeAllListeners("data").destroy();
    this.#child.unref();
    this.#listener.ended(exit);
  }
}
