import { expect, test } from "vitest";
import { approvalText } from "../../../src/screens/tool/approval-text.ts";
import { grantText } from "../../../src/screens/tool/command.ts";
import { inputBeside, inputText } from "../../../src/screens/tool/tool-input.ts";
import { toolView } from "../../../src/screens/tool/tool-view.ts";
import { terminalWords } from "../../../src/screens/words-terminal.ts";
import type { ChatToolPart } from "../../../src/universal/transcript/message.ts";

const part = (fields: Partial<ChatToolPart>): ChatToolPart => ({
  type: "tool",
  id: "c",
  callId: "c",
  name: "some_tool",
  input: {},
  state: "done",
  output: "",
  content: [],
  ...fields,
});
/** The output as JSON, as most backends say it. */
const said = (json: unknown, fields: Partial<ChatToolPart> = {}) =>
  toolView(part({ output: typeof json === "string" ? json : JSON.stringify(json), ...fields }));
const text = (value: string, path = "") => ({ type: "text", text: value, path });

test.each<[what: string, json: unknown, pieces: readonly unknown[]]>([
  ["a text", "one\ntwo\n", [text("one\ntwo\n")]],
  ["a command", { stdout: "a\n", stderr: "b\n", exitCode: 0 }, [text("a\nb\n")]],
  ["a command that was stopped", { stdout: "a", message: "Interrupted" }, [text("a\nInterrupted")]],
  ["a failure", { errorMessage: "It is\nno file" }, [text("It is\nno file")]],
  ["a file", [{ path: "a.ts", content: "one\ntwo" }], [text("one\ntwo", "a.ts")]],
  [
    "an edit",
    { file: "a.ts", message: "Updated file", unifiedDiff: "@@ -1 +1 @@\n-a\n+b" },
    [text("Updated file", "a.ts"), { type: "diff", path: "a.ts", diff: "@@ -1 +1 @@\n-a\n+b" }],
  ],
  [
    "a new file",
    { file: "a.md", message: "Created new file", unifiedDiff: "- one\n- two" },
    [text("Created new file", "a.md"), { type: "diff", path: "a.md", diff: "+- one\n+- two" }],
  ],
  ["a folder", { files: ["a", "b"], directories: ["c"], path: "." }, [text("a\nb\nc", ".")]],
  ["found files", { files: ["a"], count: 1, message: "Found 1" }, [text("a\ncount: 1\nFound 1")]],
  [
    "a search",
    { stdout: "./a:\nLine 1: x", message: "Exit code: 0" },
    [text("./a:\nLine 1: x\nExit code: 0")],
  ],
  [
    "content of MCP",
    { content: [{ type: "text", text: "one\ntwo" }], structuredContent: {} },
    [text("one\ntwo")],
  ],
  ["content of ACP", [{ type: "content", content: { type: "text", text: "one" } }], [text("one")]],
  [
    "a change of ACP",
    { path: "a.ts", oldText: "1\n2\n", newText: "1\nzwei\n" },
    [{ type: "diff", path: "a.ts", diff: "-1\n-2\n+1\n+zwei" }],
  ],
  ["several texts", ["one", "two"], [text("one\ntwo")]],
  ["anything else", { a: { b: 1 }, c: "x\ny" }, [text('{\n  "a": {\n    "b": 1\n  },\n  "c": "x\ny"\n}')]],
  ["a list of anything else", [{ a: 1 }, 2], [text('[{"a":1},2]')]],
  ["fields beside a known shape", { stdout: "a", took: 5 }, [text("a\ntook: 5")]],
  ["what begins like JSON", "[1, 2", [text("[1, 2")]],
  ["nothing", { stdout: "" }, []],
])("the output of a call is shown as text: %s", (_, json, pieces) => {
  expect(said(json).pieces).toEqual(pieces);
  if (typeof json === "string") return;
  expect(said("", { content: [{ type: "json", json }] }).pieces).toEqual(pieces);
  expect(said(json, { content: [{ type: "json", json }] }).pieces).toEqual(pieces);
});

test("a text of its own stands for the data beside it, but for changes", () => {
  const content = [
    { type: "json", json: { stdout: "for programs", exitCode: 2 } },
    { type: "json", json: { path: "a.ts", oldText: null, newText: "a" } },
  ] as const;
  expect(said("Done.", { content })).toMatchObject({
    exit: 2,
    pieces: [text("Done."), { type: "diff", path: "a.ts", diff: "+a" }],
  });
});

test("an output of many texts, or one that is nested deeply, is shown in linear time and without a fault", () => {
  const many = JSON.stringify(Array.from({ length: 50_000 }, (_, at) => `src/file-${at}.ts`));
  expect(said(many).pieces).toHaveLength(1);
  const deep = "[".repeat(50_000) + "]".repeat(50_000);
  expect(said(deep).pieces).toEqual([text(deep)]);
});

