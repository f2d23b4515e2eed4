// `MockAgent`: an agent without a wire, whose answers a test scripts.
import type { AnyConversation, AnyTurn } from "../../core/client/any-client.ts";
import type { AgentSource, UniversalOptions, UniversalStream } from "../../universal/stream.ts";
import { MockBackend } from "./backend.ts";
import { ClientParts, MockAgentClient } from "./client.ts";
import { checkScript, type MockAgentOptions, type MockAgentSwitches, resolveOptions } from "./options.ts";
import type { MockAgentAnswer, MockAgentCancel, MockAgentDecision, MockAgentPrompt } from "./record.ts";
import type { MockAgentScript, MockLoss } from "./script.ts";
import { checkedLoss } from "./step-checks.ts";
import { toUniversal } from "./universal.ts";

/**
 * An agent without a wire: a source for chats and adapters, whose answers a test scripts. Without a script it repeats each prompt in a
 * sentence.
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

  /** @throws InvalidInputError for an option that does not exist or is wrong */
  constructor(options: MockAgentOptions = {}) {
    this.#backend = new MockBackend(resolveOptions(options));
    this.name = this.#backend.name;
  }

  /** Makes a client. It connects at its first prompt. */
  client(): MockAgentClient {
    const parts = new ClientParts(this.#backend);
    const client = new MockAgentClient(parts);
    this.#clients.set(client, parts);
    return client;
  }

  /**
   * The universal events of a client of this agent, or of one of its turns or conversations. Attach it in the tick of `prompt()`.
   * @throws InvalidInputError for any other value, and for wrong options
   */
  toUniversal(
    of: MockAgentClient | AnyTurn | AnyConversation,
    options: UniversalOptions = {},
  ): UniversalStream {
    return toUniversal(this.name, this.#clients, of, { clock: this.#backend.clock, ...options });
  }

  /** How prompts are answered from now on. Answers under way go on. */
  script(script: MockAgentScript): this {
    this.#backend.script = checkScript(script);
    return this;
  }

  /**
   * Changes switches, at any time.
   * @throws InvalidInputError for a switch that does not exist or is wrong
   */
  set(switches: MockAgentSwitches): void {
    this.#backend.set(switches);
  }

  /** Opens a gate for good: scripts that wait at it go on, and later ones do not wait. */
  release(gate: string): void {
    this.#backend.gate(gate).resolve();
  }

  /** Loses the links of all clients that are ready. */
  disconnect(loss: MockLoss = {}): void {
    checkedLoss(loss);
    for (const { link } of this.#clients.values()) link.lose(loss);
  }

  /** The clients, in the order of their making. */
  get clients(): readonly MockAgentClient[] {
    return [...this.#clients.keys()];
  }

  /** The number of attempts to connect, of all clients. */
  get attempts(): number {
    return this.#backend.attempts;
  }

  /** The prompts that have arrived. */
  get prompts(): readonly MockAgentPrompt[] {
    return this.#backend.prompts;
  }

  /** How requests for approval ended. */
  get decisions(): readonly MockAgentDecision[] {
    return this.#backend.decisions;
  }

  /** How questions ended. */
  get answers(): readonly MockAgentAnswer[] {
    return this.#backend.answers;
  }

  /** The turns that were stopped behind their start. */
  get cancels(): readonly MockAgentCancel[] {
    return this.#backend.cancels;
  }

  /** Resolves with the first value of `probe` that is not undefined, null or false; rejects when `probe` throws. */
  waitFor<T>(probe: (agent: this) => T | undefined | false | null): Promise<T> {
    return this.#backend.waiters.until(() => probe(this));
  }
}
