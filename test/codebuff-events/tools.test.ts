import { expect, test } from "vitest";
import { toolFacts } from "../../src/codebuff-events/universal.ts";
import { HANDLED } from "../../src/codebuff-run/calls/builtins.ts";

test.each<[name: string, input: unknown, facts: unknown]>([
  [
    "read_files",
    { paths: ["a.ts", { path: "b.ts", offset: 7 }, 5] },
    { tool_kind: "read", title: "Read a.ts, b.ts", locations: [{ path: "a.ts" }, { path: "b.ts", line: 7 }] },
  ],
  [
    "write_file",
    { path: "a.ts", content: "x" },
    { tool_kind: "edit", title: "Write a.ts", locations: [{ path: "a.ts" }] },
  ],
  [
    "apply_patch",
    { operation: { type: "delete_file", path: "a.ts" } },
    { tool_kind: "delete", title: "Delete a.ts", locations: [{ path: "a.ts" }] },
  ],
  [
    "apply_patch",
    { operation: { type: "update_file", path: "a.ts", diff: "@@" } },
    { tool_kind: "edit", title: "Edit a.ts", locations: [{ path: "a.ts" }] },
  ],
  ["apply_patch", "no object", { tool_kind: "edit" }],
  [
    "run_terminal_command",
    { command: "npm test\nrm -rf /", cwd: "src" },
    { tool_kind: "execute", title: "Run npm test ...", locations: [{ path: "src" }] },
  ],
  ["code_search", { pattern: "on\\(" }, { tool_kind: "search", title: "Search for on\\(" }],
  ["write_todos", { todos: [] }, { tool_kind: "think" }],
  ["my_tool", { path: "a.ts" }, undefined],
  ["constructor", {}, undefined],
])("a call has a kind, a title and locations: %s %j", (name, input, facts) => {
  expect(toolFacts(name, input)).toEqual(facts);
});

test("a title has at most 200 characters, and a call at most 100 locations", () => {
  const paths = Array.from({ length: 1_000 }, (_, at) => `file-${at}.ts`);
  const { title, locations } = toolFacts("read_files", { paths }) ?? {};
  expect([title?.length, locations?.length]).toEqual([200, 100]);
});

test("each tool of `nodeTools` is known", () => {
  expect(Object.keys(HANDLED).filter((name) => toolFacts(name, {}) === undefined)).toEqual([]);
});
