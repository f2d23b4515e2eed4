import type { RelayAction } from "agentwire/server";
import { expect, test } from "vitest";
import { LIMITS } from "../../src/server/limits.ts";
import { codeIn, names, Page, read } from "./page.ts";

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

const UNITS: Readonly<Record<string, number>> = {
  ...{ s: 1_000, min: 60_000, h: 3_600_000 },
  ...{ KiB: 1_024, MiB: 1_048_576, Mi: 1_048_576 },
};

test("docs/sessions.md has at most 1,100 words", () => {
  expect(page.text.split(/\s+/).length).toBeLessThanOrEqual(1_100);
});

test("the docstring of each limit has its default", () => {
  const options = read("src/server/limits.ts").matchAll(
    /@default ([\d,]+) ?(\w*)(?:(?!@default)[\s\S])*?readonly (\w+): number/g,
  );
  const told = Array.from(options, ([, number = "", unit = "", name = ""]) => [
    name,
    Number(number.replaceAll(",", "")) * (UNITS[unit] ?? 1),
  ]);
  expect(Object.fromEntries(told)).toEqual(LIMITS);
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
