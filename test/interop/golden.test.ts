import { beforeAll, describe, expect, test } from "vitest";
import { type Job, type Played, playWithOwn, playWithSdk, START_LIMIT } from "./both.ts";
import { reconciled } from "./differences.ts";
import { GOLDEN, GOLDEN_OF_LATER_SDK } from "./golden.ts";
import { ALWAYS } from "./job.ts";
import { outlineOf } from "./outline.ts";
import type { Item } from "./said.ts";

// This library plays the run twice: with overrides that return the same results, and with its own tools.

let sdk: Played;

beforeAll(async () => {
  [sdk] = (await playWithSdk([GOLDEN])) as readonly [Played];
}, START_LIMIT);

const LISTED = [
  ...ALWAYS,
  "glob-max-results",
  "inputs-of-later-sdks",
  "newline-before-edits",
  "replacements-of-a-call",
] as const;

const local = (job: Job): Job => ({ ...job, scenario: { ...job.scenario, isLocal: true } });

const results = (items: readonly Item[]) => items.filter(({ type }) => type === "tool_result");

describe("the golden run of the original client", () => {
  test("makes the expected calls and events, and ends with the last message", () => {
    expect(outlineOf(sdk.account)).toEqual({
      calls:
        "me; START tester; count; chat; step 1: 5 credits; count; chat; step 2: 5 credits; count; chat; step 3: 5 credits; " +
        "count; chat; step 4: 5 credits; count; FINISH completed: 5 steps, 20 of 20 credits",
      items:
        'start at 0; "I will "; "edit."; text "I will edit."; call write_file; call str_replace; call read_files; "\\n"; ' +
        "result write_file; result str_replace; result read_files; call list_directory; call glob; " +
        "call run_terminal_command; call code_search; call write_todos; result list_directory; result glob; " +
        "result run_terminal_command; result code_search; result write_todos; call apply_patch; result apply_patch; " +
        '"All "; "done."; text "All done."; finish: 20 credits',
      ends: 'lastMessage: assistant "All done."',
    });
  });

  test("leaves the expected files", () => {
    expect(sdk.files).toEqual({
      "a.txt": "HELLO\nthere\n",
      "new.txt": "line1\n",
      "src/b.ts": "export const x = 1\n",
    });
  });

  test("has the expected tool results", () => {
    const values = results(sdk.account.items).map(({ toolName, output }) => [toolName, output]);
    const json = (value: unknown) => [{ type: "json", value }];
    expect(values).toEqual([
      ["write_file", json({ file: "new.txt", message: "Created new file", unifiedDiff: "line1\n" })],
      [
        "str_replace",
        json({
          file: "a.txt",
          message: "Updated file",
          unifiedDiff: "@@ -1,2 +1,2 @@\n hello\n-world\n+there\n",
        }),
      ],
      [
        "read_files",
        json([
          { path: "a.txt", content: "hello\nthere\n", referencedBy: {} },
          { path: "nope.txt", content: "[FILE_DOES_NOT_EXIST]", referencedBy: {} },
        ]),
      ],
      ["list_directory", json({ files: ["a.txt", "new.txt"], directories: ["src"], path: "." })],
      [
        "glob",
        json({ files: ["src/b.ts"], count: 1, message: 'Found 1 file(s) matching pattern "**/*.ts"' }),
      ],
      ["run_terminal_command", json({ command: "echo hi; exit 3", stdout: "hi\n", exitCode: 3 })],
      ["code_search", json({ stdout: "./src/b.ts:\n1:export const x = 1", message: "Exit code: 0" })],
      ["write_todos", json({ message: "Todos written" })],
      [
        "apply_patch",
        json({ message: "Applied 1 patch operation.", applied: [{ file: "a.txt", action: "update" }] }),
      ],
    ]);
  });

  test("is the same with this library, given the same tool results", async () => {
    const overrides = Object.fromEntries(
      results(sdk.account.items)
        .filter(({ toolName }) => toolName !== "write_todos")
        .map(({ toolName, output }) => [toolName, [output]]),
    );
    const [own] = (await playWithOwn([
      { ...GOLDEN, scenario: { ...GOLDEN.scenario, overrides } },
    ])) as readonly [Played];
    const plain = reconciled(sdk.account, own.account, LISTED);
    expect(plain.own).toEqual(plain.sdk);
    expect(own.violations).toEqual([]);
  });

  test("is the same with this library's own tools, including the files", async () => {
    const [own] = (await playWithOwn([local(GOLDEN)])) as readonly [Played];
    const plain = reconciled(sdk.account, own.account, [
      ...LISTED,
      "files-that-refer",
      "progress-of-commands",
    ]);
    expect(plain.own).toEqual(plain.sdk);
    expect(own.files).toEqual(sdk.files);
  });

  test("leaves the same files if the model calls the tools as later SDKs describe them", async () => {
    const [own] = (await playWithOwn([local(GOLDEN_OF_LATER_SDK)])) as readonly [Played];
    expect(own.files).toEqual(sdk.files);
  });
});
