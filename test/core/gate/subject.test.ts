import { describe, expect, test } from "vitest";
import { CODEBUFF_SUBJECTS } from "../../../src/codebuff-events/subjects.ts";
import { CODEY_SUBJECTS } from "../../../src/codey/subjects.ts";
import { subjectInWords, subjectOf } from "../../../src/core/gate/subject.ts";

const of = (name: string, input: unknown) =>
  subjectOf({ name, input }, { ...CODEBUFF_SUBJECTS, ...CODEY_SUBJECTS });

const words = (name: string, input: unknown): string | undefined => of(name, input)?.words;

describe("the description of a call's grant", () => {
  test.each<[tool: string, input: unknown, words: string]>([
    ["run_terminal_command", { command: "npm test" }, "`npm test` in the project"],
    ["run_terminal_command", { command: "ls", cwd: "src/", timeout_seconds: 9 }, "`ls` in src"],
    [
      "run_terminal_command",
      { command: "ls", env: { A: "1" } },
      '`ls` in the project, with {"env":{"A":"1"}}',
    ],
    [
      "run_terminal_command",
      { command: "ls", process_type: "BACKGROUND" },
      '`ls` in the project, with {"process_type":"BACKGROUND"}',
    ],
    ["mcp_shell", { command: "ls", working_dir: null }, "`ls` in the project"],
    ["mcp_shell", { command: "x".repeat(300) }, `\`${"x".repeat(100)}…\` in the project`],
    ["write_file", { path: "./src//a.ts", instructions: "", content: "x" }, "edits of src/a.ts"],
    ["str_replace", { path: "a/../b", replacements: [] }, "edits of a/../b"],
    ["apply_patch", { operation: { type: "update_file", path: "a", diff: "x" } }, "edits of a"],
    ["apply_patch", { operation: { type: "create_file", path: "a", diff: "x" } }, "edits of a"],
    ["apply_patch", { operation: { type: "delete_file", path: "a" } }, "deletions of a"],
    [
      "apply_patch",
      { operation: { type: "delete_file", path: "a" }, all: true },
      'deletions of a, with {"all":true}',
    ],
    ["read_files", { paths: ["a.ts"] }, "reads directly in the project"],
    ["read_files", { paths: ["src/b.ts", { path: "src/a.ts", offset: 1 }] }, "reads directly in src"],
    [
      "read_files",
      { paths: ["src/b.ts", "/etc/passwd", "/x"] },
      "reads directly in /, directly in /etc, directly in src",
    ],
    ["read_files", { paths: ["src/../../b.ts"] }, "reads of src/../../b.ts"],
    [
      "read_files",
      { paths: ["src\\b.ts", "C:b.ts", "~/b", "//host/b", "src/"] },
      "reads of //host/b, of C:b.ts, of src/, of src\\b.ts, of ~/b",
    ],
    ["mcp_read_file", { path: "src/a.ts", start_line: 1 }, "reads directly in src"],
    ["read_files", { paths: ["src/.", "."] }, "reads of ., of src/."],
    [
      "read_files",
      { paths: [{ path: "src/a.ts", limit: 1, follow: true }] },
      'reads of src/a.ts with {"follow":true}',
    ],
    ["read_files", { paths: ["a, directly in b/c"] }, 'reads directly in "a, directly in b"'],
    ["write_file", { path: "the project/a" }, 'edits of "the project/a"'],
    ["run_terminal_command", { command: "ls", cwd: "the project" }, '`ls` in "the project"'],
    ["run_terminal_command", { command: `${"x".repeat(99)}😀` }, `\`${"x".repeat(99)}…\` in the project`],
    ["list_directory", { path: "src/." }, "lists src"],
    ["list_directory", { path: ".." }, "lists .."],
    ["glob", { pattern: "**/*.{ts,tsx}" }, "searches in the project"],
    ["glob", { pattern: "../*", cwd: "src" }, 'searches in src, with {"pattern":"../*"}'],
    ["glob", { pattern: "{a,/etc/*}" }, 'searches in the project, with {"pattern":"{a,/etc/*}"}'],
    ["glob", { pattern: "./src/**/.env*/@types/*.{ts,tsx}/" }, "searches in the project"],
    ["code_search", { pattern: "a", cwd: "src", maxResults: 1 }, "searches in src"],
    ["code_search", { pattern: "a", flags: "-g x" }, 'searches in the project, with {"flags":"-g x"}'],
    ["mcp_fetch_url", { url: "https://user:secret@Example.org/a?b" }, "fetches from https://example.org"],
    ["mcp_fetch_html", { url: "https://example.org:8443/" }, "fetches from https://example.org:8443"],
    ["mcp_fetch_url", { url: "https:example.org" }, "fetches from https:example.org"],
    ["mcp_fetch_url", { url: "https://b\u00fccher.example/" }, "fetches from https://xn--bcher-kva.example"],
    ["mcp_fetch_url", { url: "file:///etc/passwd" }, "fetches from file:///etc/passwd"],
    ["mcp_fetch_url", { url: "example.org" }, "fetches from example.org"],
    ["spawn_agents", { b: 1, a: [null, "x"] }, 'exactly the input {"a":[null,"x"],"b":1}'],
    ["any", null, "exactly the input null"],
    ["any", "text", 'exactly the input "text"'],
    ["__proto__", {}, "exactly the input {}"],
    ["constructor", { command: "ls" }, 'exactly the input {"command":"ls"}'],
  ])("%s of %o: %s", (name, input, expected) => {
    expect(words(name, input)).toBe(expected);
  });

  test.each([
    "{.,x}./a",
    "src/.{.,x}/a",
    "{,x}/etc/passwd",
    "[.][.]/a",
    "?(x)/etc",
    "@{(.).,x}/a",
    "src/{,./}../a",
    ".?/a",
    "a|/etc",
    "{~,x}/a",
  ])("includes the pattern %s, which may match outside the folder", (pattern) => {
    expect(words("glob", { pattern })).toBe(`searches in the project, with ${JSON.stringify({ pattern })}`);
  });

  test.each([
    "https://example.org\\@example.com/",
    "https://example.org\\.example.com/",
    "https://example.org\n@example.com/",
    " https://example.org/",
    "https:///example.org/",
  ])("quotes in full a URL that programs parse differently: %j", (url) => {
    expect(words("mcp_fetch_url", { url })).toBe(`fetches from ${url}`);
  });

  test("is cut at 2,000 characters for thousands of folders, while the key stays distinct", () => {
    const paths = Array.from({ length: 5_000 }, (_, at) => `${at}/a`);
    const said = words("read_files", { paths }) ?? "";
    expect([said.length, said.at(-1)]).toEqual([2_001, "…"]);
    expect(of("read_files", { paths })?.key).not.toBe(of("read_files", { paths: paths.slice(1) })?.key);
  });

  test("is cut at 2,000 characters for a tool's own text, while the key stays distinct", () => {
    const [one, other] = ["a", "b"].map((end) => subjectInWords("x".repeat(1_000_000) + end));
    expect([one?.words.length, one?.key === other?.key]).toEqual([2_001, false]);
  });

  test.each<[tool: string, input: unknown]>([
    ["run_terminal_command", {}],
    ["run_terminal_command", { command: "" }],
    ["run_terminal_command", { command: "ls", cwd: 5 }],
    ["run_terminal_command", '{"command":"l'],
    ["write_file", { path: ["a"] }],
    ["apply_patch", { path: "a", type: "delete_file" }],
    ["apply_patch", { operation: "a" }],
    ["read_files", { paths: [] }],
    ["read_files", { paths: ["a", 5] }],
    ["mcp_fetch_url", { address: "https://example.org" }],
    ["any", undefined],
    ["any", () => {}],
    ["any", { a: 1n }],
    ["any", { a: Number.NaN }],
    ["any", { a: new Map([["a", 1]]) }],
    ["any", { a: new Date(0) }],
  ])("is undefined for %s with the input %o", (name, input) => {
    expect(of(name, input)).toBeUndefined();
  });
});

