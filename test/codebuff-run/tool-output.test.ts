import { describe, expect, test } from "vitest";
import { runOwn } from "./own-tool.ts";

// What a handler may return, and what the agent is told of anything else.

describe("a handler with an invalid result", () => {
  const round: { self?: unknown } = {};
  round.self = round;
  test.each<[string, unknown, RegExp]>([
    ["nothing", undefined, /^the handler returned undefined\. Return an array of parts: \{ type: "json", /],
    ["an object", { type: "json", value: 1 }, /^the handler returned an object\./],
    ["a part that is a text", ["done"], /^part 0 of what the handler returned is a string\./],
    ["a text part", [{ type: "text", text: "x" }], /part 0 of .* has the type "text"\./],
    [
      "a second part without a type",
      [{ type: "json", value: 1 }, { value: 2 }],
      /part 1 of .* has the type undefined\./,
    ],
    ["no value", [{ type: "json", value: undefined }], /part 0 of .* has a `value` that is undefined\./],
    ["a function", [{ type: "json", value: () => 1 }], /has a `value` that is a function\./],
    [
      "a big integer",
      [{ type: "json", value: 1n }],
      /has a `value` that JSON cannot write: TypeError: .*BigInt/,
    ],
    ["a circle", [{ type: "json", value: round }], /has a `value` that JSON cannot write: TypeError/],
    ["half a picture", [{ type: "media", data: "aGk=" }], /has no `data` \(base64\) or no `mediaType`\./],
  ])("gives the agent an error that names the wrong part: %s", async (_, output, words) => {
    const { told, warnings } = await runOwn({ execute: () => output as never });
    expect(JSON.parse(told ?? "")).toEqual({ errorMessage: expect.stringMatching(words) });
    expect(warnings).toMatchObject([{ kind: "handler-failed" }]);
  });
});
