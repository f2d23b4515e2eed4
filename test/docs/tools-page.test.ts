import {
  type LoadAgentsOptions,
  type McpOptions,
  type NodeProjectOptions,
  type NodeTerminalOptions,
  type NodeToolsOptions,
  nodeTools,
} from "agentwire/codebuff-run/tools";
import { describe, expect, test } from "vitest";
import { HANDLED } from "../../src/codebuff-run/calls/builtins.ts";
import { MAX_KEPT } from "../../src/codebuff-run/tools/changes/run-changes.ts";
import { MAX_EDITED } from "../../src/codebuff-run/tools/files/edit.ts";
import { MAX_ENTRIES } from "../../src/codebuff-run/tools/files/list-directory.ts";
import { MAX_READ, MAX_TOTAL } from "../../src/codebuff-run/tools/files/read-files.ts";
import { MAX_SEARCH_OUTPUT as MAX_FOUND, MAX_MATCHES } from "../../src/codebuff-run/tools/search/report.ts";
import { TIME_LIMIT } from "../../src/codebuff-run/tools/search/time-limit.ts";
import { MAX_OUTPUT } from "../../src/codebuff-run/tools/terminal/output.ts";
import { codeIn, names, Page } from "./page.ts";
import { Reference } from "./support/reference.ts";

const doc = new Page("docs/tools.md");
const reference = new Reference("codebuff-run/tools");

const MIB = 1_048_576;
const [, DEFAULT_SECONDS] =
  /"timeout_seconds":\{"type":"number","default":(\d+)\}/.exec(
    JSON.stringify(HANDLED.run_terminal_command.parameters),
  ) ?? [];
const thousands = (value: number): string => value.toLocaleString("en-US");

describe("the reference of nodeTools tells", () => {
  test.each<[type: string, members: readonly string[]]>([
    [
      "NodeToolsOptions",
      names<keyof NodeToolsOptions>({
        root: true,
        write: true,
        terminal: true,
        searchFlags: true,
        ripgrepPath: true,
        fileFilter: true,
        ignoreFiles: true,
        project: true,
        allowEnvFiles: true,
      }),
    ],
    [
      "NodeTerminalOptions",
      names<keyof NodeTerminalOptions>({
        env: true,
        inheritEnv: true,
        keepEnv: true,
        shell: true,
        maxTimeoutSeconds: true,
      }),
    ],
    [
      "NodeProjectOptions",
      names<keyof NodeProjectOptions>({ tree: true, knowledge: true, system: true, git: true }),
    ],
    [
      "McpOptions",
      names<keyof McpOptions>({
        startTimeout: true,
        listTimeout: true,
        callTimeout: true,
        cwd: true,
        environment: true,
        allowInsecure: true,
        fetch: true,
      }),
    ],
    ["LoadAgentsOptions", names<keyof LoadAgentsOptions>({ allowCode: true })],
  ])("of every option of %s, with its default", (type, members) => {
    const told = reference.members(type);
    expect([...told.keys()]).toEqual(members);
    const without = [...told].filter(([, entry]) => entry.default === undefined).map(([name]) => name);
    expect(without.filter((name) => name !== "root")).toEqual([]);
  });

  test("of every tool that an agent can get", () => {
    const { names: all } = nodeTools({ root: ".", terminal: true });
    const told = codeIn(reference.of("nodeTools").text);
    expect(all.filter((name) => !told.includes(name))).toEqual([]);
  });

  test("of everything that nodeTools returns", () => {
    const told = reference.members("NodeTools");
    expect([...told].filter(([, { text }]) => text === "").map(([name]) => name)).toEqual([]);
    expect(told.size).toBe(10);
  });

  test.each([
    ["read_files", `${MAX_READ / MIB} MiB a file, ${MAX_TOTAL / MIB} Mi characters a call`],
    ["read_files", `of a file of up to ${MAX_EDITED / MIB} MiB some lines`],
    ["list_directory", `${thousands(MAX_ENTRIES)} names`],
    [
      "code_search",
      `${MAX_MATCHES} matches, ${thousands(MAX_FOUND)} characters, files of up to 10 MiB, ${TIME_LIMIT / 1_000} s`,
    ],
    ["run_terminal_command", `${thousands(MAX_OUTPUT)} characters of each stream`],
    ["run_terminal_command", `${DEFAULT_SECONDS} s unless`],
  ])("of a limit of %s as it is in the code: %s", (_, words) => {
    expect(reference.of("nodeTools").text.toLowerCase()).toContain(words.toLowerCase());
  });

  test("how much of old files is kept", () => {
    expect(reference.members("NodeTools").get("changes")?.text).toContain(`${MAX_KEPT / MIB} MiB of old`);
  });
});

test("the page names the options that let an agent do more", () => {
  const named = codeIn(doc.text).flatMap((code) => code.match(/\w+/g) ?? []);
  expect(named).toEqual(expect.arrayContaining(["terminal", "fileFilter", "allowCode"]));
});

test("the page says what the tools may and may not do before it shows how to make them", () => {
  const safety = doc.section("What they may and may not do");
  const [before = ""] = safety.split("```ts");
  expect(before).toMatch(/\*\*No tool runs unless you register it\.\*\*/);
  expect(before).toMatch(/\*\*Containment is no sandbox once there is a terminal\.\*\*/);
  expect(before).toMatch(/swaps folders at the right moment can\s+win there/);
});

test("the page says who is asked, on each backend that acts, and what happens without a decision", () => {
  const approvals = doc.section("Approvals");
  for (const page of ["codebuff-run", "codebuff", "codey", "acp", "codebuff-cli"])
    expect(approvals).toContain(`(${page}.md`);
  expect(approvals).toMatch(/Without a decision\s+a call is denied/);
  expect(approvals).toMatch(/registering is your consent/);
});
