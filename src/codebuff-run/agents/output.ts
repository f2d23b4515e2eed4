// The output of an agent's run, by its output mode.

import { CodebuffRunError } from "../errors.ts";
import type { RunMessage, RunOutput } from "../messages.ts";
import type { AgentDefinition } from "./agents.ts";

interface RunFacts {
  /** The length of the history at the start of the run. */
  readonly begun: number;
  readonly isCut: boolean;
  readonly output: Readonly<Record<string, unknown>> | undefined;
}

/** The output of an agent's run. @throws CodebuffRunError `no_response` */
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

/** The last messages of the assistant in this run, with their tool results, without reasoning. */
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
