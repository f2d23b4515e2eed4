// `MockAgent`: an agent without a wire, whose answers a test scripts.
import type { Capabilities } from "../../core/client/agent-client.ts";
import type { AnyConversation, AnyTurn } from "../../core/client/any-client.ts";
import type { SettledRequest } from "../../core/values.ts";
import type { AgentSource, UniversalOptions, UniversalStream } from "../../universal/stream.ts";
import { Waiters } from "../waiters.ts";
import type { Backend } from "./backend.ts";
import { loseLink, MockAgentClient } from "./client.ts";
import {
  changeSettings,
  checkScript,
  type MockAgentOptions,
  type MockAgentSwitches,
  type Resolved,
  resolveOptions,
  type Settings,
} from "./options.ts";
import type { MockAgentAnswer, MockAgentCancel, MockAgentDecision, MockAgentPrompt } from "./record.ts";
import type { MockAgentScript, MockLoss } from "./script.ts";
import { checkedLoss } from "./step-checks.ts";
import { toUniversal } from "./universal.ts";

/** A gate that scripts wait at. */
interface Gate {
  readonly passed: Promise<void>;
  open(): void;
}

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
  readonly #resolved: Resolved;
  readonly #backend: Backend;
  readonly #waiters = new Waiters();
  readonly #gates = new Map<string, Gate>();
  readonly #ids = new Map<string, number>();
  readonly #clients: MockAgentClient[] = [];
  readonly #prompts: MockAgentPrompt[] = [];
  readonly #decisions: MockAgentDecision[] = [];
  readonly #answers: MockAgentAnswer[] = [];
  readonly #cancels: MockAgentCancel[] = [];
  #script: MockAgentScript;
  #settings: Settings;
  /** Refused attempts since `refuseConnect` was set. */
  #refused = 0;
  #attempts = 0;

  /** @throws InvalidInputError for an option that does not exist or is wrong */
  constructor(options: MockAgentOptions = {}) {
    const resolved = resolveOptions(options);
    this.name = resolved.name;
    this.#resolved = resolved;
    this.#script = resolved.script;
    this.#settings = resolved.settings;
    this.#backend = this.#makeBackend();
  }

  /** Makes a client. It connects at its first prompt. */
  client(): MockAgentClient {
    const client = new MockAgentClient(this.#backend);
    this.#clients.push(client);
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
    return toUniversal(this, of, { clock: this.#resolved.clock, ...options });
  }

  /** How prompts are answered from now on. Answers under way go on. */
  script(script: MockAgentScript): this {
    this.#script = checkScript(script);
    return this;
  }

  /**
   * Changes switches, at any time.
   * @throws InvalidInputError for a switch that does not exist or is wrong
   */
  set(switches: MockAgentSwitches): void {
    this.#settings = changeSettings(this.#settings, switches);
    if (switches.refuseConnect !== undefined) this.#refused = 0;
  }

  /** Opens a gate for good: scripts that wait at it go on, and later ones do not wait. */
  release(gate: string): void {
    this.#gateOf(gate).open();
  }

  /** Loses the links of all clients that are ready. */
  disconnect(loss: MockLoss = {}): void {
    checkedLoss(loss);
    for (const client of this.#clients) loseLink(client, loss);
  }

  /** The clients, in the order of their making. */
  get clients(): readonly MockAgentClient[] {
    return this.#clients;
  }

  /** The number of attempts to connect, of all clients. */
  get attempts(): number {
    return this.#attempts;
  }

  /** The prompts that have arrived. */
  get prompts(): readonly MockAgentPrompt[] {
    return this.#prompts;
  }

  /** How requests for approval ended. */
  get decisions(): readonly MockAgentDecision[] {
    return this.#decisions;
  }

  /** How questions ended. */
  get answers(): readonly MockAgentAnswer[] {
    return this.#answers;
  }

  /** The turns that were stopped behind their start. */
  get cancels(): readonly MockAgentCancel[] {
    return this.#cancels;
  }

  /** Resolves with the first value of `probe` that is not undefined, null or false; rejects when `probe` throws. */
  waitFor<T>(probe: (agent: this) => T | undefined | false | null): Promise<T> {
    return this.#waiters.until(() => probe(this));
  }

  #makeBackend(): Backend {
    const agent = this;
    const { name, clock, capabilities } = this.#resolved;
    return {
      name,
      clock,
      get capabilities(): Capabilities {
        const { reconnect, answersAfterCancel } = agent.#settings;
        return { ...capabilities, reopens: reconnect !== false, cancelOnWire: !answersAfterCancel };
      },
      get settings() {
        return agent.#settings;
      },
      get script() {
        return agent.#script;
      },
      tried: () => {
        this.#attempts++;
        this.#waiters.changed();
      },
      refuse: () => this.#refuse(),
      refuseAll: () => this.set({ refuseConnect: true }),
      newId: (what) => {
        const count = (this.#ids.get(what) ?? 0) + 1;
        this.#ids.set(what, count);
        return `${what}_${count}`;
      },
      gate: (gate) => this.#gateOf(gate).passed,
      notePrompt: (prompt) => {
        const noted: MockAgentPrompt = { n: this.#prompts.length + 1, ...prompt };
        this.#prompts.push(noted);
        this.#waiters.changed();
        return noted;
      },
      noteCancel: (cancel) => {
        this.#cancels.push(cancel);
        this.#waiters.changed();
      },
      noteSettled: (request, turnId) => this.#noteSettled(request, turnId),
    };
  }

  #refuse(): string | undefined {
    const { refuseConnect } = this.#settings;
    if (typeof refuseConnect === "string") return refuseConnect;
    const isRefused = typeof refuseConnect === "number" ? ++this.#refused <= refuseConnect : refuseConnect;
    return isRefused ? "the backend refuses the connection" : undefined;
  }

  #gateOf(name: string): Gate {
    const existing = this.#gates.get(name);
    if (existing) return existing;
    let open = (): void => {};
    const passed = new Promise<void>((resolve) => {
      open = resolve;
    });
    const gate: Gate = { passed, open: () => open() };
    this.#gates.set(name, gate);
    return gate;
  }

  #noteSettled(request: SettledRequest, turnId: string): void {
    const { id } = request;
    if (request.type === "approval") {
      this.#decisions.push({ id, name: request.call.name, turnId, ...request.ruling });
    } else this.#answers.push({ id, turnId, ...request.reply });
    this.#waiters.changed();
  }
}
