import type { ToolOutput } from "../codebuff-events/print-mode.ts";
import type { RunAgentState } from "./messages.ts";

/** What a program of an agent asks for. */
export type ProgramStep =
  /** One answer of the model, with its tool calls. */
  | "STEP"
  /** Answers until the agent ends its turn. */
  | "STEP_ALL"
  /** `n` drafts of an answer, without tools. */
  | { readonly type: "GENERATE_N"; readonly n: number }
  /** A tool call of the program's own. The tool need not be among the agent's. */
  | { readonly toolName: string; readonly input: Readonly<Record<string, unknown>> };

/** What a program learns after each of its steps. */
export interface ProgramNews {
  readonly agentState: RunAgentState;
  /** Of a tool call. */
  readonly toolResult: readonly ToolOutput[] | undefined;
  /** Whether the agent has ended its turn in the last step. */
  readonly stepsComplete: boolean;
  /** Of `GENERATE_N`. */
  readonly nResponses: readonly string[] | undefined;
}

export interface ProgramContext {
  readonly agentState: RunAgentState;
  readonly prompt: string | undefined;
  readonly params: Readonly<Record<string, unknown>> | undefined;
}

/** Steps of an agent in code: a generator. Its return ends the turn. */
export type AgentProgram = (
  context: ProgramContext,
) => Iterator<ProgramStep, void, ProgramNews> | AsyncIterator<ProgramStep, void, ProgramNews>;

/** What a program can do. */
export interface ProgramHost {
  readonly state: () => RunAgentState;
  /** Runs one step. Returns whether the agent has ended its turn. */
  readonly step: () => Promise<boolean>;
  readonly drafts: (n: number) => Promise<readonly string[]>;
  readonly call: (
    toolName: string,
    input: Readonly<Record<string, unknown>>,
  ) => Promise<readonly ToolOutput[]>;
}

/** Runs a program to its end. Throws what the program throws. */
export async function runProgram(
  program: AgentProgram,
  context: Omit<ProgramContext, "agentState">,
  host: ProgramHost,
): Promise<void> {
  const steps = program({ ...context, agentState: host.state() });
  let news: Omit<ProgramNews, "agentState"> = {
    toolResult: undefined,
    stepsComplete: false,
    nResponses: undefined,
  };
  for (;;) {
    const { done, value } = await steps.next({ agentState: host.state(), ...news });
    if (done) return;
    news = { toolResult: undefined, stepsComplete: false, nResponses: undefined };
    if (value === "STEP") news = { ...news, stepsComplete: await host.step() };
    else if (value === "STEP_ALL") {
      while (!(await host.step()));
      news = { ...news, stepsComplete: true };
    } else if ("toolName" in value)
      news = { ...news, toolResult: await host.call(value.toolName, value.input) };
    else news = { ...news, nResponses: await host.drafts(value.n) };
  }
}
