// What AG-UI opens and closes: messages, reasoning, tool calls and sub-agents.
import { type AgUiEvent, agUi, facts } from "./event.ts";

/** What AG-UI opens and closes. `isOpen`: in the run that is being written. */
export interface AgUiSpan {
  kind: "text" | "reasoning" | "call" | "agent";
  readonly id: string;
  /** The sub-agent that it belongs to. */
  readonly owner: AgUiSpan | undefined;
  isOpen: boolean;
  /** Its item is completed. */
  isOver?: boolean;
  /** Of a call and of a sub-agent. */
  readonly name: string;
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
  readonly description?: string | undefined;
  /** Of a call: whether its arguments arrived in pieces. */
  hasArguments?: boolean;
}

export interface Closing {
  readonly metadata?: Record<string, unknown> | undefined;
  /** Why a sub-agent has failed. */
  readonly failure?: string | undefined;
  /** Of a sub-agent: the turn waits for the user. */
  readonly outcome?: { readonly type: "suspended" } | undefined;
}

export function openings({ kind, id, owner, name, description, facts: own = {} }: AgUiSpan): AgUiEvent[] {
  const subagentRunId = owner?.id;
  const metadata = facts(own);
  switch (kind) {
    case "text":
      return [agUi({ type: "TEXT_MESSAGE_START", messageId: id, role: "assistant", subagentRunId })];
    case "reasoning":
      return [
        agUi({ type: "REASONING_START", messageId: id, subagentRunId }),
        agUi({ type: "REASONING_MESSAGE_START", messageId: id, role: "reasoning", subagentRunId }),
      ];
    case "call":
      return [agUi({ type: "TOOL_CALL_START", toolCallId: id, toolCallName: name, subagentRunId, metadata })];
    case "agent": {
      const parentSubagentRunId = owner?.isOpen ? owner.id : undefined;
      const start = { subagentRunId: id, name, description, parentSubagentRunId, metadata };
      return [agUi({ type: "SUBAGENT_STARTED", ...start })];
    }
  }
}

export function closings(
  { kind, id, owner }: AgUiSpan,
  { metadata, failure, outcome }: Closing,
): AgUiEvent[] {
  const subagentRunId = owner?.id;
  switch (kind) {
    case "text":
      return [agUi({ type: "TEXT_MESSAGE_END", messageId: id, subagentRunId, metadata })];
    case "reasoning":
      return [
        agUi({ type: "REASONING_MESSAGE_END", messageId: id, subagentRunId }),
        agUi({ type: "REASONING_END", messageId: id, subagentRunId }),
      ];
    case "call":
      return [agUi({ type: "TOOL_CALL_END", toolCallId: id, subagentRunId, metadata })];
    case "agent":
      if (failure === undefined) return [agUi({ type: "SUBAGENT_FINISHED", subagentRunId: id, outcome })];
      return [agUi({ type: "SUBAGENT_ERROR", subagentRunId: id, message: failure })];
  }
}
