import type { BackendAnswer } from "agentwire/testing";
import type { Job } from "./both.ts";
import type { DifferenceName } from "./differences.ts";
import type { Outline } from "./outline.ts";
import { tester } from "./scenario.ts";

/** A job that both clients do alike, but for the listed differences. */
export interface SideBySide extends Job {
  readonly differences: readonly DifferenceName[];
  /** What the original client does. */
  readonly sdk: Outline;
  /** What this library does, where the difference hides it. */
  readonly own?: Outline;
}

/** Differences in all runs that end, of an agent without tools ... */
export const ALWAYS_BARE: readonly DifferenceName[] = ["stop-reason", "start-model", "truncation-marks"];

/** ... and of an agent with tools. */
export const ALWAYS: readonly DifferenceName[] = [...ALWAYS_BARE, "schema-marks"];

/** What each answer costs: five credits. */
export const usage = { cost: 0.05 };

export const calls = (...toolCalls: NonNullable<BackendAnswer["toolCalls"]>): BackendAnswer => ({
  toolCalls,
  usage,
});
export const says = (text: string): BackendAnswer => ({ text, usage });

export const LS = { name: "run_terminal_command", arguments: { command: "ls" } };
export const LISTED = [{ type: "json", value: { command: "ls", stdout: "a.txt\n", exitCode: 0 } }] as const;
export const WEATHER = { name: "get_weather", arguments: { city: "Oslo" }, fragments: 4 };

/** The one agent, with more tools. The original client offers a tool of the user's only to agents that name it. */
export const testerWith = (...names: readonly string[]) => [
  tester({ toolNames: ["think_deeply", "write_todos", "end_turn", ...names] }),
];
