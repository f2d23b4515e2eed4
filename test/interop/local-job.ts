import type { BackendAnswer, BackendToolCall } from "agentwire/testing";
import type { Job } from "./both.ts";
import { says, usage } from "./job.ts";
import { type Scenario, tester } from "./scenario.ts";

/** What both clients' own tools do in the same project. */
export interface LocalJob extends Job {
  /** Results that differ, by the place of the call. */
  readonly differs?: Readonly<Record<number, LocalDifference>>;
  /** Files that differ behind the run, by path. `null`: no such file. */
  readonly leaves?: Readonly<Record<string, LocalDifference<string | null>>>;
}

export interface LocalDifference<T = unknown> {
  /** A name from the page. */
  readonly why: string;
  /** `<project>` stands for the project's folder. */
  readonly sdk: T;
  readonly own: T;
}

export const LOCAL_TOOLS = [
  "write_file",
  "str_replace",
  "apply_patch",
  "read_files",
  "list_directory",
  "glob",
  "code_search",
  "run_terminal_command",
];

const call = (name: string, given: Readonly<Record<string, unknown>>): BackendToolCall => ({
  name,
  arguments: given,
});
export const write = (path: string, content: string) =>
  call("write_file", { path, instructions: "x", content });
export const replace = (path: string, ...pairs: readonly (readonly [string, string, boolean?])[]) =>
  call("str_replace", {
    path,
    replacements: pairs.map(([old, replacement, allowMultiple]) => ({
      old,
      new: replacement,
      ...(allowMultiple === undefined ? {} : { allowMultiple }),
    })),
  });
export const patch = (path: string, diff: string, type = "update_file") =>
  call("apply_patch", { operation: { type, path, diff } });
export const remove = (path: string) => call("apply_patch", { operation: { type: "delete_file", path } });
export const read = (...paths: readonly string[]) => call("read_files", { paths });
export const list = (path: string) => call("list_directory", { path });
export const glob = (pattern: string, cwd?: string) =>
  call("glob", { pattern, ...(cwd === undefined ? {} : { cwd }) });
export const search = (pattern: string, more: Readonly<Record<string, unknown>> = {}) =>
  call("code_search", { pattern, ...more });
export const run = (command: string, more: Readonly<Record<string, unknown>> = {}) =>
  call("run_terminal_command", { command, ...more });

const FILES = {
  "a.txt": "hello\nworld\n",
  "src/b.ts": "export const x = 1;\nexport const y = 2;\n",
  "src/deep/c.ts": "export const z = 3;\n",
  "docs/page.md": "# Page\n\nexport nothing\n",
};

/** A job of one answer with these calls, in a project with these files. */
export function localJob(
  name: string,
  calls: readonly BackendToolCall[],
  {
    files = FILES,
    links = {},
    ...more
  }: Pick<LocalJob, "differs" | "leaves"> & Pick<Scenario, "files" | "links"> = {},
): LocalJob {
  const answers: readonly BackendAnswer[] = [{ toolCalls: calls, usage }, says("Done.")];
  return {
    name,
    scenario: {
      prompts: ["go"],
      agents: [tester({ toolNames: [...LOCAL_TOOLS, "end_turn"] })],
      files,
      links,
      isLocal: true,
    },
    server: () => ({ answer: answers }),
    ...more,
  };
}

/** A difference of what a tool has failed with. */
export const fails = (
  why: string,
  sdk: Readonly<Record<string, unknown>> | string,
  own: Readonly<Record<string, unknown>> | string,
): LocalDifference => ({ why, sdk: errorOf(sdk), own: errorOf(own) });

const errorOf = (given: Readonly<Record<string, unknown>> | string) =>
  typeof given === "string" ? { errorMessage: given } : given;
