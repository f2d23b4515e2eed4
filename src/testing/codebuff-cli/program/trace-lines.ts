// Lines that one real program writes to stderr.
import type { FakeCodebuffEvent } from "../script.ts";

/** The fork's model library prints this warning on every call. */
const WARNING =
  "AI SDK Warning: System messages in the prompt or messages fields can be a security risk because they may enable prompt injection attacks. Use the system option instead when possible. Set allowSystemInMessages to true to suppress this warning, or false to throw an error.";

/** Credits per dollar, as in the fork. */
const CREDITS = 1000;

/** The first lines of a multi-line value, joined into one. */
const firstLines = (value: unknown, count: number): string =>
  (JSON.stringify(value, null, 2) ?? "undefined").split("\n").slice(0, count).join(" ");

/** Writes the fork's progress lines on stderr. */
export class TraceLines {
  /** Whether tool results were printed, so that the next output belongs to a new model call. */
  #answered = false;

  linesOf(event: FakeCodebuffEvent): readonly string[] {
    const { type } = event;
    if (type === "tool_result") {
      this.#answered = true;
      return [`  → ${firstLines(event["output"], 2)}`];
    }
    const again = this.#answered ? [WARNING] : [];
    this.#answered = false;
    if (type === "start") {
      const model = event["model"] === undefined ? "" : ` (${String(event["model"])})`;
      return [`[agent]${model}`, WARNING];
    }
    if (type === "tool_call")
      return [...again, `[${String(event["toolName"])}] ${firstLines(event["input"], 1)}`];
    if (type === "subagent_start") return [...again, `[subagent] ${String(event["agentType"])}`];
    if (type === "error") return [...again, `[error] ${String(event["message"])}`];
    if (type === "finish" && isCost(event["totalCost"]))
      return [...again, `[cost: $${(event["totalCost"] / CREDITS).toFixed(4)}]`];
    return again;
  }
}

const isCost = (value: unknown): value is number => typeof value === "number" && value > 0;
