import type { BackendAnswer, BackendToolCall } from "agentwire/testing";
import type { Job } from "./both.ts";
import { says, usage } from "./job.ts";
import { tester } from "./scenario.ts";

/** What both clients' own tools do in the same folder. */
export interface LocalJob extends Job {
  /** The results of this library where they differ from those of the original client, by the place of the call. */
  readonly differs?: Readonly<Record<number, unknown>>;
  /** The files that this library leaves otherwise, by path; null for a file that it does not leave. */
  readonly leaves?: Readonly<Record<string, string | null>>;
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
const write = (path: string, content: string) => call("write_file", { path, instructions: "x", content });
const replace = (path: string, ...pairs: readonly (readonly [string, string, boolean?])[]) =>
  call("str_replace", {
    path,
    replacements: pairs.map(([old, replacement, allowMultiple]) => ({
      old,
      new: replacement,
      ...(allowMultiple === undefined ? {} : { allowMultiple }),
    })),
  });
const patch = (path: string, diff: string, type = "update_file") =>
  call("apply_patch", { operation: { type, path, diff } });
const remove = (path: string) => call("apply_patch", { operation: { type: "delete_file", path } });
const read = (...paths: readonly string[]) => call("read_files", { paths });
const list = (path: string) => call("list_directory", { path });
const glob = (pattern: string, cwd?: string) =>
  call("glob", { pattern, ...(cwd === undefined ? {} : { cwd }) });
const search = (pattern: string, more: Readonly<Record<string, unknown>> = {}) =>
  call("code_search", { pattern, ...more });
const run = (command: string, more: Readonly<Record<string, unknown>> = {}) =>
  call("run_terminal_command", { command, ...more });

const FILES = {
  "a.txt": "hello\nworld\n",
  "src/b.ts": "export const x = 1;\nexport const y = 2;\n",
  "src/deep/c.ts": "export const z = 3;\n",
  "docs/page.md": "# Page\n\nexport nothing\n",
};

/** A job of one answer with these calls, in a project with these files. */
function job(
  name: string,
  calls: readonly BackendToolCall[],
  more: Partial<Omit<LocalJob, "scenario">> & { readonly files?: Readonly<Record<string, string>> } = {},
): LocalJob {
  const { files = FILES, ...rest } = more;
  const answers: readonly BackendAnswer[] = [{ toolCalls: calls, usage }, says("Done.")];
  return {
    name,
    scenario: {
      prompts: ["go"],
      agents: [tester({ toolNames: [...LOCAL_TOOLS, "end_turn"] })],
      files,
      isLocal: true,
    },
    server: () => ({ answer: answers }),
    ...rest,
  };
}

export const LOCAL_JOBS: readonly LocalJob[] = [
  job("files are created, also in new folders, and written over", [
    write("new.txt", "line1\n"),
    write("deep/er/new.txt", "no end of line"),
    write("a.txt", "hello\nthere\n"),
    read("new.txt", "deep/er/new.txt", "a.txt"),
  ]),
  job("a write without a change", [write("a.txt", "hello\nworld\n")]),
  job("a write to a folder", [write("src", "x")]),
  job("replacements, one after the other", [
    replace("a.txt", ["world", "there"], ["hello", "HELLO"]),
    replace("src/b.ts", ["export const", "const", true]),
    read("a.txt", "src/b.ts"),
  ]),
  job("replacements that fail, alone and beside others", [
    replace("a.txt", ["nowhere", "x"]),
    replace("a.txt", ["nowhere", "x"], ["world", "there"]),
    replace("src/b.ts", ["export const", "const"]),
    replace("none.txt", ["a", "b"]),
  ]),
  job(
    "replacements with another indentation, other spaces and dollars",
    [
      replace("code.ts", ["if (a) {\n  b();\n}", "if (a) {\n  c();\n}"]),
      replace("code.ts", ["return   x ;", "return $1 + $&;"]),
      read("code.ts"),
    ],
    { files: { "code.ts": "function f() {\n    if (a) {\n      b();\n    }\n    return x;\n}\n" } },
  ),
  job(
    "files with CRLF keep it",
    [replace("crlf.txt", ["two", "TWO"]), patch("crlf.txt", "@@\n-three\n+THREE\n")],
    { files: { "crlf.txt": "one\r\ntwo\r\nthree\r\n" } },
  ),
  job("patches: create, update, delete", [
    patch("made.txt", "+one\n+two\n", "create_file"),
    patch("a.txt", "@@\n-hello\n+HELLO\n world\n"),
    patch("src/b.ts", "@@ export const x = 1;\n-export const y = 2;\n+export const y = 3;\n"),
    patch("docs/page.md", "@@\n # Page\n \n-export nothing\n+export all\n*** End of File\n"),
    remove("src/deep/c.ts"),
    read("made.txt", "a.txt", "src/b.ts", "docs/page.md", "src/deep/c.ts"),
  ]),
  job("patches that do not apply", [
    patch("a.txt", "@@\n-goodbye\n+x\n"),
    patch("../x", "@@\n-a\n+b\n"),
    patch("none.txt", "@@\n-a\n+b\n"),
    patch("bad.txt", "one\n", "create_file"),
  ]),
  job("folders and patterns", [
    list("."),
    list("src"),
    list("none"),
    glob("**/*.ts"),
    glob("*.md"),
    glob("none/**"),
  ]),
  job("searches", [
    search("export"),
    search("const (x|y)", { maxResults: 1 }),
    search("export", { cwd: "src/deep" }),
    search("nowhere to be found"),
    search("EXPORT", { flags: "-i" }),
    search("export", { flags: "-g *.md" }),
  ]),
  job("commands", [
    run("echo hi; exit 3"),
    run("echo out; echo err >&2"),
    run("cat a.txt", { cwd: "." }),
    run("pwd | sed 's#.*/##'", { cwd: "src" }),
    run("printf made > made.txt"),
    run("echo x", { process_type: "BACKGROUND" }),
  ]),
  job("files that are not there, or not to be read", [read("none.txt", "src", "a.txt", "a.txt", ".env")], {
    files: { ...FILES, ".env": "SECRET=1\n" },
  }),
];

/** Calls that leave the project. The folder beside the project has `secret.txt`; `out` is a link to it. */
export const ATTACKS: readonly BackendToolCall[] = [
  write("../outside/written.txt", "x"),
  write("out/written.txt", "x"),
  replace("out/secret.txt", ["secret", "found"]),
  patch("out/patched.txt", "+x\n", "create_file"),
  read("../outside/secret.txt", "out/secret.txt"),
  list("../outside"),
  list("out"),
  glob("out/**"),
  search("secret", { cwd: "out" }),
  search("secret", { flags: "-L" }),
  run("ls", { cwd: "../outside" }),
];
