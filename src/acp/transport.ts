// What carries the lines of an agent: a program's pipes, or a pair of streams in this process.
import type { CancelTimer, Clock } from "../core/clock.ts";
import { programEnvironment } from "../process/environment.ts";
import { type Exit, GroupProcess, OPEN_INPUT } from "../process/group-process.ts";
import { Tail } from "../process/lines.ts";
import { locate } from "../process/program.ts";
import { agentNotStarted } from "./errors.ts";
import type { AcpSettings, AcpStream } from "./options.ts";

interface TransportListener {
  readonly stdout: (piece: Uint8Array) => void;
  /** The program has closed its output. It may live on. */
  readonly outputEnded: () => void;
  /** Called once, after all output, whatever has ended it. */
  readonly ended: (exit: Exit) => void;
  /** It could not be started. Called instead of `ended`. */
  readonly failed: (error: Error) => void;
}

export interface Transport {
  readonly pid: number | undefined;
  /** The end of the error output. */
  readonly stderr: string;
  write(line: string): void;
  endInput(): void;
  /** Asks the program to end, and ends it and all that it has started after `grace` ms. */
  terminate(grace: number): void;
  kill(): void;
  pause(): void;
  resume(): void;
}

/** Bytes of kept error output. */
export const MAX_STDERR = 65_536;

/** Further bytes of it, so that no key is cut where the output that is shown begins. */
export const STDERR_MARGIN = 4_096;

/** An agent's program: its own process group, no shell, a small environment. What leaves the group ends with it. */
export class ProgramTransport implements Transport {
  readonly #process: GroupProcess;
  readonly #stderr = new Tail(MAX_STDERR + STDERR_MARGIN);

  /** @throws ConnectError */
  constructor(settings: AcpSettings, listener: TransportListener, clean: (text: string) => string) {
    const { command, args, cwd, clock, forwardSignals } = settings;
    const env = agentEnvironment(settings);
    try {
      const program = locate(command, env);
      this.#process = new GroupProcess({
        command: program.command,
        args: [...program.args, ...args],
        cwd,
        env,
        input: OPEN_INPUT,
        forwardSignals,
        scope: "all",
        clock,
        listener: {
          stdout: listener.stdout,
          outputEnded: listener.outputEnded,
          stderr: (piece) => this.#stderr.push(piece),
          exited: () => {},
          abandoned: () => {},
          ended: listener.ended,
          failed: (error) => listener.failed(agentNotStarted(command, error, clean, true)),
        },
      });
    } catch (cause) {
      throw agentNotStarted(command, cause, clean, false);
    }
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get stderr(): string {
    return this.#stderr.text;
  }

  write(line: string): void {
    this.#process.write(`${line}\n`);
  }

  endInput(): void {
    this.#process.endInput();
  }

  terminate(grace: number): void {
    this.#process.terminate(grace);
  }

  kill(): void {
    this.#process.kill();
  }

  pause(): void {
    this.#process.pause();
  }

  resume(): void {
    this.#process.resume();
  }
}

/** PATH, HOME, USER, LANG, LC_* and TMPDIR, what the caller names, and nothing else of this process. */
function agentEnvironment({ env, keepEnv }: Pick<AcpSettings, "env" | "keepEnv">): NodeJS.ProcessEnv {
  const { platform, env: own } = process;
  return programEnvironment({ own, env, inheritEnv: false, keepEnv, quiet: QUIET, platform });
}

/** An agent writes no colours into its messages. */
const QUIET = { TERM: "dumb", NO_COLOR: "1" };

const NO_EXIT: Exit = { code: null, signal: null };

/** An agent in this process. */
export class StreamTransport implements Transport {
  readonly pid = undefined;
  readonly stderr = "";
  readonly #reader: ReturnType<AcpStream["readable"]["getReader"]>;
  readonly #writer: ReturnType<AcpStream["writable"]["getWriter"]>;
  readonly #listener: TransportListener;
  readonly #encoder = new TextEncoder();
  readonly #clock: Clock;
  #resumed: (() => void) | undefined;
  #isPaused = false;
  #isInputEnded = false;
  #isOver = false;
  #limit: CancelTimer = () => {};

  constructor({ readable, writable }: AcpStream, listener: TransportListener, clock: Clock) {
    this.#reader = readable.getReader();
    this.#writer = writable.getWriter();
    this.#listener = listener;
    this.#clock = clock;
    void this.#read();
  }

  write(line: string): void {
    if (this.#isInputEnded) return; // a closed stream may throw
    this.#writer.write(this.#encoder.encode(`${line}\n`)).catch(() => this.kill());
  }

  endInput(): void {
    if (this.#isInputEnded) return;
    this.#isInputEnded = true;
    this.#writer.close().catch(() => {}); // the agent has gone: `#read` tells it
  }

  terminate(grace: number): void {
    this.endInput();
    this.#limit();
    this.#limit = this.#clock.setTimeout(() => this.kill(), grace, { unref: true });
  }

  kill(): void {
    this.#over();
    this.#reader.cancel().catch(() => {});
    this.endInput();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#resumed?.();
  }

  async #read(): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (done || this.#isOver) break;
        if (value) this.#listener.stdout(value);
        if (this.#isPaused) await this.#resuming();
      }
    } catch {
      // the stream has failed: it ends like any other
    }
    this.#over();
  }

  #resuming(): Promise<void> {
    return new Promise((resume) => {
      this.#resumed = resume;
    });
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#limit();
    this.#resumed?.();
    this.#listener.ended(NO_EXIT);
  }
}
