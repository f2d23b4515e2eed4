import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../../helpers/runs.ts";
import { line, pattern } from "./patterns.ts";
import { ENGINES, searchWorld, type Tree } from "./world.ts";

/** Each starts a process and a thread: a run costs half a second. */
const PLAN = runs(10);

const name = fc.constantFrom(
  "a",
  "b",
  "A",
  "ab",
  "a-b",
  "a.ts",
  "b.js",
  "c.d.ts",
  "Makefile",
  "é.md",
  "🦉.py",
  ".x",
  ".github",
);
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));

const end = fc.constantFrom("\n", "\n", "\n", "\r\n");
const text = fc
  .tuple(fc.array(fc.tuple(line, end), { maxLength: 12 }), fc.constantFrom("", "a", "ab\0", "\n\n"))
  .map(([lines, last]) => lines.flat().join("") + last);

const rule = fc.constantFrom(
  "*.ts",
  "a/",
  "/b",
  "!c.d.ts",
  "ab",
  "**/A",
  "a/b",
  "# a",
  "*-*",
  "!a.ts",
  "b/*",
);
const rules = fc.array(rule, { maxLength: 4 }).map((lines) => lines.join("\n"));

/** Names that are a file here and a folder there are dropped. */
const tree: fc.Arbitrary<Tree> = fc
  .tuple(fc.dictionary(path, text, { minKeys: 3, maxKeys: 10 }), rules, fc.option(rules))
  .map(([files, root, below]) => {
    const paths = Object.keys(files);
    const kept = paths.filter((each) => !paths.some((other) => other.startsWith(`${each}/`)));
    const ignoreFiles = { ".gitignore": root, ...(below === null ? {} : { "sub/.gitignore": below }) };
    const moved = kept.flatMap(
      (each) =>
        [
          [each, files[each] ?? ""],
          [`sub/${each}`, files[each] ?? ""],
        ] as const,
    );
    return { ...Object.fromEntries(moved), ...ignoreFiles };
  });

const flag = fc.constantFrom(
  ...["-i", "-S", "-s", "-w", "-x", "-F", "-U", "-U --multiline-dotall", "-A1", "-B 2", "-C1", "-m2"],
  ...[
    "-g *.ts",
    "-g !*.ts",
    "-g *.{ts,js}",
    "-g sub/**",
    "-g !sub",
    "-g a/",
    "-g /a",
    "-g *",
    "-g .x",
    "-g a?b",
  ],
  ...["-t ts", "-tjs", "-T ts", "-t md", "-Tpy"],
);
const flags = fc.array(flag, { maxLength: 3 }).map((each) => each.join(" "));
const input = fc.record({
  pattern,
  flags,
  maxResults: fc.integer({ min: 1, max: 20 }),
  cwd: fc.constantFrom("", "", "sub"),
});

test("ripgrep and the worker find the same in the same tree", async () => {
  const seen = { found: 0, nothing: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(tree, fc.array(input, { minLength: 4, maxLength: 4 }), async (files, inputs) => {
      await using world = await searchWorld(files);
      for (const each of inputs) {
        const [ripgrep, worker] = await Promise.all(
          ENGINES.map(({ options }) => world.search(each, options)),
        );
        // Each says in its own words why a pattern is none.
        if (ripgrep && "stderr" in ripgrep) {
          seen.refused++;
          expect({ ...each, ...worker }).toHaveProperty("stderr");
          continue;
        }
        expect({ ...each, ...worker }).toEqual({ ...each, ...ripgrep });
        seen[ripgrep && "stdout" in ripgrep && ripgrep.stdout === "No results" ? "nothing" : "found"]++;
      }
    }),
    PLAN,
  );
  expect(seen.found).toBeGreaterThan(PLAN.numRuns / 2); // else the property says little
}, 600_000);
