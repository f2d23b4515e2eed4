// One MCP server as a tool source: started on demand, and again after it ends.
import { fieldsOf, isObject } from "../../../core/checks.ts";
import type { Clock } from "../../../core/clock.ts";
import { ClosedError, ConnectError } from "../../../core/errors.ts";
import { isTooDeep } from "../../../core/text.ts";
import type { SourceTool, ToolSource, ToolSourceContext } from "../../calls/tool-sources.ts";
import { McpSession, type McpSessionSetup } from "./session.ts";

export interface McpServerSetup extends Omit<McpSessionSetup, "target" | "clock"> {
  /** Reads the configuration, at each start. */
  readonly target: () => McpSessionSetup["target"];
}

/** Tools per server. Many models accept no more per request. */
const MAX_TOOLS = 128;

/** Characters of a tool's description. Each request repeats it. */
const MAX_DESCRIPTION = 4_000;

/** Characters of a tool's parameters as JSON. */
const MAX_PARAMETERS = 64_000;

/** Consecutive failed starts before runs stop waiting for the server. */
const MAX_FAILED_STARTS = 3;

/** ms until the next start after that many failures. */
const RETRY_AFTER = 60_000;

type State =
  | { readonly name: "idle" }
  /** All runs wait for the same start. */
  | { readonly name: "starting"; readonly session: McpSession; readonly opened: Promise<void> }
  | { readonly name: "open"; readonly session: McpSession }
  | { readonly name: "closed" };

/**
 * The tools of one MCP server. Starts the server when a run first needs it, and again after it ended.
 *
 *     idle ──▶ starting ──▶ open ──server ended or does not answer──▶ idle
 *                 └── failure ──▶ idle                     any ── close() ──▶ closed
 */
export class McpServer implements ToolSource {
  readonly name: string;
  readonly #setup: McpServerSetup;
  /** All sessions that have not ended. */
  readonly #sessions = new Set<McpSession>();
  #state: State = { name: "idle" };
  #failedStarts = 0;
  #failedAt = 0;

  constructor(setup: McpServerSetup) {
    this.name = setup.name;
    this.#setup = setup;
  }

  async tools({ signal, clock, warn }: ToolSourceContext): Promise<readonly SourceTool[]> {
    const last = this.#state.name === "open" ? this.#state.session : undefined;
    const session = await this.#started(clock);
    try {
      return this.#read(session, await session.tools(signal), warn);
    } catch (error) {
      if (signal.aborted || session.isBusy) throw error; // other runs use the session
      this.#drop(session);
      if (session === last) return this.tools({ signal, clock, warn }); // the server has forgotten the session
      this.#failed(clock);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#state = { name: "closed" };
    await Promise.all([...this.#sessions].map((session) => this.#end(session)));
  }

  async #started(clock: Clock): Promise<McpSession> {
    if (this.#state.name === "open" && this.#state.session.isOver) this.#drop(this.#state.session);
    switch (this.#state.name) {
      case "closed":
        throw new ClosedError("the client was closed; make a new one");
      case "open":
        return this.#state.session;
      case "idle":
        this.#start(clock);
        return this.#started(clock);
      case "starting": {
        const { session, opened } = this.#state;
        await opened;
        return session;
      }
      default:
        return this.#state satisfies never;
    }
  }

  /** @throws ConnectError after too many failed starts */
  #start(clock: Clock): void {
    if (this.#failedStarts >= MAX_FAILED_STARTS && clock.now() - this.#failedAt < RETRY_AFTER)
      throw new ConnectError(
        `it has failed ${this.#failedStarts} times in a row; it is started again ${RETRY_AFTER / 1_000} s after the last failure`,
      );
    const session = new McpSession({ ...this.#setup, target: this.#setup.target(), clock });
    this.#sessions.add(session);
    const opened = session.open().then(
      () => {
        if (this.#isCurrent(session)) this.#state = { name: "open", session };
      },
      (error: unknown) => {
        this.#failed(clock);
        this.#drop(session);
        throw error;
      },
    );
    opened.catch(() => {}); // the waiting runs report the error
    this.#state = { name: "starting", session, opened };
  }

  #failed(clock: Clock): void {
    this.#failedStarts++;
    this.#failedAt = clock.now();
  }

  #isCurrent(session: McpSession): boolean {
    return "session" in this.#state && this.#state.session === session;
  }

  /** Ends the session. The next run starts the server again. */
  #drop(session: McpSession): void {
    if (this.#isCurrent(session)) this.#state = { name: "idle" };
    void this.#end(session);
  }

  async #end(session: McpSession): Promise<void> {
    await session.close();
    this.#sessions.delete(session);
  }

  #read(
    session: McpSession,
    listed: readonly unknown[],
    warn: ToolSourceContext["warn"],
  ): readonly SourceTool[] {
    this.#failedStarts = 0;
    if (listed.length > MAX_TOOLS)
      warn(`the MCP server ${this.name} has ${listed.length} tools; ${MAX_TOOLS} of them are offered`);
    return listed.slice(0, MAX_TOOLS).flatMap((each) => {
      const tool = toolOf(session, each);
      if (typeof tool !== "string") return [tool];
      warn(`a tool of the MCP server ${this.name} is not offered: ${tool}`);
      return [];
    });
  }
}

/** The tool for a run, or the reason why it is unusable. */
function toolOf(session: McpSession, listed: unknown): SourceTool | string {
  if (!isObject(listed)) return "it is no object";
  const { name, title, description, inputSchema } = listed;
  if (typeof name !== "string" || name === "" || name.length > 128)
    return "its name must have 1 to 128 characters";
  const json = JSON.stringify(inputSchema ?? {});
  if (json.length > MAX_PARAMETERS || isTooDeep(json)) return `the parameters of ${name} are too large`;
  const told = [description, title].find((text) => typeof text === "string");
  return {
    name,
    description: String(told ?? "").slice(0, MAX_DESCRIPTION),
    parameters: {
      schema: SERVER_CHECKS,
      parameters: { type: "object", ...fieldsOf(inputSchema) },
    },
    execute: ({ input }, { signal }) => session.call(name, input, signal),
  };
}

/** The server checks its inputs itself. Its schema's patterns could block this process. */
const SERVER_CHECKS = {
  "~standard": { version: 1, vendor: "agentwire", validate: (value: unknown) => ({ value }) },
} as const;
