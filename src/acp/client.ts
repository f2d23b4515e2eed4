// The public class `AcpClient`: builds its parts, declares its capabilities.

import { fieldsOf } from "../core/checks.ts";
import type { AgentClient, Capabilities } from "../core/client/agent-client.ts";
import { BaseClient } from "../core/client/base-client.ts";
import { RequestError } from "../core/errors.ts";
import { Gate } from "../core/gate/gate.ts";
import type { ConversationState } from "../core/turn/conversation.ts";
import { type FileList, type FilesOptions, listPromptFiles } from "../core/turn/prompt-files.ts";
import type { PromptOf } from "../core/turn/prompt-input.ts";
import type { Turn, TurnOptions } from "../core/turn/turn.ts";
import { AcpCore } from "./acp-core.ts";
import type { AcpAgent } from "./agent.ts";
import { readList, textFields } from "./blocks.ts";
import {
  type AcpConversation,
  type AcpConversationState,
  asRequestError,
  openConversation,
} from "./conversation.ts";
import { DOOR_SUBJECTS, RequestDoor } from "./door.ts";
import type { AcpClientEvents } from "./events.ts";
import { FileRequests } from "./files.ts";
import type { AcpPromptInput } from "./input.ts";
import { Links } from "./links.ts";
import { type AcpOptions, resolveOptions } from "./options.ts";
import { AgentRequests } from "./requests.ts";
import type { AcpSessionState } from "./session.ts";
import { TerminalRequests } from "./terminals.ts";
import type { AcpEvent, AcpResult } from "./turn.ts";
import { AcpTurns } from "./turns.ts";

/** A session that the agent has stored. */
export interface AcpStoredSession {
  readonly sessionId: string;
  readonly title?: string;
  readonly updatedAt?: string;
}

/** The most pages of a list of sessions that are read. */
const MAX_PAGES = 100;

/**
 * Any agent that speaks the Agent Client Protocol, version 1, as a program of this machine. Node only. Needs the
 * package `@agentclientprotocol/sdk`.
 *
 * **The agent is a program with your rights.** What it asks goes through the gate (`toolPolicy`, `onToolApproval`), and
 * is denied without one. What it does without asking is not seen: `mode: "ask"`, the default, chooses a mode that asks.
 *
 * A decision takes the agent's first option of its kind: `once` one that allows once, `reject` one that rejects once.
 * Without such an option the request is cancelled, with a warning. Only with `onQuestion` the agent is told that it may
 * ask questions.
 *
 * Nothing starts before the first `prompt()` or `connect()`. One process serves all conversations, each in a session of
 * its own, and one turn at a time in each. If the process ends, the next prompt starts another, which continues the
 * sessions if the agent can; if not, waiting prompts of such a session fail with `context-lost`. `close()` cancels what runs, and ends the process and all that it has started: in about 6 s
 * at most, with `force` at once.
 *
 * @example
 * const client = new AcpClient({ command: "gemini", args: ["--acp"], onToolApproval: (call) => confirm(call.name) });
 * for await (const text of client.prompt("Fix the tests").textStream) process.stdout.write(text);
 * await client.close();
 */
