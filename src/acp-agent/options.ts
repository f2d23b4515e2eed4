// The options of `acpAgent`, and what it tells the app about a session.

import { storeCheck } from "../chat/options.ts";
import { type ChatStore, memoryStore } from "../chat/store/store.ts";
import { type Checks, checkCallOptions, checks, defined, describe } from "../core/checks.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { InvalidInputError } from "../core/errors.ts";
import type { AgentSource } from "../universal/stream.ts";

/** A server of tools that the client wants the agent to use. It takes the form that `acp({ mcpServers })` takes. */
export interface AcpAgentMcpServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** May hold secrets. */
  readonly env: Readonly<Record<string, string>>;
}

/** The program that has connected, such as an editor. */
export interface AcpAgentClient {
  /** Absent if the client does not say its name. */
  readonly name?: string;
  readonly title?: string;
  readonly version?: string;
  /** What the client offers, as it says so: `clientCapabilities` of ACP. */
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/** A session that a client opens. */
export interface AcpAgentSession {
  /** The id of the session, and of its chat in the store. */
  readonly id: string;
  /** The folder that the user works in. Absolute. */
  readonly cwd: string;
  /** More folders of the user. Absolute. */
  readonly additionalDirectories: readonly string[];
  readonly mcpServers: readonly AcpAgentMcpServer[];
  readonly client: AcpAgentClient;
}

/** Makes the source of a session. Its error becomes the answer to the client. */
export type AcpAgentSourceOf = (session: AcpAgentSession) => AgentSource | Promise<AgentSource>;

/** Options of {@link acpAgent}. */
export interface AcpAgentOptions {
  /** Keeps the sessions, for `session/load`, `resume` and `list`. @default in memory, as long as the agent lives */
  readonly store?: ChatStore;
  /** The name of the agent, for programs. @default agentwire */
  readonly name?: string;
  /** The name of the agent, for people. @default the name */
  readonly title?: string;
  /** The version of the agent. @default 0 */
  readonly version?: string;
  /**
   * Whether clients may offer images. ACP wants to know before there is a session. A prompt with an image is refused all
   * the same if the source of its session takes none. @default true
   */
  readonly images?: boolean;
  /** Open sessions, of all connections. Each has a client of its source. More are refused. @default 64 */
  readonly maxSessions?: number;
  /** Characters of a tool's output that the client gets. Editors keep all of it. @default 1_048_576 */
  readonly maxToolOutput?: number;
  /** ms for the chats to close after `stdio()` ends. Then the process exits. @default 5_000 */
  readonly closeTimeout?: number;
  /** @default the machine's clock */
  readonly clock?: Pick<Clock, "wallTime" | "setTimeout">;
}

export interface AcpAgentSettings extends Required<AcpAgentOptions> {
  readonly sourceOf: AcpAgentSourceOf;
}

const CHECKS: Checks<AcpAgentOptions> = {
  store: storeCheck,
  name: checks.text,
  title: checks.text,
  version: checks.text,
  images: checks.boolean,
  maxSessions: checks.count,
  maxToolOutput: checks.count,
  closeTimeout: checks.delay,
  clock: checks.object,
};

/** @throws InvalidInputError for a wrong or unknown option, and if `sourceOf` is not a function */
export function readAgentOptions(sourceOf: AcpAgentSourceOf, options: AcpAgentOptions): AcpAgentSettings {
  if (typeof (sourceOf as unknown) !== "function")
    throw new InvalidInputError(
      `the first argument is ${describe(sourceOf)}.`,
      "Pass a function that returns a source, such as () => codey({ url }).",
    );
  checkCallOptions(options, CHECKS);
  const name = options.name ?? "agentwire";
  return {
    store: options.store ?? memoryStore(),
    name,
    title: name,
    version: "0",
    images: true,
    maxSessions: 64,
    maxToolOutput: 1_048_576,
    closeTimeout: 5_000,
    clock: systemClock,
    ...defined(options),
    sourceOf,
  };
}
