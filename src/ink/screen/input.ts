// Parses what the user types: prompts, and commands such as `/help` and `!ls`.
import type { TranscriptCommand } from "../../universal/transcript/transcript.ts";
import type { ScreenCommand } from "./command.ts";

export type Input =
  | { readonly type: "blank" }
  | { readonly type: "prompt"; readonly text: string }
  /** A command for this machine. */
  | { readonly type: "local"; readonly command: string }
  | { readonly type: "command"; readonly command: ScreenCommand; readonly argument: string }
  | { readonly type: "unknown"; readonly name: string };

export interface KnownCommands {
  /** Those of the screen. */
  readonly own: readonly ScreenCommand[];
  /** Those of the agent: they are prompts. */
  readonly agent: readonly TranscriptCommand[];
}

/**
 * `/name` is a command, `!` begins one of this machine. `/etc/hosts` is a prompt, and so is `/name` with words behind
 * it if no command of this name takes any. Where the agent has a command of the same name as the screen, two slashes
 * mean the agent's.
 */
export function readInput(text: string, { own, agent }: KnownCommands): Input {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === "!") return { type: "blank" };
  if (trimmed.startsWith("!")) return { type: "local", command: trimmed.slice(1).trim() };
  const [, slashes, given = "", argument = ""] = /^(\/\/?)([\w?:.-]+)(?:\s+([\s\S]*))?$/.exec(trimmed) ?? [];
  if (slashes === undefined) return { type: "prompt", text };
  const isOfAgent = agent.some(({ name }) => name === given);
  if (slashes === "//") return { type: "prompt", text: isOfAgent ? trimmed.slice(1) : text };
  const command = own.find(({ name }) => name === given.toLowerCase());
  if (command && (argument === "" || command.argument !== undefined))
    return { type: "command", command, argument };
  if (isOfAgent || argument !== "") return { type: "prompt", text };
  return { type: "unknown", name: `/${given}` };
}