export class AcpClient
  extends BaseClient<AcpEvent, AcpResult, AcpClientEvents>
  implements AgentClient<AcpEvent, AcpResult, object, AcpPromptInput, AcpClientEvents>
{
  readonly #core: AcpCore;
  readonly #links: Links;
  readonly #turns: AcpTurns;

  /** @throws InvalidInputError for invalid options */
  constructor(options: AcpOptions = {}) {
    const core = new AcpCore(resolveOptions(options));
    super(core);
    const { files, readFiles } = core.settings;
    const gate = new Gate(core, options, DOOR_SUBJECTS);
    const door = new RequestDoor(gate);
    const requests = new AgentRequests({
      core,
      gate,
      files: new FileRequests(files, readFiles, door),
      terminals: new TerminalRequests(files, door),
    });
    const links = new Links(core, requests);
    const turns = new AcpTurns({ core, links, gate });
    this.#core = core;
    this.#links = links;
    this.#turns = turns;
    core.connections = links;
    core.serve({ turns, requests: gate });
  }

  /** What the agent says about itself. Undefined until it has started. */
  get agent(): AcpAgent | undefined {
    return this.#links.agent;
  }

  /** `images` and `survivesReconnect` are known once the agent has started. */
  get capabilities(): Capabilities {
    const { agent } = this;
    return {
      textDeltas: true,
      reasoning: true,
      toolCalls: true,
      toolOutputDeltas: true,
      subagents: false,
      permissions: "wire",
      questions: true,
      usage: "tokens",
      images: agent?.prompts.image ?? true,
      cancelOnWire: true,
      history: "server",
      conversations: "many",
      survivesReconnect: agent ? agent.resumesSessions || agent.loadsSessions : true,
      reopens: true,
      recovers: false,
      plan: true,
      context: true,
      branches: false,
      preview: true,
      modes: true,
      models: true,
      files: this.#core.settings.files !== undefined,
    };
  }

  /**
   * Sends a prompt in a new session, and streams the answer. Starts the agent first if needed.
   * @throws InvalidInputError, UnsupportedError, PayloadTooLargeError, QueueFullError or ClosedError
   */
  prompt(input: PromptOf<AcpPromptInput>, options?: TurnOptions): Turn<AcpEvent, AcpResult> {
    return this.#core.outbox.run(() => {
      const job = this.#turns.create(input, options);
      this.#turns.start(job);
      return job.turn;
    });
  }

  /** A session of the agent, new or from the `state` of a conversation. */
  conversation(options: { readonly from?: AcpConversationState | ConversationState } = {}): AcpConversation {
    return openConversation({ core: this.#core, links: this.#links, turns: this.#turns }, options);
  }

  /** Paths for the completion of a file in a prompt. @throws UnsupportedError without the option `files` */
  files(prefix: string, options: FilesOptions = {}): Promise<FileList> {
    return listPromptFiles(this.#core.settings.files, prefix, options);
  }

  /** What is known of an open session. */
  session(sessionId: string): AcpSessionState | undefined {
    return this.#links.stateOf(sessionId);
  }

  /** The sessions that the agent has stored for `cwd`. @throws RequestError if the agent has no list */
  async sessions(): Promise<readonly AcpStoredSession[]> {
    const { settings } = this.#core;
    const { cwd } = settings;
    const found: AcpStoredSession[] = [];
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page++) {
      const params = { cwd, ...(typeof cursor === "string" ? { cursor } : {}) };
      const answer = fieldsOf(await this.#request("session/list", params, "listsSessions"));
      found.push(...readList(answer["sessions"], readStored));
      cursor = answer["nextCursor"];
      if (typeof cursor !== "string" || cursor === "") break;
    }
    return found;
  }

  /** Deletes a stored session. @throws RequestError if the agent cannot */
  async deleteSession(sessionId: string): Promise<void> {
    await this.#request("session/delete", { sessionId }, "deletesSessions");
  }

  async #request(
    method: string,
    params: object,
    offer: "listsSessions" | "deletesSessions",
  ): Promise<unknown> {
    const core = this.#core;
    try {
      core.assertOpen();
      const link = await this.#links.connect();
      if (!link.agent?.[offer])
        throw new RequestError(`the agent does not offer \`${method}\``, { serverMessage: "" });
      return await link.request(method, params, core.settings.connectTimeout);
    } catch (error) {
      throw asRequestError(error, core.clean);
    }
  }
}

function readStored(value: unknown): AcpStoredSession | undefined {
  const fields = fieldsOf(value);
  const { sessionId } = fields;
  return typeof sessionId === "string"
    ? { sessionId, ...textFields(fields, "title", "updatedAt") }
    : undefined;
}
