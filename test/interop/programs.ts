import type { AgentDefinition, ProgramStep } from "agentwire/codebuff-run";
import type { ProgramName, ScenarioAgent } from "./scenario.ts";

// The original client turns a program into text and evaluates the text, so none may use anything from outside of itself.

const PROGRAMS: Readonly<
  Record<ProgramName, (context: object) => Generator<ProgramStep, void, { nResponses?: unknown }>>
> = {
  drafts: function* () {
    const { nResponses } = yield { type: "GENERATE_N", n: 3 };
    yield { toolName: "set_output", input: { drafts: nResponses } };
  },
  "own call": function* () {
    yield { toolName: "run_terminal_command", input: { command: "ls" } };
    yield "STEP_ALL";
  },
  "own words": function* (context) {
    const text = "logger" in context ? "I speak, and could log." : "I speak.";
    yield { type: "STEP_TEXT", text } as unknown as ProgramStep;
  },
  "step by step": function* () {
    yield "STEP";
    yield { toolName: "think_deeply", input: { thought: "between two steps" } };
    yield "STEP";
  },
};

/** The definition that a client takes. */
export function definitionOf({ program, ...definition }: ScenarioAgent): AgentDefinition {
  return program === undefined ? definition : { ...definition, handleSteps: PROGRAMS[program] };
}
