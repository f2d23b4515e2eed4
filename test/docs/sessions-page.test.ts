import type { RelayAction } from "agentwire/server";
import { expect, test } from "vitest";
import { LIMITS } from "../../src/server/limits.ts";
import { codeIn, names, Page } from "./page.ts";

const page = new Page("docs/sessions.md");

const ACTIONS: Readonly<Record<RelayAction, true>> = {
  read: true,
  prompt: true,
  cancel: true,
  decide: true,
  answer: true,
  grant: true,
  resume: true,
  remove: true,
};

const UNITS: Readonly<Record<string, number>> = { s: 1_000, min: 60_000, h: 3_600_000 };

/** `10 min that ...` in ms, `1,000 chats` as a number, `none` as 0. */
function inUnits(cell: string): number {
  if (cell === "none") return 0;
  const [, number = "", unit = ""] = /^([\d,]+) ?(\w*)/.exec(cell) ?? [];
  return Number(number.replaceAll(",", "")) * (UNITS[unit] ?? 1);
}

test("docs/sessions.md has at most 1,950 words", () => {
  expect(page.text.split(/\s+/).length).toBeLessThanOrEqual(1_950);
});

test("the table of limits has the defaults", () => {
  const [, ...rows] = page.rows("Limits");
  expect(rows.length).toBeGreaterThan(7);
  const told = rows.map(([option = "", value = ""]) => [codeIn(option)[0], inUnits(value)]);
  expect(Object.fromEntries(told)).toEqual(
    Object.fromEntries(told.map(([name]) => [name, Reflect.get(LIMITS, String(name))])),
  );
});

test("the times that users wait are those of the defaults", () => {
  const text = page.section("What happens when");
  const { leaseTtl, sweepEvery, unattendedTimeout } = LIMITS;
  expect(text).toContain(`for up to ${(1.5 * leaseTtl + sweepEvery) / 1_000} s,`);
  expect(text).toContain(`less than ${Math.floor((leaseTtl * 2) / 3_000)} s`);
  expect(text).toContain(`for ${unattendedTimeout / 60_000} min`);
});

test("the page names each action that `authorize` is asked about", () => {
  const [, line = ""] = /\n(`action` is .*)/.exec(page.text) ?? [];
  expect(codeIn(line)).toEqual(["action", ...names(ACTIONS)]);
});
