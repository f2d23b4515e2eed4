// The agent behind all links: its settings, its records, and the sessions that it keeps.
import { type Clock, systemClock } from "../../core/clock.ts";
import { checkMockNames } from "../names.ts";
import type { Dict } from "../server/dict.ts";
import { checkAnswer } from "../server/script-runner.ts";
import { changed } from "../server/switches.ts";
import { ACP_AGENTS, type AcpAgentFacts } from "./agents.ts";
import type { MockAcpOptions, MockAcpSwitches } from "./options.ts";
import { ACP_OPTIONS, ACP_SWITCHES, type AcpMockSettings, acpSettings, checkAcpValues } from "./profiles.ts";
import { AcpJournal } from "./record.ts";
import { echoAcpAnswer, type MockAcpAnswer } from "./script.ts";

/** A session that the agent keeps, also without a link. */
export interface KeptSession {
  readonly id: string;
  readonly cwd: string;
  title: string | undefined;
  /** The updates of a replay. */
  readonly history: Dict[];
}

export class AcpHost {
  readonly facts: AcpAgentFacts;
  readonly capabilities: Dict;
  readonly clock: Clock;
  readonly journal = new AcpJournal();
  readonly kept = new Map<string, KeptSession>();
  readonly newSessionId: () => string;
  #settings: AcpMockSettings;
  #answer: MockAcpAnswer = echoAcpAnswer;
  #calls = 0;
  #messages = 0;

  constructor(options: MockAcpOptions) {
    checkMockNames(options, ACP_OPTIONS, "option");
    checkAcpValues(options);
    this.#settings = acpSettings(options);
    this.facts = ACP_AGENTS[options.profile ?? "documented"];
    this.capabilities = { ...this.facts.capabilities, ...options.capabilities };
    this.clock = options.clock ?? systemClock;
    this.newSessionId = options.sessionId ?? (() => crypto.randomUUID());
    if (options.answer !== undefined) this.answer = options.answer;
  }

  get settings(): AcpMockSettings {
    return this.#settings;
  }

  get answer(): MockAcpAnswer {
    return this.#answer;
  }

  set answer(answer: MockAcpAnswer) {
    if (!Array.isArray(answer)) checkAnswer(answer);
    this.#answer = answer;
  }

  set(switches: MockAcpSwitches): void {
    checkMockNames(switches, ACP_SWITCHES, "switch");
    checkAcpValues(switches);
    this.#settings = changed(this.#settings, switches);
  }

  newCallId(name: string): string {
    return this.facts.callId(name, ++this.#calls);
  }

  newMessageId(): string {
    return `msg_${++this.#messages}`;
  }
}
