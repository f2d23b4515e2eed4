import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CodebuffRunEvent, CodebuffRunOptions } from "agentwire/codebuff-run";
import { type NodeTools, type NodeToolsOptions, nodeTools } from "agentwire/codebuff-run/tools";
import type { BackendAnswerContext, BackendReply, BackendScript } from "agentwire/testing";
import { tempFolder } from "../../../scripts/support/temp-folder.ts";
import { AGENT, runWorld, type World } from "../world.ts";

/** A call of a model. */
export interface Call {
  readonly name: string;
  readonly arguments: Input;
}

type Input = Readonly<Record<string, unknown>>;

export const call = (name: string, input: Input): Call => ({ name, arguments: input });

export const replace = (path: string, old: string, by: string): Call =>
  call("str_replace", { path, replacements: [{ old, new: by }] });

export const write = (path: string, content: string): Call =>
  call("write_file", { path, instructions: "Writes it.", content });

/** A model that makes these calls, one in each answer, and then says "Done". */
export const calling =
  (...calls: readonly Call[]) =>
  ({ request: { messages } }: BackendAnswerContext): BackendReply => {
    const next = calls[messages.filter(({ role }) => role === "tool").length];
    return next ? { toolCalls: [next] } : "Done";
  };

export interface FolderWorld extends AsyncDisposable {
  readonly root: string;
  readonly tools: NodeTools;
  /** The text of a file. */
  text(path: string): Promise<string>;
}

/** A folder with files, and the tools for it. */
export async function folderWorld(
  files: Readonly<Record<string, string>> = {},
  options: Omit<NodeToolsOptions, "root"> = {},
): Promise<FolderWorld> {
  const folder = await tempFolder();
  const root = folder.path;
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const tools = nodeTools({ root, ...options });
  return {
    root,
    tools,
    text: (path) => readFile(join(root, path), "utf8"),
    async [Symbol.asyncDispose]() {
      await tools.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A backend and a client whose agent has all tools of the folder. */
export function runWith(
  { tools }: FolderWorld,
  answer: BackendScript,
  options: CodebuffRunOptions = {},
): Promise<World> {
  const agent = { ...AGENT, toolNames: tools.names };
  return runWorld({ answer }, { agent, overrideTools: tools.handlers, ...options });
}

/** The values of the results of tools, in order. */
export const valuesOf = (events: readonly CodebuffRunEvent[]): readonly unknown[] =>
  events.flatMap((event) =>
    event.type === "tool_result"
      ? event.output.map((part) => (part.type === "json" ? part.value : undefined))
      : [],
  );
