import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { Account } from "./account.ts";
import { DIFFERENCES, reconciled } from "./differences.ts";
import { ALWAYS } from "./job.ts";
import { AGENT_JOBS } from "./jobs-agents.ts";
import { PROMPT_JOBS } from "./jobs-prompts.ts";
import { RUN_JOBS } from "./jobs-runs.ts";
import { TOOL_JOBS } from "./jobs-tools.ts";
import { EDIT_JOBS } from "./local-jobs-edits.ts";
import { READ_JOBS } from "./local-jobs-reads.ts";
import { ALWAYS_LOCAL } from "./local-results.ts";
import { SURFACE } from "./surface.ts";

const NAMES = Object.keys(DIFFERENCES).sort();

/** In the golden run alone. */
const GOLDEN = [
  "files-that-refer",
  "glob-max-results",
  "inputs-of-later-sdks",
  "newline-before-edits",
  "progress-of-commands",
  "replacements-of-a-call",
];

/** Between the tools that work in a folder. */
const LOCAL_NAMES = [
  ...new Set([
    "attacks",
    ...ALWAYS_LOCAL,
    ...[...EDIT_JOBS, ...READ_JOBS].flatMap(({ differs = {}, leaves = {} }) =>
      [...Object.values(differs), ...Object.values(leaves)].map(({ why }) => why),
    ),
  ]),
];

/** The account of a short run. */
const ACCOUNT: Account = {
  requests: [{ call: "POST /api/v1/token-count", body: { messages: [], system: "s" } }],
  items: [{ type: "start" }, { type: "finish", agentId: "tester" }],
  ends: [{ output: { type: "error", message: "boom" } }],
  waits: [],
};

test("the README explains every difference, and lists no others", async () => {
  const page = await readFile(new URL("./README.md", import.meta.url), "utf8");
  const rows = page.split("\n").flatMap((line) => /^\| `([a-z-]+)` \|/.exec(line)?.[1] ?? []);
  expect(rows.sort()).toEqual([...NAMES, ...LOCAL_NAMES].sort());
});

test("the README lists each name of the SDK, and its counterpart here", async () => {
  const page = await readFile(new URL("./README.md", import.meta.url), "utf8");
  const rows = page.split("\n").flatMap((line) => {
    const [, kind, name, here] = /^\| ([a-z ]+) `(\w+)` \| (.*?) \|/.exec(line) ?? [];
    return kind === undefined ? [] : [{ kind, name, here }];
  });
  expect(rows).toEqual(
    Object.entries(SURFACE).flatMap(([kind, names]) =>
      Object.entries(names).map(([name, here]) => ({ kind, name, here: here ?? "none" })),
    ),
  );
});

test("every listed difference occurs in a job", () => {
  const jobs = [...RUN_JOBS, ...TOOL_JOBS, ...AGENT_JOBS, ...PROMPT_JOBS];
  const seen = new Set([...GOLDEN, ...jobs.flatMap(({ differences }) => differences)]);
  expect([...seen].sort()).toEqual(NAMES);
});

test.each([
  { of: "a request", other: { ...ACCOUNT, requests: [] } },
  { of: "a field of a request", other: { ...ACCOUNT, requests: [{ call: "POST /api/v1/token-count" }] } },
  { of: "the order of events", other: { ...ACCOUNT, items: ACCOUNT.items.toReversed() } },
  { of: "an output", other: { ...ACCOUNT, ends: [] } },
  { of: "a wait", other: { ...ACCOUNT, waits: [1_000] } },
])("an unlisted difference of $of is reported", ({ other }) => {
  const left = reconciled(ACCOUNT, other, []);
  expect(left.own).not.toEqual(left.sdk);
});

test("a listed difference that does not occur is refused", () => {
  expect(() => reconciled(ACCOUNT, ACCOUNT, [...ALWAYS])).toThrow("`stop-reason`: take it off the list");
});
