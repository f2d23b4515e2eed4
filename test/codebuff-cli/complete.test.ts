import { readdirSync, readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { omissions, requiredRows } from "./required-rows.ts";

/** The titles of this folder; nothing of it runs here. */
const titles = vi.hoisted((): string[] => []);
vi.mock("./rows.ts", async () => (await import("./title-collector.ts")).collectTitles(titles));

import "./after-exit.test.ts";
import "./argv.test.ts";
import "./chats.test.ts";
import "./command.test.ts";
import "./credentials.test.ts";
import "./differences.test.ts";
import "./edge-cases.test.ts";
import "./endings.test.ts";
import "./events.test.ts";
import "./failures-of-runs.test.ts";
import "./failures.test.ts";
import "./flags.test.ts";
import "./folder.test.ts";
import "./invocation.test.ts";
import "./keys.test.ts";
import "./lifetime.test.ts";
import "./lines.test.ts";
import "./no-home.test.ts";
import "./options.test.ts";
import "./outcome.test.ts";
import "./probe.test.ts";
import "./prompt.test.ts";
import "./questions.test.ts";
import "./sessions.test.ts";
import "./stderr.test.ts";
import "./stopping.test.ts";
import "./stream.test.ts";
import "./switches.test.ts";

/** The rows that a title begins with. */
function rowsOf(title: string): readonly string[] {
  const [, before] = /^(.*?): /.exec(title) ?? [];
  return before !== undefined && LOOKS_LIKE_A_ROW.test(before) ? before.split(" & ") : [];
}

const LOOKS_LIKE_A_ROW = /^(?:D\d|\d\.\d|[47] |5\.|switch |step )/;

const told = titles.flatMap((title) => rowsOf(title));

test("every required row has a test of its name, or a reason for having none", () => {
  const known = new Set([...told, ...omissions.map(({ row }) => row)]);
  expect(requiredRows.filter((row) => !known.has(row))).toEqual([]);
});

test("each row is required once, and titles name only required rows", () => {
  expect(requiredRows.filter((row, index) => requiredRows.indexOf(row) !== index)).toEqual([]);
  expect(told.filter((row) => !requiredRows.includes(row))).toEqual([]);
});

test("each omitted row is required, has no test, and gives a reason", () => {
  for (const { row, reason } of omissions) {
    expect(requiredRows).toContain(row);
    expect(told).not.toContain(row);
    expect(reason.trim()).not.toBe("");
  }
});

test("no title with a row is used twice", () => {
  const named = titles.filter((title) => rowsOf(title).length > 0);
  expect(named.filter((title, index) => named.indexOf(title) !== index)).toEqual([]);
});

test("this file imports every test file whose titles name rows", () => {
  const folder = new URL(".", import.meta.url);
  const source = (name: string): string => readFileSync(new URL(name, folder), "utf8");
  const withRows = readdirSync(folder).filter(
    (name) => name.endsWith(".test.ts") && source(name).includes('from "./rows.ts"'),
  );
  const read = [...source("complete.test.ts").matchAll(/^import "\.\/(.+)";$/gm)].map(([, name]) => name);
  expect(read.sort()).toEqual(withRows.filter((name) => name !== "complete.test.ts").sort());
});
