// What several backends read from the options.
import type { ToolRule } from "../core/index.ts";
import { wrongCall } from "./failure.ts";
import type { Given } from "./given.ts";
import { undoable } from "./undo.ts";

/** Tools of a folder that only read it: allowed, since the folder was named. */
export const READING: readonly ToolRule[] = [
  { tool: /^(?:read_files|list_directory|glob|code_search)$/, then: "allow" },
];

/** @throws Failure if the option is missing */
export function needed(given: Given, name: string): string {
  const text = given.text(name);
  if (text !== undefined) return text;
  throw wrongCall(`--${name} is missing.`, `Pass --${name}; --help shows an example.`);
}

export function cwdOf(given: Given): { readonly cwd?: string } {
  const cwd = given.text("cwd");
  return cwd === undefined ? {} : { cwd };
}

export function modelOf(given: Given): { readonly model?: string } {
  const model = given.text("model");
  return model === undefined ? {} : { model };
}

/** The tools of the folder `--cwd`, if it is given, and the way back from their edits. `terminal`: whether one of them runs commands. */
export async function folderTools(given: Given, { terminal }: { readonly terminal: boolean }) {
  const root = given.text("cwd");
  if (root === undefined) return undefined;
  const { nodeTools } = await import("../codebuff-run/tools/index.ts");
  const tools = nodeTools({ root, terminal });
  return { tools, ...undoable(tools) };
}
