import { describe, expect, test } from "vitest";
import { findFirstProgram, MARKER, toModule } from "../../scripts/support/first-program.ts";

const readme = (...lines: readonly string[]) => lines.join("\n");

describe("the README's first program", () => {
  test.each([
    ["ts", "ts"],
    ["typescript", "ts"],
    ["js", "js"],
    ["javascript title=first.js", "js"],
  ])("is found in a code fence of %s", (info, language) => {
    const text = readme(
      "# agentwire",
      "```sh",
      "npm i",
      "```",
      MARKER,
      "",
      `\`\`\`${info}`,
      "run();",
      "stop();",
      "```",
    );
    expect(findFirstProgram(text)).toEqual({ language, code: "run();\nstop();\n", line: 8 });
  });

  test.each([
    ["there is no marker", readme("```ts", "run();", "```"), "has no line"],
    [
      "the next fence is of another language",
      readme(MARKER, "```sh", "npm i", "```", "```ts", "run();", "```"),
      "```sh",
    ],
    ["no fence follows", readme("```ts", "run();", "```", MARKER), "needs a"],
    ["the fence never closes", readme(MARKER, "```ts", "run();"), "never closes"],
    ["the fence is empty", readme(MARKER, "```ts", "", "```"), "empty"],
  ])("is refused if %s", (_, text, says) => {
    expect(findFirstProgram(text)).toEqual(expect.stringContaining(says));
  });

  test("keeps its imports and loses its types when it becomes a module", async () => {
    const code = 'import { a } from "agentwire";\nconst b: string = await a();\nconsole.log(b);\n';
    expect(await toModule({ language: "ts", code, line: 1 })).toBe(
      'import { a } from "agentwire";\nconst b = await a();\nconsole.log(b);\n',
    );
  });
});
