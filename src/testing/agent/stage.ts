// What a script is played with, as types.
import type { Capabilities } from "../../core/client/agent-client.ts";
import type { Clock } from "../../core/clock.ts";
import type { TurnToolCall } from "../../core/values.ts";
import type { STOPPED } from "../server/interruptible.ts";
import type { Settings } from "./options.ts";
import type { Requests } from "./requests.ts";
import type { MockAgentSteps, MockLoss } from "./script.ts";
import type { Tells } from "./tells.ts";
import type { MockTurn } from "./turn.ts";

/** What a script is played with. */
export interface Stage {
  readonly turn: MockTurn;
  readonly tells: Tells;
  /** The clock of the agent. */
  readonly clock: Clock;
  readonly settings: Settings;
  readonly capabilities: Capabilities;
  readonly requests: Requests;
  /** Resolves when the link is ready. */
  back(): Promise<void>;
  lose(loss: MockLoss): void;
  /** Resolves when the test has released the gate. */
  gate(name: string): Promise<void>;
  /** An id for a call, a question or a sub-agent whose script gives none. */
  newId(what: "call" | "question" | "agent"): string;
  /** The answer is complete. Called before any code can see that the turn has completed. */
  remember(text: string): void;
}

/** A script that is being played. */
export interface Playing {
  readonly stage: Stage;
  readonly stopped: boolean;
  /** Plays some steps, of the agent or of a sub-agent. */
  follow(steps: MockAgentSteps, agentId: string | undefined): Promise<void>;
  /** Waits for a promise, or for the stop of the script. */
  until<T>(value: T | Promise<T>): Promise<T | typeof STOPPED>;
  /** The name of a sub-agent. */
  nameOf(agentId: string): string;
  /** Sets a call of the turn, and pushes the event of it. */
  call(call: TurnToolCall, agentId: string | undefined): Promise<void>;
}
