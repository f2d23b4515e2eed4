// The examples of the help texts run as they stand.
import { describe, expect, test } from "vitest";
import { COMMAND_TABLE } from "../../src/program/commands.ts";
import { agentwire, shell, talkingTo } from "./support/program.ts";

/** The words of a line, as a shell reads them. */
const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].slice(1).map(([, quoted, plain = ""]) => quoted ?? plain);

/** Without the variables before them. */
const LINES = COMMAND_TABLE.flatMap(({ examples }) =>
  examples.map(({ line }) => line.replace(/^\w+=\S+ /, "")),
);

/** The examples that need nothing but the program: each command has one. */
const RUN_HERE = LINES.filter((line) => / mock( |$)|^agentwire doctor$/.test(line));

test("each command has an example that needs nothing but the program", () => {
  for (const { name } of COMMAND_TABLE)
    expect(RUN_HERE.some((line) => line.includes(`agentwire ${name}`))).toBe(true);
});

describe("one turn", () => {
  test.each(LINES.filter((line) => line.startsWith("agentwire chat mock -p ") && !line.includes("|")))(
    "%s",
    async (line) => {
      const { code, stdout } = await agentwire(wordsOf(line));
      expect(code).toBe(line.includes("--deny") ? 3 : 0);
      expect(stdout).toContain("You said");
    },
  );
});

test.each(LINES.filter((line) => line.includes("serve mock")))("%s", async (line) => {
  await using child = talkingTo([...wordsOf(line), "--port", "0"]);
  await child.until("Ctrl-C ends.");
  child.terminate();
  expect(await child.exitCode()).toBe(0);
});

test("agentwire doctor", async () => {
  expect(await shell("agentwire doctor")).toMatchObject({ code: 0, stderr: "" });
});

test("a transcript through a pipe", async () => {
  const line = RUN_HERE.find((each) => each.includes("| agentwire check")) ?? "";
  const { code, stdout } = await shell(line);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^stdin: \d+ events, 1 session, 0 problems\n$/);
});

test.each(LINES.filter((line) => line.startsWith("agentwire mock") && !line.includes("--script")))(
  "%s",
  async (line) => {
    await using child = talkingTo(wordsOf(line.replace("8123", "0")));
    await child.until('"ready":true');
    child.terminate();
    expect(await child.exitCode()).toBe(0);
  },
);

test.each(RUN_HERE.filter((line) => line.endsWith("-- agentwire mock acp")))("%s", async (line) => {
  expect(await shell(line)).toMatchObject({ code: 0, stdout: "You said: hi\n" });
});

test.each(LINES.flatMap((line) => line.split(" | ")))(
  "%s is a call that the program understands",
  async (line) => {
    const { code, stderr } = await agentwire([
      ...wordsOf(line).flatMap((word) => (word === "--" ? ["--help", "--"] : [word])),
      ...(line.includes(" -- ") ? [] : ["--help"]),
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  },
);
