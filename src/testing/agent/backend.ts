// The mock agent as its clients see it.
import type { Capabilities } from "../../core/client/agent-client.ts";
import type { Clock } from "../../core/clock.ts";
import { type Deferred, deferred } from "../../core/deferred.ts";
import { Waiters } from "../waiters.ts";
import { changeSettings, type MockAgentSwitches, type MockSettings, type Resolved } from "./options.ts";
import type { MockAgentAnswer, MockAgentCancel, MockAgentDecision, MockAgentPrompt } from "./record.ts";
import type { MockAgentScript } from "./script.ts";

/** The agent behind its clients: the script, the switches, the journal. */
export class MockBackend {
  readonly name: string;
  readonly clock: Clock;
  readonly waiters = new Waiters();
  readonly prompts: MockAgentPrompt[] = [];
  readonly decisions: MockAgentDecision[] = [];
  readonly answers: MockAgentAnswer[] = [];
  readonly cancels: MockAgentCancel[] = [];
  script: MockAgentScript;
  /** Attempts to connect, of all clients. */
  attempts = 0;
  readonly #capabilities: Resolved["capabilities"];
  readonly #gates = new Map<string, Deferred<void>>();
  readonly #ids = new Map<string, number>();
  #settings: MockSettings;
  /** Refused attempts since `refuseConnect` was set. */
  #refused = 0;

  constructor({ name, clock, script, settings, capabilities }: Resolved) {
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
    return { ...this.#capabilities, reopens: reconnect !== false, cancelOnWire: !answersAfterCancel };
  }

  /** @throws InvalidInputError for a switch that does not exist or is wrong */
  set(switches: MockAgentSwitches): void {
    this.#settings = changeSettings(this.#settings, switches);
    if (switches.refuseConnect !== undefined) this.#refused = 0;
  }

  /** An attempt to connect begins. */
  tried(): void {
    this.attempts++;
    this.waiters.changed();
  }

  /** Why the backend refuses an attempt to connect; `undefined` if it accepts. Counts the refusal. */
  refuse(): string | undefined {
    const { refuseConnect } = this.#settings;
    if (typeof refuseConnect === "string") return refuseConnect;
    const isRefused = typeof refuseConnect === "number" ? ++this.#refused <= refuseConnect : refuseConnect;
    return isRefused ? "the backend refuses the connection" : undefined;
  }

  /** `turn_1`, `turn_2`, `call_1` and so on. */
  newId(what: "turn" | "call" | "question" | "agent"): string {
    const count = (this.#ids.get(what) ?? 0) + 1;
    this.#ids.set(what, count);
    return `${what}_${count}`;
  }

  /** A gate that scripts wait at. Resolved by the test, for good. */
  gate(name: string): Deferred<void> {
    const gate = this.#gates.get(name) ?? deferred<void>();
    this.#gates.set(name, gate);
    return gate;
  }

  /** Notes something in a list of the journal. */
  note<Entry>(list: Entry[], entry: Entry): void {
    list.push(entry);
    this.waiters.changed();
  }
}
