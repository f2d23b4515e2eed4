import type { AgentDefinition, RunState, ToolOutput } from "agentwire/codebuff-run";

/** What a user of either client does. A JSON value, so that it can go to another process. */
export interface Scenario {
  /** @default "tester" */
  readonly agent?: string;
  /** @default the one agent `tester` */
  readonly agents?: readonly ScenarioAgent[];
  /** One run for each, which goes on from the one before. */
  readonly prompts: readonly string[];
  /** What the first run goes on from. */
  readonly previousRun?: RunState;
  /** Tools of the user's own. @default none */
  readonly tools?: readonly ToolName[];
  /** What the user's handlers of Codebuff's tools return, call by call. */
  readonly overrides?: Readonly<Record<string, readonly (readonly ToolOutput[])[]>>;
  /** @default each client's own */
  readonly maxAgentSteps?: number;
  /** @default "normal" */
  readonly costMode?: string;
  /** When the user has had enough. @default never */
  readonly cancel?: "before the start" | "at the first text";
  /** The project. The original client works in a folder with these. A path may lead beside the folder. @default one file */
  readonly files?: Readonly<Record<string, string>>;
  /** Links in the project: a path, and what it leads to. @default none */
  readonly links?: Readonly<Record<string, string>>;
  /** Whether this library works in such a folder too, with its own tools in place of `overrides`. @default false */
  readonly isLocal?: boolean;
}

/** A definition whose steps in code are named: see programs.ts. */
export type ScenarioAgent = Omit<AgentDefinition, "handleSteps"> & { readonly program?: ProgramName };

/** Tools of the user: see user-tools.ts. */
export type ToolName = "get_weather" | "get_pictures" | "note_down" | "break_down";

/** Steps of an agent in code: see programs.ts. */
export type ProgramName = "drafts" | "own call" | "own words" | "step by step";

export const TESTER: ScenarioAgent = {
  id: "tester",
  displayName: "Tester",
  model: "openai/gpt-5-mini",
  systemPrompt: "You are a test.",
  instructionsPrompt: "Be brief.",
  toolNames: ["think_deeply", "write_todos", "end_turn"],
};

/** `tester` with other fields. */
export const tester = (more: Partial<ScenarioAgent>): ScenarioAgent => ({ ...TESTER, ...more });
