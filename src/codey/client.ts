// The public class `CodeyClient`: builds its parts, declares its capabilities.
import { checkCallOptions, checks } from "../core/checks.ts";
import type { AgentClient, Capabilities } from "../core/client/agent-client.ts";
import { BaseClient } from "../core/client/base-client.ts";
import { ClientCore } from "../core/client/client-core.ts";
import { UnsupportedError } from "../core/errors.ts";
import type { ConversationState } from "../core/turn/conversation.ts";
import type { PromptOf } from "../core/turn/prompt-input.ts";
import type { Turn, TurnOptions } from "../core/turn/turn.ts";
import type { CodeyConversation } from "./conversation.ts";
import { TIMEOUT_HINT } from "./errors.ts";
import { CODEY_EVENTS, type CodeyClientEvents, type CodeyCore } from "./events.ts";
import type { CodeyPromptInput } from "./input.ts";
import { encode, type History, hotDelta, type State } from "./messages.ts";
import { type CodeyClientOptions, resolveOptions } from "./options.ts";
import type { CodeyEvent, CodeyResult } from "./turn.ts";
import { CodeyTurns, GATE_CODE } from "./turns.ts";
import { CodeyWire } from "./wire.ts";

/** Loaded while a client connects. */
const LATE = [GATE_CODE];

/**
 * Client of codey-server's WebSocket protocol.
 *
 * Opens nothing before the first `prompt()` or `connect()`. One turn runs at a time; further turns wait in the client. Tool calls are
 * denied unless `toolPolicy`, `onToolApproval` or `client.decide()` allows them. `close()` cancels the running turn and denies open
 * calls; it takes at most a second, even if the server does not react.
 *
 * The server has no authentication and does not check the origin: any page open on the same machine can connect and approve its
 * own shell commands. Keep the server on loopback.
 *
 * @example
 * const client = new CodeyClient({ url: "ws://127.0.0.1:9999", onToolApproval: (call) => call.name === "mcp_read_file" });
 * for await (const text of client.prompt("What is in this folder?").textStream) process.stdout.write(text);
 * await client.close();
 */
export class CodeyClient
  extends BaseClient<CodeyEvent, CodeyResult, CodeyClientEvents>
  implements AgentClient<CodeyEvent, CodeyResult, object, CodeyPromptInput, CodeyClientEvents>
{
  readonly #core: CodeyCore;
  readonly #wire: CodeyWire;
  readonly #turns: CodeyTurns;

  /** @throws InvalidInputError or UnsupportedError for invalid options; UnsupportedError for an engine that lacks a needed feature. */
  constructor(options: CodeyClientOptions) {
    const settings = resolveOptions(options);
    const core: CodeyCore = new ClientCore({
      events: CODEY_EVENTS,
      options,
      resolved: settings.socket,
      connectTimeoutHint: TIMEOUT_HINT,
      stableAfter: undefined,
      drainTimeout: 0,
      binary: "utf-8",
      proof: "protocol",
      hot: [hotDelta],
      late: LATE,
    });
    super(core);
    const wire = new CodeyWire({ settings, core });
    const turns = new CodeyTurns({ settings, wire, core });
    wire.serve(turns);
    this.#core = core;
    this.#wire = wire;
    this.#turns = turns;
    core.serve({ protocol: wire, turns: turns.runner, asked: turns });
  }

  /** The session id of the current or last connection. */
  get sessionId(): string | undefined {
    return this.#wire.sessionId;
  }

  get capabilities(): Capabilities {
    return {
      textDeltas: true,
      reasoning: true,
      toolCalls: true,
      toolOutputDeltas: false,
      subagents: false,
      permissions: "wire",
      questions: false,
      usage: "tokens",
      images: false,
      cancelOnWire: true,
      history: "client",
      conversations: "one",
      survivesReconnect: false,
      reopens: this.#core.reopens,
      recovers: false,
      plan: false,
      context: true,
      branches: false,
      preview: false,
      modes: false,
      models: false,
      files: false,
    };
  }

  /**
   * Sends a prompt after the earlier turns, and streams its answer. Connects first if needed. For the server, all prompts of one
   * connection are one conversation, with or without `conversation()`.
   * @throws InvalidInputError, PayloadTooLargeError or QueueFullError before anything is sent; ClosedError on a closed client.
   */
  prompt(input: PromptOf<CodeyPromptInput>, options?: TurnOptions): Turn<CodeyEvent, CodeyResult> {
    return this.#core.outbox.run(() => {
      const { turn, start } = this.#turns.create(input, options);
      start();
      return turn;
    });
  }

  /**
   * The conversation of the current session: each call returns the same object (`shared`). When the connection is lost, its prompts fail
   * with `context-lost`. The next call of `conversation()` then begins a new one.
   * @throws UnsupportedError for `from`: the server cannot continue an earlier conversation.
   */
  conversation(options: { readonly from?: ConversationState } = {}): CodeyConversation {
    checkCallOptions(options, { from: checks.any });
    if (options.from !== undefined) {
      throw new UnsupportedError(
        "a Codey server cannot go on from an earlier conversation.",
        "Leave `from` out; put what matters of the old one into the first prompt.",
      );
    }
    return this.#turns.transcript.conversation;
  }

  /**
   * The server's state. The real server sends a stub: show it, but do not base decisions on it. This call, `getHistory()` and `ping()`
   * connect first if needed, work during a turn and side by side, and are answered in order.
   */
  async getState(): Promise<State> {
    await this.#ready();
    return this.#wire.request((session) => session.states, encode.getState, "GetState");
  }

  /** The server's history. Always empty on the real server: use `conversation().messages`. */
  async getHistory(): Promise<History> {
    await this.#ready();
    return this.#wire.request((session) => session.histories, encode.getHistory, "GetHistory");
  }

  /** @returns ms until the answer. Messages that the server sent earlier arrive before the answer. */
  async ping(): Promise<number> {
    await this.#ready();
    const start = this.#core.clock.now();
    await this.#wire.request((session) => session.pings, encode.ping, "Ping");
    return this.#core.clock.now() - start;
  }

  async #ready(): Promise<void> {
    this.#core.assertOpen();
    await this.#core.connect();
  }
}
