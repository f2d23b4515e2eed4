// The mock agent as its clients see it.
import type { Capabilities } from "../../core/client/agent-client.ts";
import type { Clock } from "../../core/clock.ts";
import type { SettledRequest } from "../../core/values.ts";
import type { Settings } from "./options.ts";
import type { MockAgentCancel, MockAgentPrompt } from "./record.ts";
import type { MockAgentScript } from "./script.ts";

/** The agent, as its clients see it. */
export interface Backend {
  readonly name: string;
  readonly clock: Clock;
  readonly capabilities: Capabilities;
  readonly settings: Settings;
  readonly script: MockAgentScript;
  /** An attempt to connect begins. */
  tried(): void;
  /** Why it lets nobody in; `undefined` if it does. Counts the refusal. */
  refuse(): string | undefined;
  /** Lets nobody in any more. */
  refuseAll(): void;
  /** `turn_1`, `turn_2`, `call_1` and so on. */
  newId(what: "turn" | "call" | "question" | "agent" | "grant"): string;
  /** Resolves when the test has released the gate. */
  gate(name: string): Promise<void>;
  notePrompt(prompt: Omit<MockAgentPrompt, "n">): MockAgentPrompt;
  noteCancel(cancel: MockAgentCancel): void;
  noteSettled(request: SettledRequest, turnId: string): void;
}
