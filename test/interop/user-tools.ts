import type { ToolOutput } from "agentwire/codebuff-run";
import * as z from "zod/v4";
import type { ToolName } from "./scenario.ts";

/** A tool of the user, for either client. */
export interface UserTool {
  readonly description: string;
  readonly inputSchema: z.ZodType<Readonly<Record<string, unknown>>>;
  readonly endsAgentStep: boolean;
  readonly execute: (input: Readonly<Record<string, unknown>>) => readonly ToolOutput[];
}

const json = (value: unknown): ToolOutput => ({ type: "json", value });

export const USER_TOOLS: Readonly<Record<ToolName, UserTool>> = {
  get_weather: {
    description: "Tells the weather.",
    inputSchema: z.object({ city: z.string().min(1), unit: z.enum(["C", "F"]).default("C") }),
    endsAgentStep: true,
    execute: ({ city, unit }) => [json({ city, unit, degrees: 21 })],
  },
  get_pictures: {
    description: "Returns several parts.",
    inputSchema: z.object({}),
    endsAgentStep: true,
    execute: () => [json({ of: "a cat" }), json({ of: "a dog" })],
  },
  note_down: {
    description: "Needs no look at its result.",
    inputSchema: z.object({ text: z.string() }),
    endsAgentStep: false,
    execute: () => [json({ noted: true })],
  },
  break_down: {
    description: "Throws.",
    inputSchema: z.object({}),
    endsAgentStep: true,
    execute: () => {
      throw new Error("kaboom");
    },
  },
};
