import { checkCallOptions, checks } from "../../src/core/checks.ts";
import type { AgentClient, Capabilities } from "../../src/core/client/agent-client.ts";
import { BaseClient } from "../../src/core/client/base-client.ts";
import { ClientCore } from "../../src/core/client/client-core.ts";
import { TURN_CHECKS } from "../../src/core/client/options.ts";
import { Gate } from "../../src/core/gate/gate.ts";
import type { ConversationState } from "../../src/core/turn/conversation.ts";
import type { PromptInput } from "../../src/core/turn/prompt-input.ts";
import type { Turn, TurnOptions } from "../../src/core/turn/turn.ts";
import { type ConversationHost, type EchoConversation, openConversation } from "./conversation.ts";
import { ECHO_EVENTS, type EchoClientEvents, type EchoCore } from "./events.ts";
import { buildPrompt } from "./input.ts";
import { type EchoClientOptions, type EchoSettings, resolveOptions } from "./options.ts";
import type { EchoEvent, EchoResult } from "./turn.ts";
import { type Job, Turns } from "./turns.ts";
import { Wire } from "./wire.ts";

/**
 * Client of the echo protocol. Turns run side by side. A lost connection comes back by itself: prompts that were under way
 * fail with `delivery: "unknown"`, and prompts that waited are sent. Tool calls are denied unless `toolPolicy`,
 * `onToolApproval` or `client.decide()` says otherwise. `close()` cancels what runs.
 */
export class EchoClient
  extends BaseClient<EchoEvent, EchoResult, EchoClientEvents>
  implements AgentClient<EchoEvent, EchoResult, object, PromptInput, EchoClientEvents>
{
  readonly #settings: EchoSettings;
  readonly #core: EchoCore;
  readonly #turns: Turns;

  /** @throws InvalidInputError or UnsupportedError for options that cannot work */
  constructor(options: EchoClientOptions) {
    const settings = resolveOptions(options);
    const core: EchoCore = new ClientCore({
      events: ECHO_EVENTS,
      options,
      resolved: settings.socket,
      stableAfter: 5_000,
      drainTimeout: 0,
      binary: "unreadable",
      proof: "frame",
    });
    super(core);
    core.redactor.use("token", settings.token);
    const gate = new Gate(core, options);
    const wire = new Wire(settings, core);
    const turns = new Turns({ settings, core, wire, gate });
    wire.serve(turns);
    core.serve({ protocol: wire, turns: turns.runner, asked: { gate } });
    this.#settings = settings;
    this.#core = core;
    this.#turns = turns;
  }

  get capabilities(): Capabilities {
    return {
      textDeltas: true,
      reasoning: false,
      toolCalls: true,
      toolOutputDeltas: false,
      subagents: false,
      permissions: "wire",
      questions: false,
      usage: "none",
      images: false,
      cancelOnWire: true,
      history: "server",
      conversations: "many",
      survivesReconnect: true,
      reopens: this.#core.reopens,
      recovers: false,
      branches: false,
      context: false,
      files: false,
      modes: false,
      models: false,
      plan: false,
      preview: false,
    };
  }

  /**
   * Sends a prompt and streams its answer. Connects first if need be.
   * @throws InvalidInputError, PayloadTooLargeError or QueueFullError before anything is sent; ClosedError on a closed client
   */
  prompt(input: string | PromptInput, options?: TurnOptions): Turn<EchoEvent, EchoResult> {
    return this.#core.outbox.run(() => {
      const job = this.#create(input, options);
      this.#turns.runner.start(job);
      return job.turn;
    });
  }

  /**
   * A conversation that the server remembers; `from` is what the `state` of an earlier one gave.
   * @throws InvalidInputError for another `from`
   */
  conversation(options: { readonly from?: ConversationState } = {}): EchoConversation {
    checkCallOptions(options, { from: checks.any });
    const host: ConversationHost = {
      outbox: this.#core.outbox,
      client: this,
      create: (input, turnOptions, conversation) => this.#create(input, turnOptions, conversation),
      start: (job) => this.#turns.runner.start(job),
    };
    return openConversation(host, options.from);
  }

  #create(input: string | PromptInput, options: TurnOptions | undefined, conversation?: string): Job {
    this.#core.assertOpen();
    checkCallOptions(options, TURN_CHECKS);
    return this.#turns.create(input, buildPrompt(input, this.#settings.maxSendBytes, conversation), options);
  }
}
