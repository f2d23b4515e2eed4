// The options of an ACP client, with their checks and defaults.
import { resolve } from "node:path";
import { type Check, type Checks, checks, defined, isObject, oneOf, orFalse } from "../core/checks.ts";
import type { LocalSettings } from "../core/client/local-core.ts";
import { LOCAL_CHECKS, type LocalClientOptions, resolveLocalOptions } from "../core/client/local-options.ts";
import { InvalidInputError } from "../core/errors.ts";
import { APPROVAL_CHECKS, type ApprovalOptions } from "../core/gate/options.ts";
import { isPromptFiles } from "../core/turn/prompt-files.ts";
import { isFolder, isSameFolder } from "../process/folder.ts";
import { isArgument } from "../process/program.ts";
import type { AcpFiles } from "./door.ts";

/** A pair of streams to an agent in this process, instead of a program. */
export interface AcpStream {
  /** What the agent says: lines of JSON, as bytes. */
  readonly readable: {
    getReader(): {
      read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
      cancel(reason?: unknown): Promise<unknown>;
    };
  };
  /** What the agent hears. */
  readonly writable: {
    getWriter(): { write(bytes: Uint8Array): Promise<unknown>; close(): Promise<unknown> };
  };
}

/** A server of tools, which the agent connects to. Its `env` and `headers` are secrets. */
export type AcpMcpServer =
  | {
      readonly name: string;
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
    }
  | {
      readonly type: "http" | "sse";
      readonly name: string;
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
    };

/** Options of {@link AcpClient}. Times are in ms, sizes in bytes; 0 turns a time limit off. */
export interface AcpOptions extends LocalClientOptions, ApprovalOptions {
  /** The agent: a name in `PATH`, or a path. Started without a shell. A preset knows the usual agents. */
  readonly command?: string;
  /** The arguments that make the program speak ACP, such as `["--acp"]`. @default none */
  readonly args?: readonly string[];
  /**
   * Connects to an agent in this process, for tests. Called once per connection. Excludes `command`.
   * @default none: a program is started
   */
  readonly createStream?: () => AcpStream;
  /** The folder that the agent works in. It must exist. @default the working directory of this process */
  readonly cwd?: string;
  /** Additional environment variables. Keys among them are masked in errors. @default none */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Variables of this process that the agent gets besides PATH, HOME, USER, LANG, LC_* and TMPDIR. An agent passes them
   * on to its commands. Keys among them are masked in errors. @default none
   */
  readonly keepEnv?: readonly string[];
  /**
   * The mode of each session. `"ask"`: the first of `default`, `ask`, `read-only` and `manual` that the agent has, and
   * it is set back if the agent changes it. An id: this one. `false`: the agent's own, which may ask nobody.
   * @default "ask"
   */
  readonly mode?: string | false;
  /** The id of an authentication method of the agent. It may open a browser. @default none is used */
  readonly auth?: string;
  /** Servers of tools, which the agent connects to. @default none */
  readonly mcpServers?: readonly AcpMcpServer[];
  /**
   * What `always` becomes. `gate`: this client remembers the decision for the same input, and tells the agent `once`;
   * calls without input get no such grant. `agent`: the agent remembers it, perhaps on disk and for all projects, and
   * decides what it covers. @default "gate"
   */
  readonly always?: "gate" | "agent";
  /**
   * Lets the agent write files through this library, and with `terminal` run commands: `nodeTools({ root: cwd })` of
   * `agentwire/codebuff-run/tools`. Many agents write by themselves all the same. Prompts may then name files of the folder
   * (`{ text, files }`). @default none
   */
  readonly files?: AcpFiles;
  /**
   * Whether the agent may also read through `files`. Gemini cannot write new files then. @default false
   */
  readonly readFiles?: boolean;
  /** The name of the app, for the agent. @default agentwire */
  readonly clientInfo?: { readonly name: string; readonly title?: string; readonly version: string };
  /** Concurrent turns, each in a session of its own; further turns wait. @default 4 */
  readonly maxTurns?: number;
  /**
   * From the start of the program to its first answer, and again for each request but a prompt. Raise it for agents that
   * load much. @default 60_000: the slowest known agent takes 30 s
   */
  readonly connectTimeout?: number;
  /**
   * ms without a message of the turn's session. Many agents retry silently for minutes. Open decisions do not count.
   * @default 600_000
   */
  readonly idleTimeout?: number;
  /**
   * From a cancel to the agent's confirmation. Then the program is ended, and with it the other sessions.
   * @default 10_000
   */
  readonly cancelTimeout?: number;
  /**
   * Forwards SIGINT, SIGTERM and SIGHUP to the program. For command line apps.
   * @default false: a signal that ends this process kills the program; a signal that the app handles does not
   */
  readonly forwardSignals?: boolean;
  /** Bytes of a line. A longer line is skipped, with a warning. @default 33_554_432 */
  readonly maxLineBytes?: number;
  /** Bytes of a prompt. @default 16_777_216 */
  readonly maxSendBytes?: number;
}

