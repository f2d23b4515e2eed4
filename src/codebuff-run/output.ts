import type { AgentDefinition } from "./agents.ts";
import { CodebuffRunError } from "./errors.ts";
import type { RunMessage, RunOutput } from "./messages.ts";

/** The result of an agent's run. `begun` is the length of the history when the run began. @throws CodebuffRunError `no_response` */
export function outputOfRun(
  { outputMode = "last_message" }: AgentDefinition,
  history: readonly RunMessage[],
  begun: number,
  output: Readonly<Record<string, unknown>> | undefined,
): RunOutput {
  switch (outputMode) {
    case "structured_output":
      return { type: "structuredOutput", value: output ?? null };
    case "all_messages":
      return { type: "allMessages", value: [...history] };
    case "last_message": {
      const value = lastMessages(history, begun);
      if (value.length > 0) return { type: "lastMessage", value };
      throw new CodebuffRunError({ kind: "no_response", message: "No response from agent" });
    }
    default:
      return outputMode satisfies never;
  }
}

/** The assistant's and tools' messages behind the last one of the user, in this run. */
function lastMessages(history: readonly RunMessage[], begun: number): readonly RunMessage[] {
  let from = history.length;
  while (from > begun) {
    const role = history[from - 1]?.role;
    if (role !== "assistant" && role !== "tool") break;
    from--;
  }
  return history.slice(from);
}