test("a change that the approval has shown is not shown again", () => {
  const preview = [{ path: "a.ts", diff: "@@ -1 +1 @@\n-a\n+b", by: "tool" }] as const;
  const { changes, pieces } = said(
    { file: "a.ts", message: "Updated file", unifiedDiff: preview[0].diff },
    { preview },
  );
  expect(changes).toEqual(preview);
  expect(pieces).toEqual([text("Updated file", "a.ts")]);
});

test.each<[output: unknown, exit: unknown]>([
  [{ stdout: "", exitCode: 1 }, 1],
  [{ stdout: "", exit_code: 127 }, 127],
  [{ stdout: "", signal: "SIGKILL" }, "SIGKILL"],
  [{ stdout: "", exitCode: 0 }, undefined],
])("a command that failed has failed, whatever its call's state is: %j", (output, exit) => {
  expect(said(output)).toMatchObject({ exit, hasFailed: exit !== undefined });
});

test.each<[fields: Partial<ChatToolPart>, beside: string]>([
  [{ title: "Run npm test", input: { command: "npm test", process_type: "SYNC", timeout_seconds: 30 } }, ""],
  [{ input: { command: "npm test", cwd: "src" } }, "$ npm test\ncwd: src"],
  [{ title: "Run one ...", input: { command: "one\ntwo" } }, "$ one\n> two"],
  [{ input: { command: "view", path: "a" } }, "command: view\npath: a"],
  [{ kind: "execute", input: { command: "ls", description: "Lists" } }, "$ ls"],
  [{ title: "Read a.ts, b.ts", input: { paths: ["a.ts", "b.ts"] } }, ""],
  [{ title: "Read ba.ts", input: { path: "a.ts" } }, "path: a.ts"],
  [{ title: "Write a.ts", input: { path: "a.ts", content: "1\n2" } }, "content:\n> 1\n> 2"],
  [
    {
      title: "Write a.ts",
      input: { path: "a.ts", content: "1\n2" },
      preview: [{ path: "a.ts", diff: "+1\n+2", by: "tool" }],
    },
    "",
  ],
])("the transcript shows of an input what its title and its changes do not say: %j", (fields, beside) => {
  expect(inputBeside(part(fields), fields.preview !== undefined)).toBe(beside);
});

test.each<[input: unknown, shown: string]>([
  [
    { command: "npm test", process_type: "SYNC", timeout_seconds: 30 },
    "$ npm test\n(process_type SYNC, timeout_seconds 30)",
  ],
  [{ command: "a\n\nb", cwd: "30" }, '$ a\n>\n> b\n(cwd "30")'],
  [{ command: "a", cwd: "b, mode c" }, "$ a\ncwd: b, mode c"],
  [{ command: "view", path: "a" }, "command: view\npath: a"],
  [{ command: 5 }, "command: 5"],
  ["ls", "> ls"],
])("an approval shows the whole input: %j", (input, shown) => {
  expect(inputText(input)).toBe(shown);
  expect(approvalText({ input }, terminalWords.shownBelow)).toBe(shown);
});

test.each<[content: string, diff: string, by: "tool" | "agent", isBelow: boolean]>([
  ["1\n2\n", "@@ -0,0 +1,2 @@\n+1\n+2\n", "tool", true],
  ["1\n2", "@@ -0,0 +1,2 @@\n+1\n+2\n\\ No newline at end of file\n", "tool", true],
  ["1\n2", "@@ -0,0 +1,2 @@\n+1\n+2\n", "tool", false],
  ["1\n2\n", "@@ -0,0 +1,2 @@\n+1\n+3\n", "tool", false],
  ["1\n2\n", "+1\n+2", "agent", false],
  ["1", "@@ -0,0 +1 @@\n+1\n\\ No newline at end of file\n", "tool", false],
])(
  "an approval leaves out a text only if the change below adds exactly it: %j, %j",
  (content, diff, by, isBelow) => {
    const shown = approvalText(
      { input: { path: "a", content }, preview: [{ path: "a", diff, by }] },
      terminalWords.shownBelow,
    );
    expect(shown.includes("content is the text that is added below")).toBe(isBelow);
    expect(shown.includes("content:")).toBe(!isBelow);
  },
);

test.each<[grant: string, input: unknown, words: string]>([
  ["`npm test` in the project", { command: "npm test" }, "this command in the project"],
  ["`npm tes…` in the project", { command: "npm test" }, "`npm tes…` in the project"],
  ['exactly the input {"a":1,"b":2}', { b: 2, a: 1 }, "exactly this input"],
  ['exactly the input {"a":1}', { a: 2 }, 'exactly the input {"a":1}'],
  [`exactly the input {"a":"${"x".repeat(94)}…`, { a: "x".repeat(200) }, "exactly this input"],
  ["edits of a.ts", { path: "a.ts" }, "edits of a.ts"],
])("a lasting decision does not repeat the input: %s", (grant, input, words) => {
  expect(grantText(grant, input, terminalWords)).toBe(words);
});
