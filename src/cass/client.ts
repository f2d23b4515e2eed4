// The public class `CassClient`: builds its parts, declares its capabilities.
import { checkCallOptions, checks } from "../core/checks.ts";
import type { AgentClient, Capabilities } from "../core/client/agent-client.ts";
import { BaseClient } from "../core/client/base-client.ts";
import { ClientCore } from "../core/client/client-core.ts";
import { TURN_CHECKS } from "../core/client/options.ts";
import type { PromptOf } from "../core/turn/prompt-input.ts";
import type { Turn, TurnOptions } from "../core/turn/turn.ts";
import {
  type CassConversation,
  type CassConversationHost,
  type CassConversationOptions,
  openConversation,
} from "./conversation.ts";
import { CASS_EVENTS, type CassClientEvents, type CassCore, type CassIdentity } from "./events.ts";
import {
  buildChat,
  buildDemo,
  buildIntro,
  type CassDemoInput,
  type CassIntroInput,
  type CassPromptInput,
  type CassTurnRequest,
} from "./input.ts";
import { type CassJob, type ConversationRef, checkUser } from "./job.ts";
import { givenField } from "./messages.ts";
import {
  type CassClientOptions,
  type CassPromptOptions,
  type CassSettings,
  resolveOptions,
} from "./options.ts";
import { RestHost } from "./rest/host.ts";
import { CassRest } from "./rest/rest.ts";
import type { CassEvent, CassResult } from "./turn.ts";
import { CassTurns } from "./turns.ts";
import { CassWire } from "./wire.ts";

const PROMPT_FIELDS = {
  ...TURN_CHECKS,
  recover: checks.boolean,
  allowEmpty: checks.boolean,
};

/** ms in state `ready` after which earlier failures no longer lengthen the back-off. An answered turn has the same effect. */
const STABLE_AFTER = 30_000;

/** Further tries of repeatable REST calls. */
const REST_RETRIES = 2;

/** The server's status. */
export interface CassServerStatus {
  /** `false`: the server's older pipeline, which knows only a few animations. */
  readonly sdkMode: boolean;
  readonly memoryCount: number;
  /** The server's local time, without a zone. */
  readonly timestamp?: string;
}

/**
 * Client of the Cass WebSocket protocol.
 *
 * Opens nothing before the first `prompt()` or `connect()`. A connection is ready only when the server accepts the client as the user of
 * the token. A token that is refused or about to expire is renewed if possible; otherwise the client closes with a `CassAuthError`. The
 * client reconnects by itself after a lost connection, with a valid token.
 *
 * One turn runs on the server at a time, and the client sends nothing else meanwhile. The wire has no cancel: the client waits for the
 * answer of a cancelled turn, and drops the answer. A turn whose connection is lost fails with `delivery: "unknown"` and is not sent
 * again. With `recover` its reply is searched for over REST. `close()` waits for no turn, unless `drainTimeout` is set: the running turn
 * fails with `delivery: "unknown"`, though the server finishes it.
 *
 * @example
 * const client = new CassClient({ url: "wss://cass.example/ws", token });
 * const { text, animations } = await client.prompt("Hello!").result;
 * await client.close();
 */
