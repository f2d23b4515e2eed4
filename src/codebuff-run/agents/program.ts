// Agents in code (`handleSteps`): runs their generator and executes its steps.
import type { ToolOutput } from "../../codebuff-events/print-mode.ts";
import { checks, describe, fieldsOf, isObject } from "../../core/checks.ts";
import { CodebuffRunError } from "../errors.ts";
import type { RunAgentState } from "../messages.ts";
import { abortable } from "../model/abortable.ts";

/** A step that an agent's program yields. */
export type ProgramStep =
  /** Ask the model once, and run its tool calls. */
  | "STEP"
  /** Ask the model until the agent ends its turn. */
  | "STEP_ALL"
  /** Request `n` drafts of an answer, without tools. */
  | { readonly type: "GENERATE_N"; readonly n: number }
  /** Call a tool. The tool need not be in `toolNames`. */
  | { readonly toolName: string; readonly input: Readonly<Record<string, unknown>> };

/** What a program gets after each step. */
export interface ProgramNews {
  readonly agentState: RunAgentState;
  /** The result of a tool call. */
  readonly toolResult: readonly ToolOutput[] | undefined;
  /** Whether the agent ended its turn in the last step. */
  readonly stepsComplete: boolean;
  /** The drafts of `GENERATE_N`. */
  readonly nResponses: readonly string[] | undefined;
}

interface ProgramContext {
  readonly agentState: RunAgentState;
  readonly prompt: string | undefined;
  readonly params: Readonly<Record<string, unknown>> | undefined;
}

/** TypeScript infers `string` for a yielded literal. The step is checked at run time. */
type Yielded = ProgramStep | (string & {});

/** An agent's steps in code: a generator. Its return ends the turn. */
export type AgentProgram = (
  context: ProgramContext,
) => Iterator<Yielded, void, ProgramNews> | AsyncIterator<Yielded, void, ProgramNews>;

export interface ProgramHost {
  readonly state: () => RunAgentState;
  /** Runs one step. Returns whether the agent ended its turn. */
  readonly step: () => Promise<boolean>;
  readonly drafts: (n: number) => Promise<readonly string[]>;
  readonly call: (
    toolName: string,
    input: Readonly<Record<string, unknown>>,
  ) => Promise<readonly ToolOutput[]>;
}

/** Steps of one program. Real programs take some dozens; an endless one would block the process. */
const MAX_STEPS = 1_000;

/** Runs a program until it ends. Throws the program's error, or the reason of `signal`. */
export async function runProgram(
  program: AgentProgram,
  context: Omit<ProgramContext, "agentState">,
  host: ProgramHost,
  signal: AbortSignal,
): Promise<void> {
  const steps: unknown = program({ ...context, agentState: host.state() });
  if (!isGenerator(steps)) throw wrong(`it returned ${describe(steps)}, not a generator`);
  let isOver = false;
  try {
    let news: Omit<ProgramNews, "agentState"> = NOTHING;
    for (let count = 0; count <= MAX_STEPS; count++) {
      const { done, value } = await abortable(steps.next({ agentState: host.state(), ...news }), signal);
      isOver = done === true;
      if (done) return;
      news = { ...NOTHING, ...(await newsOf(value, host)) };
    }
    const message = `the agent's program has not ended after ${MAX_STEPS} steps`;
    throw new CodebuffRunError({ kind: "no_progress", message });
  } finally {
    if (!isOver) Promise.resolve(steps.return?.()).catch(() => {}); // cleans up in the background
  }
}

const NOTHING: Omit<ProgramNews, "agentState"> = {
  toolResult: undefined,
  stepsComplete: false,
  nResponses: undefined,
};

async function newsOf(step: unknown, host: ProgramHost): Promise<Partial<ProgramNews>> {
  if (step === "STEP") return { stepsComplete: await host.step() };
  if (step === "STEP_ALL") {
    while (!(await host.step()));
    return { stepsComplete: true };
  }
  if (isObject(step)) {
    const { type, n, toolName, input = {} } = step;
    if (typeof toolName === "string" && isObject(input))
      return { toolResult: await host.call(toolName, input) };
    if (type === "GENERATE_N" && checks.count.holds(n)) return { nResponses: await host.drafts(Number(n)) };
  }
  const told = typeof step === "string" ? JSON.stringify(step) : describe(step);
  throw wrong(
    `it yielded ${told}; a step is "STEP", "STEP_ALL", { toolName, input } or { type: "GENERATE_N", n }`,
  );
}

function wrong(problem: string): CodebuffRunError {
  return new CodebuffRunError({ kind: "invalid_agent", message: `\`handleSteps\` is wrong: ${problem}` });
}

type Steps = ReturnType<AgentProgram>;

function isGenerator(value: unknown): value is Steps {
  return typeof fieldsOf(value)["next"] === "function";
}
