// Calls of an interrupted run that have no result: answered without running them again, and shown.
import type { ToolOutput } from "../../codebuff-events/print-mode.ts";
import { type Shared, tell } from "../agents/shared.ts";
import type { RunCallPart, RunMessage } from "../messages.ts";
import type { Earlier } from "../state/run-state.ts";
import { ToolRun } from "./tool-run.ts";
import { failure } from "./toolbox.ts";

const NOT_KNOWN = failure(
  "It is not known whether this call ran: the run was interrupted. Check what it has done before you repeat it.",
);

/** A call that nobody may run again, with its result. */
export interface UnknownCall {
  readonly call: RunCallPart;
  readonly output: readonly ToolOutput[];
}

/** The history that a run continues from. `unknown`: the open calls for which the caller has no result. */
export function continued(
  { history, openCalls }: Earlier,
  extraToolResults: readonly RunMessage[],
): { readonly history: readonly RunMessage[]; readonly unknown: readonly UnknownCall[] } {
  const told = new Set(
    extraToolResults.map((message) => (message.role === "tool" ? message.toolCallId : undefined)),
  );
  const unknown = openCalls
    .filter(({ toolCallId }) => !told.has(toolCallId))
    .map((call) => ({ call, output: NOT_KNOWN }));
  return {
    history: [
      ...history,
      ...openCalls.map((call): RunMessage => ({ role: "assistant", content: [call] })),
      ...extraToolResults,
      ...unknown.map(({ call: { toolCallId, toolName }, output }): RunMessage => {
        return { role: "tool", toolName, toolCallId, content: output };
      }),
    ],
    unknown,
  };
}

export function showUnknown(shared: Shared, { call, output }: UnknownCall): void {
  const { toolCallId, toolName, input } = call;
  const raw = { type: "tool_call", toolCallId, toolName, input } as const;
  tell(shared, raw, JSON.stringify(input).length);
  new ToolRun(shared, { id: toolCallId, name: toolName, input, turnId: shared.turn.id, raw }).done(output);
  tell(shared, { type: "tool_result", toolCallId, toolName, output }, JSON.stringify(output).length);
}