export class CassClient
  extends BaseClient<CassEvent, CassResult, CassClientEvents>
  implements AgentClient<CassEvent, CassResult, CassPromptOptions, CassPromptInput, CassClientEvents>
{
  /** The server's REST routes, with this client's tokens and address. Repeatable calls have two further tries. */
  readonly rest: CassRest;
  readonly #settings: CassSettings;
  readonly #core: CassCore;
  readonly #wire: CassWire;
  readonly #turns: CassTurns;

  /** @throws InvalidInputError or UnsupportedError for invalid options; UnsupportedError for an engine that lacks a needed feature. */
  constructor(options: CassClientOptions) {
    const settings = resolveOptions(options);
    const core = new ClientCore<CassEvent, CassResult, CassClientEvents>({
      events: CASS_EVENTS,
      options,
      resolved: settings.socket,
      stableAfter: STABLE_AFTER,
      drainTimeout: 0,
      binary: "unreadable",
      proof: "protocol",
    });
    super(core);
    const { clock, redactor } = core;
    const timeout = settings.requestTimeout;
    const rest = new RestHost(
      {
        url: options.httpUrl ?? (() => core.address()),
        fetch: options.fetch,
        timeout,
        retries: REST_RETRIES,
        maxReceiveBytes: settings.socket.maxReceiveBytes,
        allowInsecure: options.allowInsecure ?? false,
        clock,
        redactor,
      },
      {
        ...options,
        clock,
        redactor,
        timeout,
        callbackThrew: (error, name) => core.listenerThrew(error, name),
      },
    );
    const wire = new CassWire(core, settings, rest.credentials);
    const turns = new CassTurns({ settings, wire, rest, core });
    wire.serve(turns);
    this.rest = new CassRest(rest);
    this.#settings = settings;
    this.#core = core;
    this.#wire = wire;
    this.#turns = turns;
    core.serve({ protocol: wire, turns: turns.runner });
  }

  /** The user of the current or last connection, as the server reported it. */
  get identity(): CassIdentity | undefined {
    return this.#wire.handshake.identity;
  }

  get capabilities(): Capabilities {
    return {
      textDeltas: false,
      reasoning: false,
      toolCalls: false,
      toolOutputDeltas: false,
      subagents: false,
      permissions: "none",
      questions: false,
      usage: "tokens",
      images: true,
      cancelOnWire: false,
      history: "server",
      conversations: "many",
      survivesReconnect: true,
      reopens: this.#core.reopens,
      recovers: this.#settings.recover,
      plan: false,
      context: false,
      branches: false,
      preview: false,
      modes: false,
      models: false,
      files: false,
    };
  }

  /**
   * Sends a message after the earlier ones are answered. Connects first if needed. Progress events come first, then the whole answer as
   * one `response`.
   * @throws InvalidInputError, PayloadTooLargeError or QueueFullError before anything is sent; ClosedError on a closed client.
   */
  prompt(
    input: PromptOf<CassPromptInput>,
    options?: CassPromptOptions & TurnOptions,
  ): Turn<CassEvent, CassResult> {
    return this.#run(() => this.#chat(input, options, undefined));
  }

  /**
   * A conversation that the server stores. Without `id` and `from`, the server chooses a conversation at the first prompt: a newer
   * server uses the user's continuous conversation; an older server stores nothing. For a new conversation, pass the id of
   * `client.rest.newConversation()`.
   * @throws InvalidInputError for a `from` that is no state of a Cass conversation.
   */
  conversation(options: CassConversationOptions = {}): CassConversation {
    const host: CassConversationHost = {
      core: this.#core,
      create: (...prompt) => this.#chat(...prompt),
      start: (job) => this.#turns.start(job),
    };
    return openConversation(host, options);
  }

  /**
   * The agent introduces itself to a user. The connection belongs to that user from then on.
   * @throws InvalidInputError for a user who is not signed in; otherwise as {@link CassClient.prompt}.
   */
  onboardingIntro(input: CassIntroInput, options?: TurnOptions): Turn<CassEvent, CassResult> {
    return this.#onboard(input, options, (maxSendBytes) => buildIntro(input, maxSendBytes));
  }

  /** A demonstration for a user. The server stores nothing of it. Otherwise like {@link CassClient.onboardingIntro}. */
  onboardingDemo(input: CassDemoInput, options?: TurnOptions): Turn<CassEvent, CassResult> {
    return this.#onboard(input, options, (maxSendBytes) => buildDemo(input, maxSendBytes));
  }

  /**
   * Requests the status over the socket, after the running turn. Calls that wait for the end of the turn share one request. Some servers
   * do not answer: `requestTimeout` ms after the request is written, the call rejects with a RequestTimeoutError. A relay refuses it
   * (RequestError). A request that waits outlives a lost connection. `client.rest.getStatus()` waits for no turn.
   */
  async getStatus(): Promise<CassServerStatus> {
    this.#core.assertOpen();
    await this.#core.connect();
    const status = await this.#core.outbox.run(() => this.#wire.getStatus());
    const { sdk_mode: sdkMode, memory_count: memoryCount, timestamp } = status;
    return { sdkMode, memoryCount, ...givenField("timestamp", timestamp) };
  }

  /**
   * The last title that the server sent for a conversation, even if the title arrived before the client knew the conversation. The
   * client stores the last 256 titles. It does not store a title if title and id together exceed 1,024 characters. The event `title`
   * reports every title.
   */
  titleOf(conversationId: string): string | undefined {
    return this.#wire.titleOf(conversationId);
  }

  #chat(
    input: PromptOf<CassPromptInput>,
    options: (CassPromptOptions & TurnOptions) | undefined,
    conversation: ConversationRef | undefined,
  ): CassJob {
    this.#core.assertOpen();
    checkCallOptions(options, PROMPT_FIELDS);
    const { maxSendBytes, maxImageBytes, recover } = this.#settings;
    const { allowEmpty = false } = options ?? {};
    const request = buildChat(input, { maxSendBytes, maxImageBytes, allowEmpty });
    return this.#turns.create({
      input,
      request,
      conversation: conversation ?? { id: request.conversationId },
      recover: options?.recover ?? recover,
      allowForeignUser: false,
      options,
    });
  }

  #onboard(
    input: CassIntroInput | CassDemoInput,
    options: TurnOptions | undefined,
    build: (maxSendBytes: number) => CassTurnRequest,
  ): Turn<CassEvent, CassResult> {
    this.#core.assertOpen();
    checkCallOptions(options, TURN_CHECKS);
    const request = build(this.#settings.maxSendBytes);
    const { allowForeignUser = false } = input;
    if (this.identity) checkUser({ request, allowForeignUser }, this.identity); // checked again when the request is sent
    const conversation = { id: request.conversationId };
    return this.#run(() =>
      this.#turns.create({ input, request, conversation, recover: false, allowForeignUser, options }),
    );
  }

  #run(create: () => CassJob): Turn<CassEvent, CassResult> {
    return this.#core.outbox.run(() => {
      const job = create();
      this.#turns.start(job);
      return job.turn;
    });
  }
}
