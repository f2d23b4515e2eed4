// The shared backend of a mock agent's clients.
import type { Capabilities } from "../../core/client/agent-client.ts";
import type { Clock } from "../../core/clock.ts";
import { type Deferred, deferred } from "../../core/deferred.ts";
import { InvalidInputError } from "../../core/errors.ts";
import type { PromptFiles } from "../../core/turn/prompt-files.ts";
import { Waiters } from "../waiters.ts";
import {
  changeSettings,
  type MockAgentSwitches,
  type MockChoice,
  type MockSettings,
  type Resolved,
} from "./options.ts";
import type { MockAgentAnswer, MockAgentCancel, MockAgentDecision, MockAgentPrompt } from "./record.ts";
import type { MockAgentScript } from "./script.ts";

export class MockBackend {
  readonly name: string;
  readonly clock: Clock;
  readonly waiters = new Waiters();
  readonly prompts: MockAgentPrompt[] = [];
  readonly decisions: MockAgentDecision[] = [];
  readonly answers: MockAgentAnswer[] = [];
  readonly cancels: MockAgentCancel[] = [];
  script: MockAgentScript;
  attempts = 0;
  readonly #capabilities: Resolved["capabilities"];
  readonly #gates = new Map<string, Deferred<void>>();
  readonly #ids = new Map<string, number>();
  readonly #onChoice = new Set<(what: "modes" | "models", choice: MockChoice) => void>();
  #settings: MockSettings;
  modes: MockChoice | undefined;
  models: MockChoice | undefined;
  readonly files: PromptFiles | undefined;
  /** Refused attempts since `refuseConnect` was set. */
  #refused = 0;

  constructor({ name, clock, script, settings, capabilities, modes, models, files }: Resolved) {
    this.modes = modes;
    this.models = models;
    this.files = files;
    this.name = name;
    this.clock = clock;
    this.script = script;
    this.#settings = settings;
    this.#capabilities = capabilities;
  }

  get settings(): MockSettings {
    return this.#settings;
  }

  get capabilities(): Capabilities {
    const { reconnect, answersAfterCancel } = this.#settings;
    return {
      ...this.#capabilities,
      reopens: reconnect !== false,
      cancelOnWire: !answersAfterCancel,
      modes: this.modes !== undefined,
      models: this.models !== undefined,
      files: this.files !== undefined,
    };
  }

  /** @throws InvalidInputError for an unknown id */
  choose(what: "modes" | "models", current: string): void {
    const choice = this[what];
    if (!choice?.available.some(({ id }) => id === current))
      throw new InvalidInputError(`the agent does not have this id in \`${what}\`.`, "Pass another id.");
    const chosen = { ...choice, current };
    this[what] = chosen;
    for (const listener of [...this.#onChoice]) listener(what, chosen);
    this.waiters.changed();
  }

  onChoice(listener: (what: "modes" | "models", choice: MockChoice) => void): () => void {
    const own: typeof listener = (what, choice) => listener(what, choice); // the same function may listen twice
    this.#onChoice.add(own);
    return () => void this.#onChoice.delete(own);
  }

  /** @throws InvalidInputError for an unknown or invalid switch */
  set(switches: MockAgentSwitches): void {
    this.#settings = changeSettings(this.#settings, switches);
    if (switches.refuseConnect !== undefined) this.#refused = 0;
  }

  tried(): void {
    this.attempts++;
    this.waiters.changed();
  }

  /** Returns the reason if the backend refuses this connection attempt. Counts the refusal. */
  refuse(): string | undefined {
    const { refuseConnect } = this.#settings;
    if (typeof refuseConnect === "string") return refuseConnect;
    const isRefused = typeof refuseConnect === "number" ? ++this.#refused <= refuseConnect : refuseConnect;
    return isRefused ? "the backend refuses the connection" : undefined;
  }

  /** Returns `turn_1`, `turn_2`, `call_1` and so on. */
  newId(what: "turn" | "call" | "question" | "agent"): string {
    const count = (this.#ids.get(what) ?? 0) + 1;
    this.#ids.set(what, count);
    return `${what}_${count}`;
  }

  /** A gate at which scripts wait until the test releases it. */
  gate(name: string): Deferred<void> {
    const gate = this.#gates.get(name) ?? deferred<void>();
    this.#gates.set(name, gate);
    return gate;
  }

  note<Entry>(list: Entry[], entry: Entry): void {
    list.push(entry);
    this.waiters.changed();
  }
}