const MEBIBYTE = 1_048_576;

const strings: Check = {
  expects: "an array of strings without NUL",
  holds: (value) => Array.isArray(value) && value.every(isArgument),
};

const argument: Check = {
  expects: "a string that is not blank, without NUL",
  holds: (value) => isArgument(value) && value.trim() !== "",
};

const CHECKS: Checks<AcpOptions> = {
  ...LOCAL_CHECKS,
  ...APPROVAL_CHECKS,
  command: argument,
  args: strings,
  createStream: checks.function,
  cwd: argument,
  env: {
    expects: "an object of strings without NUL",
    holds: (given) =>
      isObject(given) &&
      Object.entries(given).every(
        ([name, text]) => isArgument(text) && isArgument(name) && name !== "" && !name.includes("="),
      ),
  },
  keepEnv: strings,
  mode: orFalse(checks.text),
  auth: checks.text,
  mcpServers: {
    expects: "an array of { name, command } or { type, name, url }",
    holds: (value) => Array.isArray(value) && value.every(isServer),
  },
  always: oneOf("gate", "agent"),
  files: {
    expects: isPromptFiles.expects,
    holds: (value) =>
      isPromptFiles.holds(value) &&
      isObject(value) &&
      isObject(value["handlers"]) &&
      typeof value["readFiles"] === "function",
  },
  readFiles: checks.boolean,
  clientInfo: {
    ...checks.object,
    fields: { name: checks.text, title: checks.text, version: checks.text },
  },
  maxTurns: checks.count,
  connectTimeout: checks.delay,
  idleTimeout: checks.delay,
  cancelTimeout: checks.delay,
  forwardSignals: checks.boolean,
  maxLineBytes: checks.count,
  maxSendBytes: checks.count,
};

function isServer(value: unknown): boolean {
  if (!isObject(value) || typeof value["name"] !== "string") return false;
  return typeof value["command"] === "string" || typeof value["url"] === "string";
}

const DEFAULTS = {
  args: [],
  env: {},
  keepEnv: [],
  mode: "ask",
  mcpServers: [],
  always: "gate",
  readFiles: false,
  clientInfo: { name: "agentwire", title: "agentwire", version: "0" },
  maxTurns: 4,
  connectTimeout: 60_000,
  idleTimeout: 600_000,
  cancelTimeout: 10_000,
  forwardSignals: false,
  maxLineBytes: 32 * MEBIBYTE,
  maxSendBytes: 16 * MEBIBYTE,
} satisfies AcpOptions;

type Defaulted = keyof typeof DEFAULTS;

/** Every option with its default. `cwd` is absolute. */
export type AcpSettings = Omit<AcpOptions, Defaulted | keyof LocalSettings | "cwd" | "command"> &
  Required<Pick<AcpOptions, Defaulted>> &
  LocalSettings & { readonly cwd: string; readonly command: string };

/** @throws InvalidInputError for the first option that does not exist or is wrong */
export function resolveOptions(options: AcpOptions): AcpSettings {
  const shared = resolveLocalOptions(options, CHECKS);
  const { command, createStream, files, cwd: folder = process.cwd() } = options;
  if ((command === undefined) === (createStream === undefined))
    throw new InvalidInputError(
      command === undefined
        ? "option `command` is missing."
        : "options `command` and `createStream` are both given.",
      command === undefined
        ? 'Give the agent\'s program, such as { command: "gemini", args: ["--acp"] }, or a preset.'
        : "Pass one of the two.",
    );
  const cwd = resolve(folder);
  if (!isFolder(cwd)) throw new InvalidInputError(`\`cwd\` is no folder: ${cwd}.`, "Pass one that exists.");
  if (files && !isSameFolder(files.root, cwd))
    throw new InvalidInputError(
      "option `files` is a door to another folder than `cwd`.",
      "Pass nodeTools({ root }) with the same folder.",
    );
  return { ...DEFAULTS, ...defined(options), ...shared, cwd, command: command ?? "the agent" };
}

/** A server of tools, as ACP writes it: names and values in lists. */
export function onWire(server: AcpMcpServer): object {
  const listOf = (values: Readonly<Record<string, string>> = {}): object[] =>
    Object.entries(values).map(([name, value]) => ({ name, value }));
  if ("url" in server) return { ...server, headers: listOf(server.headers) };
  return { name: server.name, command: server.command, args: server.args ?? [], env: listOf(server.env) };
}
