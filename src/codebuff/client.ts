// The public class `CodebuffClient`: builds its parts, declares its capabilities.
import { checkCallOptions, checks, oneOf } from "../core/checks.ts";
import type { AgentClient, Capabilities } from "../core/client/agent-client.ts";
import { BaseClient } from "../core/client/base-client.ts";
import { ClientCore } from "../core/client/client-core.ts";
import { TURN_CHECKS } from "../core/client/options.ts";
import { InvalidInputError } from "../core/errors.ts";
import { randomId } from "../core/random-id.ts";
import type { ConversationState } from "../core/turn/conversation.ts";
import { type FileList, type FilesOptions, listPromptFiles } from "../core/turn/prompt-files.ts";
import type { PromptOf } from "../core/turn/prompt-input.ts";
import type { Turn, TurnOptions } from "../core/turn/turn.ts";
import {
  type CodebuffConversation,
  type CodebuffConversationHost,
  openConversation,
} from "./conversation.ts";
import { CODEBUFF_EVENTS, type CodebuffClientEvents, type CodebuffCore } from "./events.ts";
import {
  buildInit,
  buildPrompt,
  type CodebuffInitInput,
  type CodebuffPromptInput,
  filesIn,
  type PromptActionData,
  promptFor,
  toJson,
  withFileParts,
} from "./input.ts";
import { type CodebuffServer, encode, hotChunk, type InitResponse } from "./messages.ts";
import {
  type CodebuffClientOptions,
  type CodebuffPromptOptions,
  type CodebuffSettings,
  resolveOptions,
} from "./options.ts";
import { SSE_CODE } from "./prompts/chunks.ts";
import type { CodebuffConversationState } from "./prompts/memory.ts";
import type { PromptOrder } from "./prompts/prompt.ts";
import type { CodebuffHandlers } from "./requests/handlers.ts";
import { checkFrameSize, LESS } from "./session/frame-limit.ts";
import { TokenSource } from "./session/token.ts";
import type { CodebuffEvent, CodebuffResult } from "./turn.ts";
import { CodebuffTurns, REQUESTS_CODE } from "./turns.ts";
import { CodebuffWire } from "./wire.ts";

const TURN_FIELDS = {
  ...TURN_CHECKS,
  chunkDecoding: oneOf("auto", "text", "openai-sse"),
};

/** Loaded while a client connects. */
const LATE = [REQUESTS_CODE, SSE_CODE];

/** ms in state `ready` after which earlier failures no longer lengthen the back-off. */
const STABLE_AFTER = 5_000;

/**
 * Client of the Codebuff WebSocket protocol, for the published proxy and the original server.
 *
 * Opens nothing before the first `prompt()` or `connect()`. Reconnects by itself after a lost connection. Running prompts then fail with
 * `delivery: "unknown"`; the client never sends them again by itself.
 *
 * `close()` waits up to `drainTimeout` for running prompts: a client that leaves the published proxy in the middle of a prompt brings
 * the proxy down for all users.
 *
 * @example
 * const client = new CodebuffClient({ url: "ws://127.0.0.1:8000/ws" });
 * for await (const text of client.prompt("Hello").textStream) process.stdout.write(text);
 * await client.close();
 */
