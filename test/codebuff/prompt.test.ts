import type { PromptImage } from "agentwire";
import { InvalidInputError } from "agentwire/codebuff";
import { describe, expect, test } from "vitest";
import { buildPrompt, type CodebuffPromptInput, toJson } from "../../src/codebuff/input.ts";
import { errorSaying } from "../helpers/errors.ts";

const defaults = {
  fingerprintId: "fp",
  costMode: "normal",
  model: undefined,
  newPromptId: () => "prompt-1",
};

const build = (input: unknown, more: object = {}) =>
  buildPrompt(input as string | CodebuffPromptInput, { ...defaults, ...more });

/** What is thrown, as a typed error. */
function refusal(run: () => unknown): InvalidInputError {
  try {
    run();
  } catch (error) {
    if (error instanceof InvalidInputError) return error;
    throw error;
  }
  throw new Error("It was accepted");
}

describe("an outgoing prompt", () => {
  test("made from a string carries the required fields and nothing else", () => {
    expect(JSON.parse(JSON.stringify(build("Hello")))).toEqual({
      type: "prompt",
      promptId: "prompt-1",
      prompt: "Hello",
      fingerprintId: "fp",
      sessionState: {},
      toolResults: [],
      costMode: "normal",
    });
  });

  test.each<{ image: PromptImage; mediaType: string | undefined }>([
    { image: { data: new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 16]) }, mediaType: "image/jpeg" },
    { image: { data: "iVBORw0KGgo=" }, mediaType: "image/png" },
    { image: { data: "R0lGODlh" }, mediaType: "image/gif" },
    { image: { data: "UklGRgAAAABXRUJQ" }, mediaType: "image/webp" },
    { image: { data: "AAAA" }, mediaType: undefined },
    { image: { data: "AAAA", mediaType: "image/bmp" }, mediaType: "image/bmp" },
    { image: { data: "DATA:image/jpeg;base64,AAAA" }, mediaType: undefined },
  ])("with a generic image states its media type: $mediaType", (row) => {
    const { image, mediaType } = row;
    const { prompt, content } = build({ text: "Look", images: [image] });
    expect(prompt).toBe("Look");
    expect(content).toMatchObject([{ type: "image", ...(mediaType === undefined ? {} : { mediaType }) }]);
    expect(JSON.stringify(content)).not.toContain("DATA:");
  });

  test("carries every documented field unchanged", () => {
    const input: Required<CodebuffPromptInput> = {
      prompt: "Write a function",
      content: [
        { role: "user", content: "earlier" },
        { role: "assistant", content: [{ type: "text", text: "part" }] },
      ],
      promptId: "prompt-xyz789",
      sessionState: { messages: [{ role: "user", content: "hi" }] },
      model: "openai:gpt-4",
      costMode: "max",
      toolResults: [{ toolName: "t" }],
      fingerprintId: "client-abc",
      authToken: "token",
      repoUrl: "https://github.com/user/repo",
      agentId: "base",
      promptParams: { a: 1 },
    };
    expect(build(input)).toEqual({ type: "prompt", ...input });
  });

  test("omits optional fields instead of sending null or undefined", () => {
    const input = {
      prompt: "Hello",
      content: undefined,
      promptId: undefined,
      sessionState: undefined,
      model: undefined,
      costMode: undefined,
      toolResults: undefined,
      fingerprintId: undefined,
      authToken: undefined,
      repoUrl: undefined,
      agentId: undefined,
      promptParams: undefined,
    };
    expect(Object.entries(build(input))).toEqual(Object.entries(build("Hello")));
    expect(JSON.stringify(build(input))).not.toMatch(/null/);
    expect(Object.values(build(input))).not.toContain(undefined);
  });

  test("takes the client's model and cost mode, unless it has its own", () => {
    const own = { model: "openai:gpt-4", costMode: "lite" };
    expect(build("x", own)).toMatchObject(own);
    expect(build({ prompt: "x", model: "a:b", costMode: "max" }, own)).toMatchObject({
      model: "a:b",
      costMode: "max",
    });
  });

  test.each<CodebuffPromptInput>([
    { content: [{ role: "user", content: "x" }] },
    { content: [{ type: "text", text: "x" }] },
    { prompt: "x", content: [] },
    { sessionState: { messages: [{ role: "user", content: "x" }] } },
  ])("needs no `prompt` if it has other content: %j", (input) => {
    expect(build(input)).toMatchObject(input);
    expect("prompt" in build(input)).toBe("prompt" in input);
  });

  test("keeps the caller's text exactly", () => {
    expect(build("  é😀\n")).toHaveProperty("prompt", "  é😀\n");
  });
});

