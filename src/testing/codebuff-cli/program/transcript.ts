// The root agent's output in a run.
import type { FakeCodebuffEvent } from "../script.ts";
import { isOfRoot } from "./steps.ts";

/** The root agent's text: its chunks, or its text blocks if there are no chunks. Blocks repeat chunks. */
export class ProgramTranscript {
  readonly #chunks: string[] = [];
  readonly #blocks: string[] = [];
  readonly #traces: Record<string, unknown>[] = [];

  get text(): string {
    return (this.#chunks.length > 0 ? this.#chunks : this.#blocks).join("");
  }

  /** Short forms of events for the object of `--json`: without ids, outputs and cost. */
  get traces(): readonly Readonly<Record<string, unknown>>[] {
    return this.#traces;
  }

  chunk(text: string): undefined {
    this.#chunks.push(text);
  }

  event(event: FakeCodebuffEvent): undefined {
    if (event.type === "text" && isOfRoot(event)) this.#blocks.push(String(event["text"]));
    const trace = traceOf(event);
    if (trace) this.#traces.push(trace);
  }
}

function traceOf(event: FakeCodebuffEvent): Record<string, unknown> | undefined {
  const { type } = event;
  const pick = (...names: readonly string[]): Record<string, unknown> => {
    const held = names.filter((name) => event[name] !== undefined);
    return { type, ...Object.fromEntries(held.map((name) => [name, event[name]])) };
  };
  switch (type) {
    case "start":
      return event["model"] === undefined ? undefined : pick("agentId", "model");
    case "tool_call":
      return pick("toolName", "input");
    case "tool_result":
      return pick("toolName");
    case "subagent_start":
    case "subagent_finish":
      return pick("agentType", "model");
    case "error":
      return pick("message");
    default:
      return undefined;
  }
}
