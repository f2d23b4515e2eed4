import type { AgentDefinition } from "./agents.ts";
import { CodebuffRunError } from "./errors.ts";
import type { RunMessage, RunOutput } from "./messages.ts";

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
  { outputMode = "last_message" }: AgentDefinition,
  history: readonly RunMessage[],
  { begun, isCut, output }: RunFacts,
): RunOutput {
  switch (outputMode) {
    case "structured_output":
      return { type: "structuredOutput", value: output ?? null };
    case "all_messages":
      return { type: "allMessages", value: [...history] };
    case "last_message": {
      const value = lastMessages(isCut ? withoutNotes(history, begun) : history, begun);
      if (isCut || value.some(says)) return { type: "lastMessage", value };
      throw new CodebuffRunError({ kind: "no_response", message: "No response from agent" });
    }
    default:
      return outputMode satisfies never;
  }
}

/** Whether a message is more than thoughts. */
function says({ role, content }: RunMessage): boolean {
  return role === "tool" || content.some(({ type }) => type !== "reasoning");
}

/** The history of this run up to the last message that is no note to the agent. */
function withoutNotes(history: readonly RunMessage[], begun: number): readonly RunMessage[] {
  let to = history.length;
  while (to > begun && history[to - 1]?.role === "user") to--;
  return history.slice(0, to);
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