export class CodebuffClient
  extends BaseClient<CodebuffEvent, CodebuffResult, CodebuffClientEvents>
  implements
    AgentClient<
      CodebuffEvent,
      CodebuffResult,
      CodebuffPromptOptions,
      CodebuffPromptInput,
      CodebuffClientEvents
    >
{
  readonly #settings: CodebuffSettings;
  readonly #core: CodebuffCore;
  readonly #token: TokenSource;
  readonly #wire: CodebuffWire;
  readonly #turns: CodebuffTurns;

  /** @throws InvalidInputError or UnsupportedError for invalid options; UnsupportedError for an engine that lacks a needed feature. */
  constructor(options: CodebuffClientOptions) {
    const settings = resolveOptions(options);
    const core: CodebuffCore = new ClientCore({
      events: CODEBUFF_EVENTS,
      options,
      resolved: settings.socket,
      stableAfter: STABLE_AFTER,
      drainTimeout: settings.drainTimeout,
      binary: "utf-8",
      proof: "frame",
      hot: [hotChunk],
      late: LATE,
    });
    super(core);
    const token = new TokenSource(settings.authToken, core);
    const wire = new CodebuffWire({ settings, core, token });
    const turns = new CodebuffTurns({ settings, core, wire, token });
    wire.serve(turns);
    this.#settings = settings;
    this.#core = core;
    this.#token = token;
    this.#wire = wire;
    this.#turns = turns;
    core.serve({ protocol: wire, turns, asked: turns });
  }

  /** The kind of the server: `undefined` until the first connection shows it, unless `profile` names it. */
  get server(): CodebuffServer | undefined {
    return this.#wire.server;
  }

  /**
   * The id under which this client identifies itself on the proxy: the option of the same name, perhaps with a suffix after the id was in
   * use. The original server knows no such id.
   */
  get clientSessionId(): string {
    return this.#wire.identification.clientSessionId;
  }

  /** The capabilities of the server. Until the first connection shows the kind of the server: the capabilities that both kinds share. */
  get capabilities(): Capabilities {
    const original = this.#wire.server === "codebuff";
    return {
      textDeltas: true,
      reasoning: original,
      toolCalls: original,
      toolOutputDeltas: false,
      subagents: original,
      permissions: "client",
      questions: original,
      usage: original ? "credits" : "none",
      images: true,
      cancelOnWire: original && this.#token.exists,
      history: "client",
      conversations: "many",
      survivesReconnect: true,
      reopens: this.#core.reopens,
      recovers: false,
      plan: original,
      context: false,
      branches: this.#wire.server === "proxy",
      preview: original && tellPreviews(this.#settings.handlers),
      modes: false,
      models: false,
      files: this.#settings.files !== undefined,
    };
  }

  /**
   * Sends a prompt and streams its answer. Connects first if needed.
   * @throws InvalidInputError, PayloadTooLargeError or QueueFullError before anything is sent; ClosedError on a closed client.
   */
  prompt(
    input: PromptOf<CodebuffPromptInput>,
    options?: CodebuffPromptOptions & TurnOptions,
  ): Turn<CodebuffEvent, CodebuffResult> {
    this.#core.assertOpen();
    let data = this.#build(input, options);
    let made: { readonly server: CodebuffServer; readonly json: string } | undefined;
    const order: PromptOrder = {
      input,
      get data() {
        return data;
      },
      files: filesIn(input),
      addFiles: (files) => {
        data = withFileParts(data, files);
      },
      options,
      // An unknown server counts as the proxy, which is stricter.
      json: (server = "proxy") => {
        if (made?.server !== server) made = { server, json: toJson(promptFor(server, data), "the prompt") };
        return made.json;
      },
      advice: () => LESS,
      stateNow: () => undefined,
      first: true,
    };
    return this.#core.outbox.run(() => {
      const prompt = this.#turns.create(order);
      this.#turns.start(prompt);
      return prompt.turn;
    });
  }

  /**
   * A conversation with memory, on both servers. `from` is the `state` of an earlier conversation.
   * @throws InvalidInputError for any other `from`.
   */
  conversation(
    options: { readonly from?: CodebuffConversationState | ConversationState } = {},
  ): CodebuffConversation {
    checkCallOptions(options, { from: checks.any });
    const host: CodebuffConversationHost = {
      outbox: this.#core.outbox,
      client: this,
      build: (input, options) => {
        this.#core.assertOpen();
        return this.#build(input, options);
      },
      create: (order) => this.#turns.create(order),
      start: (prompt) => this.#turns.start(prompt),
      server: () => this.#wire.server ?? "proxy",
    };
    return openConversation(host, options.from);
  }

  /** Paths for the completion of a file in a prompt. @throws UnsupportedError without the option `files` */
  files(prefix: string, options: FilesOptions = {}): Promise<FileList> {
    return listPromptFiles(this.#settings.files, prefix, options);
  }

  /**
   * Tells the server about the project. The client repeats the init after each reconnect. Optional on both servers.
   * @returns the init-response; rejects if the server refuses or does not answer (the original server does not answer for an unknown
   * user).
   * @throws InvalidInputError before anything is sent.
   */
  init(input: CodebuffInitInput): Promise<InitResponse> {
    this.#core.assertOpen();
    const data = buildInit(input, this.#settings.fingerprintId);
    this.#noteToken(data.authToken);
    this.#core.redactor.use("init", data.authToken); // the init is repeated after every reconnect
    const json = toJson(data, "init");
    checkFrameSize(encode.action(this.#wire.nextTxid, json), this.#settings, this.#wire.server);
    return this.#core.outbox.run(() => {
      this.#core.wanted();
      const reply = this.#turns.standing.init(json, data.authToken !== undefined);
      this.#core.needed();
      return reply;
    });
  }

  /**
   * Subscribes to topics, now and after every reconnect. No known server publishes to any topic.
   * @throws InvalidInputError for an empty list: each server treats it differently.
   */
  subscribe(topics: readonly string[]): Promise<void> {
    return this.#setTopics("subscribe", topics);
  }

  /** Unsubscribes. Topics without a subscription are no error. */
  unsubscribe(topics: readonly string[]): Promise<void> {
    return this.#setTopics("unsubscribe", topics);
  }

  #build(
    input: PromptOf<CodebuffPromptInput>,
    options: (CodebuffPromptOptions & TurnOptions) | undefined,
  ): PromptActionData {
    checkCallOptions(options, TURN_FIELDS);
    const { fingerprintId, costMode, model } = this.#settings;
    const data = buildPrompt(input, {
      fingerprintId,
      costMode,
      model,
      newPromptId: () => randomId("prompt"),
      takesFiles: this.#settings.files !== undefined,
    });
    this.#noteToken(data.authToken);
    // A copy: the prompt may be encoded again when it is sent, and the caller may have changed the input by then.
    return JSON.parse(toJson(data, "the prompt"));
  }

  #noteToken(token: string | undefined): void {
    if (token === undefined) return;
    this.#core.assertPrivate();
    this.#token.given(token);
  }

  #setTopics(type: "subscribe" | "unsubscribe", topics: readonly string[]): Promise<void> {
    this.#core.assertOpen();
    if (!Array.isArray(topics) || topics.length === 0 || !topics.every(checks.text.holds)) {
      const hint = 'Pass at least one, such as ["updates"].';
      throw new InvalidInputError("`topics` is not a list of names.", hint);
    }
    // Checks the size of the unsubscribe, the longer of the two frames: every subscribed topic can be unsubscribed too.
    checkFrameSize(
      encode.topics("unsubscribe", this.#wire.nextTxid, topics),
      this.#settings,
      this.#wire.server,
    );
    return this.#core.outbox.run(() => {
      this.#core.wanted();
      const done = this.#turns.standing.setTopics(type, topics);
      this.#core.needed();
      return done;
    });
  }
}

/** Whether a handler tells previews. */
function tellPreviews({ tools = {}, onMcpToolCall }: CodebuffHandlers): boolean {
  return [...Object.values(tools), onMcpToolCall].some((handler) => handler?.preview !== undefined);
}
