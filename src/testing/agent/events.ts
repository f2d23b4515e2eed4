// The events and the result of a mock turn.
import type { Turn, TurnEvents, TurnResult } from "../../core/turn/turn.ts";
import type { Cost, Question, TurnToolCall, Usage } from "../../core/values.ts";
import type { ToolCallPart } from "../../universal/events.ts";

/** The events of a `MockAgent`'s turns. `agentId`: the sub-agent that the event belongs to. */
export type MockAgentEvent =
  /** A piece of the answer, or of what a sub-agent says. */
  | { readonly type: "text"; readonly text: string; readonly agentId?: string }
  | { readonly type: "reasoning"; readonly text: string; readonly agentId?: string }
  | {
      readonly type: "status";
      readonly label: string;
      readonly detail: string | null;
      /** What else the status says: a plan, for example. */
      readonly json?: unknown;
      readonly agentId?: string;
    }
  /** A tool call is new, or has changed. */
  | { readonly type: "tool"; readonly call: TurnToolCall; readonly agentId?: string }
  | { readonly type: "question"; readonly question: Question; readonly agentId?: string }
  | MockSubagentEvent
  | MockFileEvent
  | { readonly type: "image"; readonly path: string; readonly mime: string | null; readonly agentId?: string }
  /** Something that no client knows. */
  | { readonly type: "data"; readonly data: unknown; readonly agentId?: string }
  /** An error that the turn survives. */
  | { readonly type: "problem"; readonly message: string; readonly code: string; readonly agentId?: string }
  /** The last event of a turn that completes. */
  | { readonly type: "finish"; readonly usage?: Usage; readonly cost?: Cost };

/** The `raw` of a call. */
export interface MockRawCall {
  readonly kind: "tool";
  readonly name: string;
  readonly input: unknown;
  /** What the call does, and to what. */
  readonly facts: Pick<ToolCallPart, "title" | "tool_kind" | "locations">;
}

/** A sub-agent has begun, or has ended. */
export interface MockSubagentEvent {
  readonly type: "subagent";
  readonly id: string;
  /** Such as `file-picker`. */
  readonly agentType: string;
  /** The name to show. */
  readonly name: string;
  /** What the sub-agent is to do. */
  readonly prompt?: string;
  readonly state: "running" | "done" | "failed";
  /** The sub-agent that this one works for. */
  readonly agentId?: string;
}

export interface MockFileEvent {
  readonly type: "file";
  readonly path: string;
  readonly action: "read" | "write" | "patch";
  /** A unified diff. */
  readonly diff: string | null;
  readonly agentId?: string;
}

/** The result of a `MockAgent`'s turn. */
export type MockAgentResult = TurnResult;

/** One turn of a `MockAgent`'s client. */
export type MockTurn = Turn<MockAgentEvent, MockAgentResult>;

/** The events of a {@link MockTurn}. */
export type MockTurnEvents = TurnEvents<MockAgentEvent>;

/** The text that an event adds to the answer: sub-agents add none. */
export function textOfEvent(event: MockAgentEvent): string {
  return event.type === "text" && event.agentId === undefined ? event.text : "";
}
