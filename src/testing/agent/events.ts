// The events and the result of a mock turn.
import type { Turn, TurnResult } from "../../core/turn/turn.ts";
import type { Cost, Question, TurnToolCall, Usage } from "../../core/values.ts";
import type { ToolCallPart } from "../../universal/events.ts";

/** The events of a `MockAgent`'s turns. `agentId` is the sub-agent that emitted the event. */
export type MockAgentEvent =
  /** A delta of the answer, or of a sub-agent's text. */
  | { readonly type: "text"; readonly text: string; readonly agentId?: string }
  | { readonly type: "reasoning"; readonly text: string; readonly agentId?: string }
  | {
      readonly type: "status";
      readonly label: string;
      readonly detail: string | null;
      /** Additional fields of the status, such as a plan. */
      readonly json?: unknown;
      readonly agentId?: string;
    }
  /** A tool call was added or changed. */
  | { readonly type: "tool"; readonly call: TurnToolCall; readonly agentId?: string }
  | { readonly type: "question"; readonly question: Question; readonly agentId?: string }
  | MockSubagentEvent
  | MockFileEvent
  | { readonly type: "image"; readonly path: string; readonly mime: string | null; readonly agentId?: string }
  /** An event of a type that no client knows. */
  | { readonly type: "data"; readonly data: unknown; readonly agentId?: string }
  /** An error that does not end the turn. */
  | { readonly type: "problem"; readonly message: string; readonly code: string; readonly agentId?: string }
  /** The last event of a completed turn. */
  | { readonly type: "finish"; readonly usage?: Usage; readonly cost?: Cost };

export interface MockRawCall {
  readonly kind: "tool";
  readonly name: string;
  readonly input: unknown;
  /** The action of the call, and its subject. */
  readonly facts: Pick<ToolCallPart, "title" | "tool_kind" | "locations">;
}

/** A sub-agent has started or ended. */
interface MockSubagentEvent {
  readonly type: "subagent";
  readonly id: string;
  /** Such as `file-picker`. */
  readonly agentType: string;
  /** The display name. */
  readonly name: string;
  /** The sub-agent's task. */
  readonly prompt?: string;
  readonly state: "running" | "done" | "failed";
  /** The sub-agent that started this one. */
  readonly agentId?: string;
}

interface MockFileEvent {
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

/** The text that an event adds to the answer. The text of sub-agents is not part of the answer. */
export function textOfEvent(event: MockAgentEvent): string {
  return event.type === "text" && event.agentId === undefined ? event.text : "";
}
