// Starts one program in a process group of its own, without a shell; its signals, pipes and end.
import { type ChildProcess, spawn } from "node:child_process";
import { type CancelTimer, type Clock, Deadline } from "../core/clock.ts";
import { Group } from "./group.ts";
import { unwatch, type Watched, watch } from "./parent-end.ts";

/** The end of a process. */
export interface Exit {
  /** Null if a signal ended the process. */
  readonly code: number | null;
  readonly signal: string | null;
}

/** Instead of an input: stdin stays open for `write()`. */
export const OPEN_INPUT: unique symbol = Symbol("open input");

export interface ProcessSetup {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Written to stdin at once; stdin is then closed. Without `input`, stdin is empty. */
  readonly input: string | typeof OPEN_INPUT | undefined;
  /** Whether SIGINT, SIGTERM and SIGHUP of this process are passed on. */
  readonly forwardSignals: boolean;
  /**
   * What ends. `program`: the processes that the program leaves behind stay, unless it was told to end. `group`: they are killed, and
   * `ended` waits for their end; if the program was told to end, they have the rest of its grace.
   */
  readonly scope: "program" | "group";
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

/** ms between two looks for processes of the group: nothing tells the end of a process that is not a child of this one. */
const LOOK_EVERY = 10;

/** ms for a killed group to go, and then for its pipes to close. A process that has left the group may keep the pipes. */
const AFTERMATH = 200;

type State =
  /** `asked`: a signal that this process got and passed on. The program decides how to react. */
  | { readonly name: "running"; readonly asked: NodeJS.Signals | undefined }
  /** Told to end. `limit` kills the group. */
  | { readonly name: "ending"; readonly limit: CancelTimer }
  /** The output may still arrive. */
  | { readonly name: "draining"; readonly exit: Exit }
  /** Waits for the rest of the group. `limit` first kills the group, then gives up. */
  | {
      readonly name: "clearing";
      readonly exit: Exit;
      readonly limit: CancelTimer;
      readonly look: CancelTimer;
    }
  /** The group has gone, so no signal may be sent any more. Waits for the pipes. */
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
 * `closing` at once, and its pipes have PIPE_GRACE. A process that leaves the group (`setsid`) is out of reach.
 */
export class GroupProcess implements Watched {
  readonly forwardsSignals: boolean;
  readonly #child: ChildProcess;
  readonly #group: Group;
  readonly #scope: ProcessSetup["scope"];
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
    this.#scope = scope;
    this.#clock = clock;
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
    this.#group = new Group(child);
    child.on("error", (error: NodeJS.ErrnoException) => this.#onError(error));
    // A broken pipe has ended; the exit reports the rest.
    for (const pipe of this.#pipes) pipe?.on("error", () => {});
    child.stdout?.on("data", listener.stdout);
    child.stderr?.on("data", listener.stderr);
    child.once("exit", (code, signal) => this.#onExit({ code, signal }));
    child.once("close", () => this.#onClose());
    if (input !== OPEN_INPUT) child.stdin?.end(input);
    if (child.pid !== undefined) watch(this);
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

  /** Writes to the input, if it is open. Returns the bytes that the program has not read yet. */
  write(text: string): number {
    const { stdin } = this.#child;
    if (!stdin?.writable) return 0;
    stdin.write(text);
    return stdin.writableLength;
  }

  endInput(): void {
    this.#child.stdin?.end();
  }

  /** Stops reading stdout: the program waits once its pipe is full. The scope `group` waits for no reader at the end. */
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
    if (name === "draining") this.kill(); // there is no second chance
    if (name !== "running") return;
    this.resume();
    this.#become({ name: "ending", limit: this.#clock.setTimeout(() => this.kill(), grace) });
    this.#signal("SIGTERM");
  }

  /** Passes on a signal that this process got. */
  forward(signal: NodeJS.Signals): void {
    const { name } = this.#state;
    if (name === "running") this.#become({ name, asked: this.#state.asked ?? signal });
    this.resume();
    this.#signal(name === "running" || name === "ending" ? signal : "SIGKILL");
  }

  /** Kills the process group. */
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
    // The program has got the same signal.
    if (signal && this.#state.name === "running" && this.#state.asked === signal) return;
    this.kill();
    this.#listener.abandoned();
  }

  /** Changes the state; the only way to do so. Cancels the timers that the next state does not take over. */
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
    if (this.#child.pid !== undefined || this.#state.name === "over") return; // only a signal that did not arrive
    this.#become({ name: "over" });
    this.#listener.failed(error);
  }

  #onExit(exit: Exit): void {
    const state = this.#state;
    const isAsked = state.name === "ending" || (state.name === "running" && state.asked !== undefined);
    if (this.#scope === "group" && state.name === "ending") {
      this.#become({ name: "clearing", exit, limit: state.limit, look: NO_TIMER });
      this.#listener.exited();
      // Again after a kill, since the wait for a killed group has a limit.
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

  #onDrained(): void {
    if (!this.isPaused) this.#drained(); // otherwise the grace period starts again when the reader goes on
  }

  #drained(): void {
    if (this.#state.name !== "draining") return;
    if (this.#scope === "group") this.kill();
    else this.#over(this.#state.exit);
  }

  /** All pipes are closed. */
  #onClose(): void {
    if (this.#state.name === "draining") this.#drained();
    else if (this.#state.name === "closing") this.#over(this.#state.exit);
  }

  /** The group was killed. */
  #clear(exit: Exit): void {
    const limit = this.#clock.setTimeout(() => this.#over(exit), AFTERMATH);
    this.#become({ name: "clearing", exit, limit, look: NO_TIMER });
    this.#look();
  }

  /** Looks for processes of the group until none is left. */
  #look(): void {
    const state = this.#state;
    if (state.name !== "clearing") return;
    if (this.#group.isAlive)
      this.#become({ ...state, look: this.#clock.setTimeout(() => this.#look(), LOOK_EVERY) });
    else this.#close(state.exit, AFTERMATH);
  }

  #close(exit: Exit, delay: number): void {
    this.#signal("SIGKILL"); // one that was started during the look
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
