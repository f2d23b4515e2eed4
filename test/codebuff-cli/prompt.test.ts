import { expect } from "vitest";
import { buildPrompt, type PromptRules } from "../../src/codebuff-cli/input.ts";
import { thrown } from "../contract/support.ts";
import { describe, test } from "./rows.ts";

const RULES: PromptRules = {
  promptVia: "arg",
  endOfOptions: true,
  commandPrefixes: ["/ralph"],
  allowCommands: false,
  platform: "linux",
};

const build = (input: string, rules: Partial<PromptRules> = {}) => buildPrompt(input, { ...RULES, ...rules });
const refusal = (input: unknown, rules: Partial<PromptRules> = {}) =>
  thrown(() => buildPrompt(input as string, { ...RULES, ...rules }));

describe("a prompt", () => {
  test.each(["hi", " leading", "-x", "--max", "--", "a\nb", "$(id) `id` %PATH%", "👋", "/model", "publish"])(
    "%j is passed on unchanged",
    (text) => {
      expect(build(text)).toMatchObject({ text, via: "arg" });
      expect(buildPrompt({ prompt: text }, RULES)).toMatchObject({ text, via: "arg" });
    },
  );

  test("is counted in bytes", () => {
    expect(build("é👋").bytes).toBe(6);
  });

  test.each([
    ["", "blank"],
    ["  \n\t", "blank"],
    ["a\0b", "NUL"],
    ["\ud83d", "surrogate"],
    ["x\udc4b", "surrogate"],
    ["/ralph do it", "`/ralph`"],
    ["  /ralph", "`/ralph`"],
    ["/ralphs", "`/ralph`"],
  ])("2.2 rule 4: %j is refused", (text, words) => {
    expect(refusal(text)).toMatchObject({ code: "invalid-input", message: expect.any(String) });
    if (words !== "blank") expect(String(refusal(text))).toContain(words);
  });

  test.each([undefined, null, 7, [], {}, { prompt: 7 }, { prompt: "" }, { text: "hi", prompt: "hi" }])(
    "%j is refused as no prompt",
    (input) => {
      expect(refusal(input)).toMatchObject({ code: "invalid-input", hint: expect.any(String) });
    },
  );

  test("2.2 rule 4 & 7 slash commands: may be a command with `allowCommands`, or outside `commandPrefixes`", () => {
    expect(build("/ralph on", { allowCommands: true }).text).toBe("/ralph on");
    expect(build("/ralph on", { commandPrefixes: [] }).text).toBe("/ralph on");
    expect(refusal("!ls", { commandPrefixes: ["/", "!"] })).toMatchObject({ code: "invalid-input" });
  });

  test("2.2 rule 1: that begins with a dash is refused without `endOfOptions`, except over stdin", () => {
    expect(refusal("-x", { endOfOptions: false })).toMatchObject({ code: "invalid-input" });
    expect(build(" -x", { endOfOptions: false }).text).toBe(" -x");
    expect(build("-x", { endOfOptions: false, promptVia: "stdin" })).toMatchObject({
      text: "-x",
      via: "stdin",
    });
  });
});

describe("how a prompt is passed", () => {
  test.each([
    ["100,000 bytes as an argument", "a".repeat(100_000), "linux", "arg"],
    ["100,001 bytes over stdin", "a".repeat(100_001), "linux", "stdin"],
    ["100,002 bytes in 50,001 characters over stdin", "é".repeat(50_001), "linux", "stdin"],
    ["24,000 characters on Windows as an argument", "a".repeat(24_000), "win32", "arg"],
    ["24,001 characters on Windows over stdin", "a".repeat(24_001), "win32", "stdin"],
  ] as const)("%s", (_, text, platform, via) => {
    expect(build(text, { platform }).via).toBe(via);
  });

  test("over stdin if the caller asks for it", () => {
    expect(build("hi", { promptVia: "stdin" }).via).toBe("stdin");
  });

  test("4 prompt_too_long: not at all above 16 MiB", () => {
    const limit = 16 * 1_048_576;
    expect(build("a".repeat(limit)).via).toBe("stdin");
    expect(refusal("a".repeat(limit + 1))).toMatchObject({
      code: "payload-too-large",
      bytes: limit + 1,
      limit,
    });
  });
});

test("an option inside the prompt object is refused, with a hint where it belongs", () => {
  const misplaced = { prompt: "hi", mode: "plan" };
  expect(thrown(() => buildPrompt(misplaced, RULES))).toMatchObject({
    code: "invalid-input",
    hint: expect.stringContaining('client.prompt("...", { mode: ... })'),
  });
});
