import {
  type LoadAgentsOptions,
  type McpAddress,
  type McpOptions,
  type McpProgram,
  type NodeProjectOptions,
  type NodeTerminalOptions,
  type NodeTools,
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

const doc = new Page("docs/tools.md");

/** The names in the first column of the table that begins so. */
function rowsOf(heading: string): string[] {
  const [, table = ""] = doc.text.split(`\n${heading}`);
  const [rows = ""] = table.split("\n\n");
  return rows.split("\n").flatMap((row) => (row.startsWith("| `") ? codeIn(row.split(" | ")[0] ?? "") : []));
}

describe("docs/tools.md has a row for", () => {
  test("every option of nodeTools", () => {
    const options = names<keyof NodeToolsOptions>({
      root: true,
      write: true,
      terminal: true,
      searchFlags: true,
      ripgrepPath: true,
      fileFilter: true,
      ignoreFiles: true,
      project: true,
      allowEnvFiles: true,
    });
    expect(rowsOf("| option | default |")).toEqual(options);
  });

  test("every option of the terminal", () => {
    const options = names<keyof NodeTerminalOptions>({
      inheritEnv: true,
      env: true,
      keepEnv: true,
      shell: true,
      maxTimeoutSeconds: true,
    });
    expect(rowsOf("| option of `terminal` |")).toEqual(options);
  });

  test("every option of the project", () => {
    const options = names<keyof NodeProjectOptions>({ tree: true, knowledge: true, system: true, git: true });
    expect(rowsOf("| option of `project` |")).toEqual(options);
  });

  test("every option of mcpServers", () => {
    const options = names<keyof McpOptions>({
      startTimeout: true,
      listTimeout: true,
      callTimeout: true,
      cwd: true,
      environment: true,
      allowInsecure: true,
      fetch: true,
    });
    expect(rowsOf("| option of `mcpServers(servers, options)` |")).toEqual(options);
  });

  test("every tool that an agent can get from nodeTools", () => {
    const { names: all } = nodeTools({ root: ".", terminal: true });
    expect(rowsOf("| tool | what it does |").sort()).toEqual([...all].sort());
  });
});

test.each([
  [
    "Options",
    names<keyof NodeTools>({
      root: true,
      handlers: true,
      names: true,
      project: true,
      readFiles: true,
      listFiles: true,
      promptFiles: true,
      preview: true,
      changes: true,
      close: true,
    }),
  ],
  [
    "MCP servers",
    names<keyof McpProgram | keyof McpAddress>({
      type: true,
      command: true,
      args: true,
      env: true,
      cwd: true,
      url: true,
      params: true,
      headers: true,
    }),
  ],
  ["Agents in a folder", names<keyof LoadAgentsOptions>({ allowCode: true })],
  ["Agents in a folder", ["skipped", "refused", "invalid", "ignored", "file", "kind", "message"]],
])("the section %s names %j", (title, all) => {
  const named = new Set(codeIn(doc.section(title)).flatMap((code) => code.match(/\w+/g) ?? []));
  expect(all.filter((name) => !named.has(name))).toEqual([]);
});

const MIB = 1_048_576;
const [, DEFAULT_SECONDS] =
  /"timeout_seconds":\{"type":"number","default":(\d+)\}/.exec(
    JSON.stringify(HANDLED.run_terminal_command.parameters),
  ) ?? [];
const thousands = (value: number): string => value.toLocaleString("en-US");

test.each<[section: string, words: string]>([
  ["The tools", `${MAX_READ / MIB} MiB a file, ${MAX_TOTAL / MIB} Mi characters a call`],
  ["The tools", `of up to ${MAX_EDITED / MIB} MiB some lines can be read`],
  ["The tools", `${thousands(MAX_ENTRIES)} names`],
  [
    "The tools",
    `${MAX_MATCHES} matches, ${thousands(MAX_FOUND)} characters, files of up to 10 MiB, ${TIME_LIMIT / 1_000} s`,
  ],
  ["The tools", `${thousands(MAX_OUTPUT)} characters of each stream`],
  ["The tools", `${DEFAULT_SECONDS} s unless`],
  ["Taking it back", `${MAX_KEPT / MIB} MiB of old`],
])("the section %s states a limit as it is in the code: %s", (section, words) => {
  expect(doc.section(section)).toContain(words);
});

test("the page begins with what the tools may and may not do", () => {
  const [first] = [...doc.text.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
  expect(first).toBe("What they may and may not do");
  const safety = doc.section("What they may and may not do");
  expect(safety).toMatch(/\*\*No tool runs unless you register it\*\*/);
  expect(safety).toMatch(/\*\*Containment is no sandbox once there is a terminal\.\*\*/);
  expect(safety).toMatch(/swaps folders at the right moment can win there/);
});
