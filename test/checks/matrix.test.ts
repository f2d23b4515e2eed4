import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { NONE, type Outcome, outcomeOf, untried } from "../../matrix/outcome.ts";
import { pageOf } from "../../matrix/page.ts";

const passed = (words: string): Outcome => ({ kind: "passed", words });

test("a report without failures has passed", () => {
  expect(outcomeOf('a word before\n{"of":2,"failures":[]}\n')).toEqual(passed("2/2"));
});

test("a report with failures has failed, and says how many and which came first", () => {
  const failures = [
    { name: "one", message: "Error: no" },
    { name: "two", message: "Error: neither" },
  ];
  const first = { kind: "failed", words: "1/3", first: "one: Error: no" };
  expect(outcomeOf(JSON.stringify({ of: 3, failures }))).toEqual(first);
});

test.each(["", "Segmentation fault", "{}", "null", '{"of":0,"failures":[]}'])(
  "what is no report has failed: %j",
  (text) => {
    expect(outcomeOf(text)).toMatchObject({ kind: "failed", words: "failed" });
  },
);

test("the page shows what failed first", () => {
  const failed: Outcome = { kind: "failed", words: "1/3", first: "one: Error: no\nat x" };
  const page = pageOf([["Bun", { version: "1.4.5", module: passed("3/3"), commonJs: failed }]]);
  expect(page).toContain("|Bun 1.4.5|3/3|1/3|");
  expect(page).toContain("- Bun 1.4.5: failed: one: Error: no\n");
});

test("the page says why something was not tried", () => {
  const row = { version: "", module: untried("no firefox on the PATH"), commonJs: NONE };
  const page = pageOf([["Firefox", row]]);
  expect(page).toContain("|Firefox|not tried here|-|");
  expect(page).toContain("- Firefox: not tried here: no firefox on the PATH\n");
});

test("docs/runtimes.md is as `npm run matrix` writes it, and has at most 350 words", async () => {
  const page = await readFile(new URL("../../docs/runtimes.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\|([A-Za-z][^|]*) ([\d.]+)\|([^|]+)\|([^|]+)\|$/gm)];
  const outcome = (words = ""): Outcome => (words === "-" ? { kind: "none" } : passed(words));
  const table = rows.map(
    ([, title = "", version = "", module, commonJs]) =>
      [title, { version, module: outcome(module), commonJs: outcome(commonJs) }] as const,
  );
  expect(pageOf(table)).toBe(page);
  expect(page.trim().split(/\s+/).length).toBeLessThanOrEqual(350);
});