test.each<[what: string, input: unknown]>([
  ["undefined in a list", Array.from({ length: 1 })],
  [
    "a field that throws",
    {
      get a(): unknown {
        throw new Error("no");
      },
    },
  ],
  ["a thousand levels", Array.from({ length: 1_000 }).reduce<unknown>((inner) => [inner], 1)],
  ["a circle", circle()],
])("an input with %s has no grant description", (_, input) => {
  expect(of("any", input)).toBeUndefined();
});

function circle(): unknown {
  const made: Record<string, unknown> = {};
  made["a"] = made;
  return made;
}

describe("whether one grant covers two calls:", () => {
  const SAME = true;
  test.each<[tool: string, one: unknown, other: unknown, same: boolean]>([
    ["write_file", { path: "./a" }, { path: "a" }, SAME],
    ["write_file", { path: "a//b/./c" }, { path: "a/b/c" }, SAME],
    ["write_file", { path: "a/../a" }, { path: "a" }, !SAME],
    ["write_file", { path: "A" }, { path: "a" }, !SAME],
    ["write_file", { path: "/a" }, { path: "a" }, !SAME],
    ["write_file", { path: "//a/b" }, { path: "/a/b" }, !SAME],
    ["write_file", { path: "a\\b" }, { path: "a/b" }, !SAME],
    ["write_file", { path: "a " }, { path: "a" }, !SAME],
    ["write_file", { path: "e\u0301" }, { path: "\u00e9" }, !SAME],
    ["write_file", { path: "a", content: "1" }, { path: "a", content: "2" }, SAME],
    ["write_file", { path: "a", mode: 1 }, { path: "a", mode: 2 }, !SAME],
    ["write_file", { path: "a", "": 1 }, { path: "a" }, !SAME],
    [
      "apply_patch",
      { operation: { type: "delete_file", path: "a" } },
      { operation: { type: "update_file", path: "a", diff: "" } },
      !SAME,
    ],
    ["apply_patch", { operation: { path: "a", x: 1 } }, { operation: { path: "a" }, x: 1 }, !SAME],
    ["run_terminal_command", { command: "ls", cwd: "." }, { command: "ls" }, SAME],
    ["run_terminal_command", { command: "ls", cwd: "a" }, { command: "ls" }, !SAME],
    ["run_terminal_command", { command: "ls " }, { command: "ls" }, !SAME],
    ["run_terminal_command", { command: "ls\n" }, { command: "ls" }, !SAME],
    ["run_terminal_command", { command: "ls", process_type: "SYNC" }, { command: "ls" }, SAME],
    ["run_terminal_command", { command: "ls", process_type: "BACKGROUND" }, { command: "ls" }, !SAME],
    ["run_terminal_command", { command: `ls\` in a`, cwd: "b" }, { command: "ls", cwd: "a` in b" }, !SAME],
    ["read_files", { paths: ["src/a"] }, { paths: ["src/b"] }, SAME],
    ["read_files", { paths: ["src/a"] }, { paths: ["src/b/c"] }, !SAME],
    ["read_files", { paths: ["src/a"] }, { paths: ["src/../a"] }, !SAME],
    ["read_files", { paths: [{ path: "a", offset: 1 }] }, { paths: [{ path: "a", limit: 2 }] }, SAME],
    ["read_files", { paths: [{ path: "a", follow: true }] }, { paths: [{ path: "a" }] }, !SAME],
    ["read_files", { paths: ["src/."] }, { paths: ["a"] }, !SAME],
    ["read_files", { paths: ["src/a"] }, { paths: ["src/a", "b"] }, !SAME],
    ["list_directory", { path: "src" }, { path: "src/" }, SAME],
    ["list_directory", { path: "src" }, { path: "SRC" }, !SAME],
    ["mcp_fetch_url", { url: "https://a.org/x" }, { url: "https://a.org/y" }, SAME],
    ["mcp_fetch_url", { url: "https://a.org" }, { url: "http://a.org" }, !SAME],
    ["mcp_fetch_url", { url: "https://a.org" }, { url: "https://a.org.b.org" }, !SAME],
    ["mcp_fetch_url", { url: "https://a.org" }, { url: "https://a.org@b.org" }, !SAME],
    ["any", { a: 1 }, { a: "1" }, !SAME],
    ["any", { a: 1, b: 2 }, { b: 2, a: 1 }, SAME],
    ["any", [1, 2], [2, 1], !SAME],
    ["any", JSON.parse('{"__proto__":{"a":1}}'), {}, !SAME],
    ["any", "null", null, !SAME],
  ])("%s: %o and %o: %s", (name, one, other, same) => {
    expect(of(name, one)?.key === of(name, other)?.key).toBe(same);
  });
});
