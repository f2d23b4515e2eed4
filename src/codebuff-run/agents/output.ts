// The result of an agent's run, by the output mode of its definition.

import { CodebuffRunError } from "../errors.ts";
import type { RunMessage, RunOutput } from "../messages.ts";
import type { AgentDefinition } from "./agents.ts";

/** How a run has ended, for its output. */
interface RunFacts {
  /** The length of the history when the run began. */
  readonly begun: number;
  /** Whether the run has stopped at its limit of steps. */
  readonly isCut: boolean;
  /** What the agent has set. */
  readonly output: Readonly<Record<string, unknown>> | undefined;
}

/** The result of an agent's run. @throws CodebuffRunError `no_response` */
export function outputOfRun(
  { outputSchema, outputMode = outputSchema ? "structured_output" : "last_message" }: AgentDefinition,
  history: readonly RunMessage[],
  { begun, isCut, output }: RunFacts,
): RunOutput {
  switch (outputMode) {
    case "structured_output":
      return { type: "structuredOutput", value: output ?? null };
    case "all_messages":
      return { type: "allMessages", value: [...history] };
    case "last_message": {
      const value = lastMessages(history, begun);
      if (isCut || value.length > 0) return { type: "lastMessage", value };
      throw new CodebuffRunError({ kind: "no_response", message: "No response from agent" });
    }
    default:
      return outputMode satisfies never;
  }
}

/** The last that the assistant has said in this run, and the results of the tools that it called there. Its thoughts are left out. */
function lastMessages(history: readonly RunMessage[], begun: number): readonly RunMessage[] {
  const said = history.slice(begun).filter((message) => !isThought(message));
  const last = said.map(({ role }) => role).lastIndexOf("assistant");
  let from = last;
  while (said[from - 1]?.role === "assistant") from--;
  const after = said.slice(last + 1);
  const to = after.findIndex(({ role }) => role !== "tool");
  return last === -1 ? [] : [...said.slice(from, last + 1), ...after.slice(0, to === -1 ? undefined : to)];
}

function isThought({ role, content }: RunMessage): boolean {
  return role === "assistant" && content.every(({ type }) => type === "reasoning");
}
