// `terminal/*`: an agent's commands, run by the tools of a folder and kept until the agent releases them.

import { resolve } from "node:path";
import { fieldsOf, isObject } from "../core/checks.ts";
import { type Deferred, deferred } from "../core/deferred.ts";
import { type SubjectRules, subjectOf } from "../core/gate/subject.ts";
import { randomId } from "../core/random-id.ts";
import { utf8Length } from "../core/text.ts";
import { isSameFolder } from "../process/folder.ts";
import { type AllowedCall, hasInput, isFor } from "./calls.ts";
import type { AcpFiles, DoorCall, DoorRequest, RequestDoor } from "./door.ts";
import { AgentRefusal, RPC } from "./errors.ts";
import { unoffered } from "./files.ts";
import type { AgentLink } from "./link.ts";
import type { OpenSession } from "./links.ts";
import type { SessionTurn } from "./session.ts";

interface ExitStatus {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

interface Terminal {
  readonly link: AgentLink;
  readonly controller: AbortController;
  readonly limit: number;
  readonly exited: Deferred<ExitStatus>;
  output: string;
  isTruncated: boolean;
  exit: ExitStatus | undefined;
}

/** Bytes of kept output, if the agent names no limit. */
const MAX_OUTPUT = 1_048_576;

export class TerminalRequests {
  readonly #files: AcpFiles | undefined;
  readonly #door: RequestDoor;
  readonly #terminals = new Map<string, Terminal>();
  /** Those whose command runs, released or not. */
  readonly #running = new Set<Terminal>();
  /** Allowed calls whose command has been started: a permission is for one command. */
  readonly #used = new WeakSet<AllowedCall>();

  constructor(files: AcpFiles | undefined, door: RequestDoor) {
    this.#files = files;
    this.#door = door;
  }

  /** @throws AgentRefusal */
  async create(
    params: unknown,
    open: OpenSession | undefined,
    onAsked: DoorRequest["asked"],
  ): Promise<object> {
    const handler = this.#files?.handlers["run_terminal_command"];
    if (!handler) throw unoffered("terminal/create");
    const { command, args, env, cwd, outputByteLimit } = fieldsOf(params);
    if (typeof command !== "string" || command.trim() === "" || !open)
      throw new AgentRefusal(RPC.invalidParams, "there is no command", undefined);
    const line = shellLine(command, args, env);
    const input = { command: line, ...(typeof cwd === "string" ? { cwd } : {}) };
    const call = await this.#door.enter(open.session.running, {
      name: "terminal/create",
      input,
      raw: params,
      isAllowed: this.#isAllowed(open.session.running, input),
      asked: onAsked,
    });
    // The turn was cancelled in the tick of the approval: a listener would hear nothing any more.
    if (call.signal.aborted) throw new AgentRefusal(RPC.invalidParams, "the turn is over", undefined);
    const limit = typeof outputByteLimit === "number" && outputByteLimit >= 0 ? outputByteLimit : MAX_OUTPUT;
    const terminal: Terminal = {
      link: open.link,
      controller: new AbortController(),
      limit,
      exited: deferred(),
      output: "",
      isTruncated: false,
      exit: undefined,
    };
    const terminalId = randomId("terminal");
    this.#terminals.set(terminalId, terminal);
    const { signal } = terminal.controller;
    call.signal.addEventListener("abort", () => terminal.controller.abort(), { once: true });
    const onProgress = (output: string): void => setOutput(terminal, terminal.output + output);
    const asked = {
      id: call.id,
      name: "run_terminal_command",
      input: { ...input, process_type: "SYNC", timeout_seconds: -1 },
      turnId: call.turnId,
    };
    this.#running.add(terminal);
    void handler(asked, { signal, onProgress })
      .then(
        (told) => ended(terminal, call, fieldsOf(told[0]?.value)),
        () => ended(terminal, call, { errorMessage: "the command could not be run" }),
      )
      .finally(() => this.#running.delete(terminal));
    return { terminalId };
  }

  /** @throws AgentRefusal for an unknown terminal */
  async answer(
    method: "terminal/output" | "terminal/wait_for_exit" | "terminal/kill" | "terminal/release",
    params: unknown,
  ): Promise<object> {
    const { terminalId } = fieldsOf(params);
    const terminal = typeof terminalId === "string" ? this.#terminals.get(terminalId) : undefined;
    if (!terminal)
      throw new AgentRefusal(RPC.notFound, `there is no terminal ${String(terminalId)}`, undefined);
    switch (method) {
      case "terminal/output": {
        const { output, isTruncated: truncated, exit } = terminal;
        return { output, truncated, ...(exit ? { exitStatus: exit } : {}) };
      }
      case "terminal/wait_for_exit":
        return terminal.exited.promise;
      case "terminal/release":
        this.#terminals.delete(String(terminalId));
        terminal.controller.abort();
        return {};
      case "terminal/kill":
        terminal.controller.abort();
        return {};
      default:
        throw method satisfies never;
    }
  }

