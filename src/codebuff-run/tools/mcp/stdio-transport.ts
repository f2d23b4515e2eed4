// A local MCP server over stdin and stdout, one JSON message per line.
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isObject } from "../../../core/checks.ts";
import type { CancelTimer } from "../../../core/clock.ts";
import { deferred } from "../../../core/deferred.ts";
import { said } from "../../../core/errors.ts";
import { flattened, isTooDeep } from "../../../core/text.ts";
import { GroupProcess, OPEN_INPUT, type ProcessSetup } from "../../../process/group-process.ts";
import { Tail } from "../../../process/lines.ts";
import { locate } from "../../../process/program.ts";
import { Lines } from "./lines.ts";
import { failureInstead } from "./nesting.ts";

type StdioSetup = Pick<ProcessSetup, "command" | "args" | "env" | "cwd" | "clock">;

/** Bytes of one message. The largest image in a result has 5 MiB. */
const MAX_LINE = 16 * 1_048_576;

/** Bytes that the server may leave unread. The arguments of a call have at most 4 MiB. */
const MAX_UNREAD = 16 * 1_048_576;

/** Bytes of stderr in the reason for an end. */
const MAX_STDERR = 2_048;

/** ms for the server to end after its input was closed. */
const INPUT_GRACE = 300;

/** ms from SIGTERM to SIGKILL. With `INPUT_GRACE`, less than the 2 s of a client's close. */
const TERM_GRACE = 1_200;

/** Runs the server in its own process group. One line is one JSON-RPC message. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #setup: StdioSetup;
  readonly #lines = new Lines(MAX_LINE);
  readonly #stderr = new Tail(MAX_STDERR);
  readonly #over = deferred<void>();
  #process: GroupProcess | undefined;
  #cancelTimer: CancelTimer = () => {};
  #isOver = false;
  /** Why the server ended. */
  why: string | undefined;

  constructor(setup: StdioSetup) {
    this.#setup = setup;
  }

  async start(): Promise<void> {
    const { command, args, env } = this.#setup;
    try {
      const program = locate(command, env);
      this.#process = new GroupProcess({
        ...this.#setup,
        command: program.command,
        args: [...program.args, ...args],
        input: OPEN_INPUT,
        forwardSignals: false,
        scope: "group",
        listener: {
          stdout: (piece) => this.#read(piece),
          stderr: (piece) => this.#stderr.push(piece),
          exited: () => this.#process?.kill(), // kill the remaining processes
          ended: ({ code, signal }) => this.#end(`it has ended ${how(code, signal)}`),
          abandoned: () => {},
          failed: (error) => this.#end(`it could not be started: ${error.message}`),
        },
      });
    } catch (error) {
      this.#end(`it could not be started: ${error instanceof Error ? error.message : said(error)}`);
      throw error;
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isOver || !this.#process) throw new Error("the server is not running");
    const unread = this.#process.write(`${JSON.stringify(message)}\n`);
    if (unread > MAX_UNREAD) this.#giveUp("it does not read its input");
  }

  /** Ends the server and all its processes. Resolves when they have ended. */
  close(): Promise<void> {
    if (!this.#process) this.#end("it was closed");
    if (!this.#isOver && this.why === undefined) {
      this.why = "it was closed";
      this.#process?.endInput();
      this.#cancelTimer = this.#setup.clock.setTimeout(
        () => this.#process?.terminate(TERM_GRACE),
        INPUT_GRACE,
      );
    }
    return this.#over.promise;
  }

  #read(piece: Uint8Array): void {
    const lines = this.#lines.push(piece);
    for (const line of lines ?? []) this.#take(line);
    if (!lines) this.#giveUp(`a line of its output is longer than ${MAX_LINE} bytes`);
  }

  /** Ignores other lines: many servers print logs to stdout. */
  #take(line: string): void {
    if (!line.startsWith("{")) return;
    const isDeep = isTooDeep(line);
    let message: unknown;
    try {
      message = JSON.parse(isDeep ? flattened(line) : line);
    } catch {
      return;
    }
    if (!isObject(message) || message["jsonrpc"] !== "2.0") return;
    const given = isDeep ? failureInstead(message) : (message as JSONRPCMessage);
    if (given) this.onmessage?.(given);
  }

  #giveUp(why: string): void {
    this.why ??= why;
    this.#process?.kill();
  }

  #end(why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelTimer();
    const { text } = this.#stderr;
    this.why ??= text === "" ? why : `${why}: ${text}`;
    this.#over.resolve();
    this.onclose?.();
  }
}

function how(code: number | null, signal: string | null): string {
  return code === null ? `by ${signal}` : `with code ${code}`;
}
