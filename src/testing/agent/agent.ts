// `MockAgent`: an in-process agent whose answers a test scripts.
import type { AnyConversation, AnyTurn } from "../../core/client/any-client.ts";
import type { AgentSource, UniversalOptions, UniversalStream } from "../../universal/stream.ts";
import { MockBackend } from "./backend.ts";
import { ClientParts, MockAgentClient } from "./client.ts";
import {
  checkScript,
  type MockAgentOptions,
  type MockAgentSwitches,
  type MockChoice,
  resolveOptions,
} from "./options.ts";
import type { MockAgentAnswer, MockAgentCancel, MockAgentDecision, MockAgentPrompt } from "./record.ts";
import type { MockAgentScript, MockLoss } from "./script.ts";
import { checkedLoss } from "./step-checks.ts";
import { toUniversal } from "./universal.ts";

/**
 * An in-process agent: a source for chats and adapters, with scripted answers. Without a script it answers with a
 * sentence that repeats the prompt. Without a delay it needs no timer: events follow each other in promise reactions,
 * always in the same order. Its errors have the codes of the clients' errors: ask `isAgentwireError`, not `instanceof`.
 *
 * @example
 * ```ts
 * const agent = new MockAgent({ clock });
 * agent.script(["Hello", [agentStep.reasoning("hm"), "Which one?", agentStep.wait("more"), "That one."]]);
 * const chat = createChat(agent);
 * ```
 */
export class MockAgent implements AgentSource<MockAgentClient> {
  /** The name of the source. */
  readonly name: string;
  readonly #backend: MockBackend;
  readonly #clients = new Map<MockAgentClient, ClientParts>();

  /** @throws InvalidInputError for an unknown or invalid option */
  constructor(options: MockAgentOptions = {}) {
    this.#backend = new MockBackend(resolveOptions(options));
    this.name = this.#backend.name;
  }

  /** Makes a client. The client connects at its first prompt. */
  client(): MockAgentClient {
    const parts = new ClientParts(this.#backend);
    const client = new MockAgentClient(parts);
    this.#clients.set(client, parts);
    return client;
  }

  /**
   * The universal events of a client, turn or conversation of this agent. Attach in the same tick as `prompt()`.
   * @throws InvalidInputError for any other value and for invalid options
   */
  toUniversal(
    of: MockAgentClient | AnyTurn | AnyConversation,
    options: UniversalOptions = {},
  ): UniversalStream {
    return toUniversal(this.name, this.#clients, of, { clock: this.#backend.clock, ...options });
  }

  /** Sets the script for later prompts. Running answers keep their script. */
  script(script: MockAgentScript): this {
    this.#backend.script = checkScript(script);
    return this;
  }

  /**
   * Changes switches, at any time.
   * @throws InvalidInputError for an unknown or invalid switch
   */
  set(switches: MockAgentSwitches): void {
    this.#backend.set(switches);
  }

  /** Opens a gate permanently: waiting scripts continue, and later scripts do not wait. */
  release(gate: string): void {
    this.#backend.gate(gate).resolve();
  }

  /** Cuts the connections of all clients that are ready. */
  disconnect(loss: MockLoss = {}): void {
    checkedLoss(loss);
    for (const { link } of this.#clients.values()) link.lose(loss);
  }

  /** The modes and models, with the ones that are set. */
  get modes(): MockChoice | undefined {
    return this.#backend.modes;
  }

  get models(): MockChoice | undefined {
    return this.#backend.models;
  }

  /** All clients, in the order of creation. */
  get clients(): readonly MockAgentClient[] {
    return [...this.#clients.keys()];
  }

  /** The number of connection attempts of all clients. */
  get attempts(): number {
    return this.#backend.attempts;
  }

  /** All prompts that the backend received. */
  get prompts(): readonly MockAgentPrompt[] {
    return this.#backend.prompts;
  }

  /** The outcomes of all approval requests. */
  get decisions(): readonly MockAgentDecision[] {
    return this.#backend.decisions;
  }

  /** The outcomes of all questions. */
  get answers(): readonly MockAgentAnswer[] {
    return this.#backend.answers;
  }

  /** The turns that were stopped after the backend had received their prompts. */
  get cancels(): readonly MockAgentCancel[] {
    return this.#backend.cancels;
  }

  /** Resolves with the first value of `probe` that is not undefined, null or false. Rejects if `probe` throws. */
  waitFor<T>(probe: (agent: this) => T | undefined | false | null): Promise<T> {
    return this.#backend.waiters.until(() => probe(this));
  }
}