  /** The link has ended, and its commands end with it. */
  over(link: AgentLink): void {
    for (const [id, terminal] of this.#terminals) {
      if (terminal.link !== link) continue;
      this.#terminals.delete(id);
      terminal.controller.abort();
    }
  }

  /** Resolves when no command runs any more. Undefined if none does. */
  idle(): Promise<unknown> | undefined {
    if (this.#running.size === 0) return undefined;
    return Promise.all([...this.#running].map(({ exited }) => exited.promise));
  }

  /** Whether the agent has just asked for this very command in this very folder, and the user has allowed it. */
  #isAllowed(run: SessionTurn | undefined, input: object): boolean {
    const root = this.#files?.root ?? "";
    const key = keyOf(input, root);
    const call = run?.calls.allowed.find(
      (each) =>
        key !== undefined &&
        !this.#used.has(each) &&
        isFor(each, "execute") &&
        keyOf(commandOf(each), root) === key,
    );
    if (call) this.#used.add(call);
    return call !== undefined;
  }
}

/** The command that a request has shown: its fields, or all of its words but the usual ones (`kimi`). */
function commandOf({ shown: { input, wire } }: AllowedCall): unknown {
  if (hasInput(wire)) return input;
  const { content } = fieldsOf(input);
  const [, command] = (typeof content === "string" && QUOTED.exec(content)) || [];
  return { command };
}

/** Anchored: a file's text or the name of a tool may be in backticks, too. */
const QUOTED = /^(?:Requesting approval to perform: )?Run command `([\s\S]*)`$/;

const COMMAND: SubjectRules = {
  command: { about: "command", command: "command", folder: "cwd", free: ["description"] },
};

/** Equal for the same command in the same folder. Fields of an unknown meaning make it another. */
function keyOf(input: unknown, root: string): string | undefined {
  const { cwd, ...rest } = fieldsOf(input);
  const isInRoot = typeof cwd === "string" && isSameFolder(resolve(root, cwd), root);
  return subjectOf({ name: "command", input: isInRoot ? rest : input }, COMMAND)?.key;
}

function ended(terminal: Terminal, call: DoorCall, told: Readonly<Record<string, unknown>>): void {
  const { stdout, stderr, exitCode, signal, errorMessage } = told;
  const isKilled = terminal.controller.signal.aborted;
  const said = [stdout, stderr, errorMessage].filter((text) => typeof text === "string").join("");
  if (!isKilled || said !== "") setOutput(terminal, said);
  terminal.exit = {
    exitCode: typeof exitCode === "number" ? exitCode : isKilled || typeof signal === "string" ? null : 1,
    signal: typeof signal === "string" ? signal : isKilled ? "SIGTERM" : null,
  };
  terminal.exited.resolve(terminal.exit);
  if (typeof errorMessage === "string") call.failed(errorMessage);
  else call.done(terminal.output);
}

/** Keeps the end of the output, whole characters only. */
function setOutput(terminal: Terminal, output: string): void {
  const { limit } = terminal;
  if (utf8Length(output) <= limit) {
    terminal.output = output;
    return;
  }
  terminal.isTruncated = true;
  const bytes = Buffer.from(output);
  let start = bytes.length - limit;
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  terminal.output = bytes.subarray(start).toString();
}

/** A command with its arguments and variables as a line for a shell. Without arguments the command is a line itself. */
function shellLine(command: string, args: unknown, env: unknown): string {
  const list = Array.isArray(args) ? args.filter((arg) => typeof arg === "string") : [];
  const line = list.length === 0 ? command : [command, ...list].map(quote).join(" ");
  const variables = (Array.isArray(env) ? env : []).flatMap((each: unknown) => {
    const { name, value } = isObject(each) ? each : {};
    const isName = typeof name === "string" && /^[a-zA-Z_]\w*$/.test(name);
    return isName && typeof value === "string" ? [`${name}=${quote(value)}`] : [];
  });
  return variables.length === 0 ? line : `export ${variables.join(" ")}; ${line}`;
}

function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