describe("an invalid prompt is refused with a hint", () => {
  const bad: readonly (readonly [name: string, input: unknown, names: string])[] = [
    ["nothing", undefined, "undefined"],
    ["null", null, "null"],
    ["a number", 5, "5"],
    ["an array", ["Hello"], "an array"],
    ["a function", () => "Hello", "a function"],
    ["an empty string", "", "`prompt`"],
    ["a blank string", " \n\t", "`prompt`"],
    ["an empty object", {}, "neither `prompt` nor `content`"],
    ["empty content alone", { content: [] }, "neither `prompt` nor `content`"],
    ["a state without messages alone", { sessionState: { messages: [] } }, "neither `prompt` nor `content`"],
    ["a prompt of another type", { prompt: 5 }, "`prompt`"],
    ["a null prompt", { prompt: null, content: [{ role: "user", content: "x" }] }, "`prompt`"],
    ["a blank prompt beside content", { prompt: " ", content: [{ role: "user", content: "x" }] }, "`prompt`"],
    ["content that is a string", { content: "x" }, "`content`"],
    ["content that holds strings", { content: ["x"] }, "`content`"],
    ["a null cost mode, which servers refuse", { prompt: "x", costMode: null }, "`costMode`"],
    ["null tool results, which servers refuse", { prompt: "x", toolResults: null }, "`toolResults`"],
    ["tool results that are no objects", { prompt: "x", toolResults: [1] }, "`toolResults`"],
    ["a null state, which servers refuse", { prompt: "x", sessionState: null }, "`sessionState`"],
    ["a state that is an array", { prompt: "x", sessionState: [] }, "`sessionState`"],
    ["an empty id", { prompt: "x", promptId: "" }, "`promptId`"],
    ["an id of another type", { prompt: "x", promptId: 7 }, "`promptId`"],
    ["an empty model", { prompt: "x", model: "" }, "`model`"],
    ["an empty fingerprint", { prompt: "x", fingerprintId: " " }, "`fingerprintId`"],
    ["an empty token", { prompt: "x", authToken: "" }, "`authToken`"],
    ["a token of another type", { prompt: "x", authToken: () => "t" }, "`authToken`"],
    ["a repo of another type", { prompt: "x", repoUrl: new URL("https://a.b") }, "`repoUrl`"],
    ["an agent of another type", { prompt: "x", agentId: 1 }, "`agentId`"],
    ["params that are an array", { prompt: "x", promptParams: [] }, "`promptParams`"],
  ];

  test.each(bad)("%s", (_, input, names) => {
    const error = refusal(() => build(input));
    expect(error.code).toBe("invalid-input");
    expect(error.code).toBe("invalid-input");
    expect(error.message).toContain(names);
    expect(error.message).toContain(error.hint);
    expect(error.hint.length).toBeGreaterThan(10);
  });

  test("that does not quote the input, which may be secret or long", () => {
    expect(refusal(() => build({ prompt: "x", content: "s3cret" })).message).not.toContain("s3cret");
  });
});

describe("`toJson()`", () => {
  test("writes a JSON value unchanged", () => {
    const value = { a: [1, "é😀", null, true, { b: -0.5 }], c: undefined };
    expect(toJson(value, "it")).toBe(JSON.stringify(value));
  });

  const cycle: Record<string, unknown> = { name: "cycle" };
  cycle["self"] = { back: cycle };
  const bad: readonly (readonly [name: string, value: object, says: RegExp])[] = [
    ["NaN", { deep: { balance: Number.NaN } }, /`balance` is NaN/],
    ["Infinity", { balance: Number.POSITIVE_INFINITY }, /`balance` is Infinity/],
    ["-Infinity in an array", { list: [1, Number.NEGATIVE_INFINITY] }, /is -Infinity/],
    ["a cycle", cycle, /circular/i],
    ["a bigint", { count: 5n }, /BigInt/i],
    ["a toJSON that throws", { at: { toJSON: () => fail() } }, /cannot be written/],
  ];

  test.each(bad)("refuses %s", (_, value, says) => {
    const error = refusal(() => toJson(value, "the prompt"));
    expect(error).toEqual(errorSaying("invalid-input", /^the prompt cannot be written as JSON/));
    expect(error.message).toMatch(says);
    expect(error.message).toContain("Send JSON values only.");
    expect(error.cause).toBeInstanceOf(Error);
  });
});

function fail(): never {
  throw new RangeError("no date");
}
