import {
  CodebuffRun,
  type CodebuffRunTool,
  type CodebuffRunToolHandler,
  type ToolParameters,
} from "agentwire/codebuff-run";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { errorSaying } from "../helpers/errors.ts";
import { runOwn } from "./own-tool.ts";
import { json } from "./world.ts";

// The parameters of tools, in each of their three forms, and every wrong one.

const KEY = { apiKey: "test-key" };

/** Schemas of which each refers to the next one twice. */
function doubled(levels: number): Readonly<Record<string, object>> {
  const names = Array.from({ length: levels }, (_, at) => `d${at}`);
  const schemas = names.map((name, at) => {
    const next = { $ref: `#/$defs/d${at + 1}` };
    return [name, { allOf: [next, next] }] as const;
  });
  return Object.fromEntries([...schemas, [`d${levels}`, {}]]);
}

function nested(levels: number): object {
  let schema: object = {};
  for (let at = 0; at < levels; at++)
    schema = { type: "object", $id: `https://a.example/${at}`, properties: { a: schema } };
  return schema;
}

describe("tool parameters", () => {
  const json1 = {
    type: "object",
    properties: { text: { type: "string" }, n: { type: "integer", default: 3 } },
    required: ["text"],
  };
  const zod = z.object({ text: z.string(), n: z.int().default(3) });
  test.each<[string, ToolParameters]>([
    ["JSON Schema", json1],
    ["a schema that carries JSON Schema", zod],
    [
      "a schema beside its JSON Schema",
      { schema: { "~standard": { ...zod["~standard"], jsonSchema: undefined } } as never, parameters: json1 },
    ],
  ])("as %s check the input, fill in defaults and drop unlisted fields", async (_, parameters) => {
    const seen: unknown[] = [];
    const execute: CodebuffRunToolHandler = ({ input }) => {
      seen.push(input);
      return json("ok");
    };
    const { chats, told } = await runOwn({ parameters, execute }, { text: "hi", more: 1 });
    expect(seen).toEqual([{ text: "hi", n: 3 }]);
    expect(told).toBe('"ok"');
    expect(chats[0]?.tools?.[0]?.function).toMatchObject({
      name: "own",
      description: "Mine.",
      parameters: { type: "object", properties: { text: { type: "string" } } },
    });
    const sent = chats[1]?.messages.flatMap(({ tool_calls = [] }) =>
      tool_calls.map((each) => each.function.arguments),
    );
    expect(sent).toEqual(['{"text":"hi","n":3}']);
    const bad = await runOwn({ parameters, execute }, { text: 7 });
    expect(bad.events[1]).toMatchObject({ type: "error", message: expect.stringContaining('"path":"text"') });
  });

  test.each<[string, unknown, RegExp]>([
    ["nothing", undefined, /has no `parameters`/],
    ["null", null, /are null/],
    ["a text", "text", /are a string/],
    ["JSON Schema of a text", { type: "string" }, /no JSON Schema of an object: `type` is "string"/],
    ["an empty object", {}, /no JSON Schema of an object: `type` is undefined/],
    ["an object of schemas", { city: z.string() }, /an object of schemas\. .*wrap it in `z\.object/],
    ["`properties` that are a text", { type: "object", properties: "x" }, /`properties` is "x"/],
    ["`required` that is a text", { type: "object", required: "a" }, /`required` is "a"/],
    [
      "a misspelt type inside",
      { type: "object", properties: { a: { type: "array", items: { type: "strng" } } } },
      /`type` is "strng"/,
    ],
    ["`items` that are a text", { type: "object", properties: { a: { items: "x" } } }, /`items` is "x"/],
    ["`enum` that is no list", { type: "object", properties: { a: { enum: "x" } } }, /`enum` is "x"/],
    [
      "a reference to nowhere",
      { type: "object", properties: { a: { $ref: "#/$defs/b" } } },
      /cannot be used/,
    ],
    [
      "references that double with each level",
      { type: "object", $ref: "#/$defs/d0", $defs: doubled(40) },
      /references expand to too many characters/,
    ],
    ["schemas with an `$id` in each other", nested(40), /more than 20000 schemas/],
    [
      "`$recursiveRef`",
      { type: "object", properties: { a: { $recursiveRef: "#" } } },
      /`\$recursiveRef` is not supported/,
    ],
    [
      "a pattern that is none",
      { type: "object", properties: { a: { type: "string", pattern: "(" } } },
      /cannot be used/,
    ],
    [
      "a schema without JSON Schema",
      { "~standard": { version: 1, vendor: "x", validate: () => ({ value: {} }) } },
      /carries no JSON Schema/,
    ],
    ["a schema that has none", z.object({ at: z.date() }), /cannot be written as JSON Schema/],
    ["a schema of a text", z.string(), /no JSON Schema of an object: `type` is "string"/],
    ["a schema beside nothing", { schema: z.object({}) }, /are undefined/],
  ])("are refused with `invalid-input`: %s", (_, parameters, words) => {
    const own = { description: "", parameters, execute: () => json(1) } as CodebuffRunTool;
    expect(() => new CodebuffRun({ ...KEY, tools: { own } })).toThrow(errorSaying("invalid-input", words));
  });

  test.each([
    [
      "two underscores",
      { a__b: { description: "", parameters: { type: "object" }, execute: () => [] } },
      /no name of a tool/,
    ],
    [
      "a space",
      { "a b": { description: "", parameters: { type: "object" }, execute: () => [] } },
      /no name of a tool/,
    ],
    [
      "65 letters",
      { ["a".repeat(65)]: { description: "", parameters: { type: "object" }, execute: () => [] } },
      /no name of a tool/,
    ],
    [
      "a name of this library",
      { end_turn: { description: "", parameters: { type: "object" }, execute: () => [] } },
      /is a tool of this library/,
    ],
    ["a function", { own: () => [] }, /is a function/],
    ["no handler", { own: { description: "", parameters: { type: "object" } } }, /has no `execute`/],
    [
      "a misspelt field",
      { own: { description: "", parameters: { type: "object" }, execute: () => [], exec: 1 } },
      /exec/,
    ],
  ])("a tool with an invalid name or definition is refused: %s", (_, tools, words) => {
    expect(() => new CodebuffRun({ ...KEY, tools: tools as never })).toThrow(
      errorSaying("invalid-input", words),
    );
  });

  test.each([
    ["an unknown tool", { nothing: () => [] }, /no tool of Codebuff's agents/],
    ["a tool that works inside of the run", { set_output: () => [] }, /no tool of Codebuff's agents/],
    ["no function", { glob: 1 }, /is 1\. Pass a function/],
  ])("an invalid entry of `overrideTools` is refused: %s", (_, overrideTools, words) => {
    expect(() => new CodebuffRun({ ...KEY, overrideTools: overrideTools as never })).toThrow(
      errorSaying("invalid-input", words),
    );
  });

  test("a value that JSON cannot hold reaches the handler; the history keeps the model's input", async () => {
    const parameters = {
      schema: z.object({ text: z.string().transform((text) => BigInt(text)) }),
      parameters: { type: "object" },
    };
    let seen: unknown;
    const { result, told } = await runOwn(
      {
        parameters,
        execute: ({ input }) => {
          seen = input;
          return json("ok");
        },
      },
      { text: "12" },
    );
    expect(seen).toEqual({ text: 12n });
    expect(told).toBe('"ok"');
    expect(JSON.parse(JSON.stringify(result.state))).toEqual(result.state);
    expect(JSON.stringify(result.state)).toContain('"input":{"text":"12"}');
  });

  test("a schema that throws makes a bad call, and a warning", async () => {
    const schema = {
      "~standard": {
        version: 1 as const,
        vendor: "x",
        validate: () => {
          throw new Error("broken");
        },
      },
    };
    const { events, warnings } = await runOwn({ parameters: { schema, parameters: { type: "object" } } });
    expect(events[1]).toMatchObject({
      type: "error",
      message: expect.stringContaining("schema of the tool failed"),
    });
    expect(warnings).toMatchObject([{ kind: "handler-failed" }]);
  });
});

test("unknown keywords of a JSON Schema are not checked", () => {
  const parameters = {
    type: "object",
    "x-view": { type: "slider" },
    properties: { type: { type: "string" } },
  };
  const own = { description: "", parameters, execute: () => json(1) };
  expect(() => new CodebuffRun({ ...KEY, tools: { own } })).not.toThrow();
});

test("a frozen schema that two tools share stays unchanged", () => {
  const text = Object.freeze({ type: "string" });
  const parameters = Object.freeze({ type: "object", properties: Object.freeze({ text }) });
  const tool = { description: "", parameters, execute: () => json(1) };
  new CodebuffRun({ ...KEY, tools: { one: tool, two: tool } });
  expect(Object.getOwnPropertyNames(text)).toEqual(["type"]);
});

test("a Standard Schema refuses a call by its issues, or by a result that is no object", async () => {
  const of = (result: object): ToolParameters => ({
    schema: { "~standard": { version: 1, vendor: "own", validate: () => result as never } },
    parameters: { type: "object" },
  });
  const told = async (result: object) => {
    const { events } = await runOwn({ parameters: of(result) });
    return events.find(({ type }) => type === "error");
  };
  expect(await told({ issues: [{ message: "no", path: [{ key: "a" }, 0] }] })).toMatchObject({
    message: 'Invalid parameters for own: [{"message":"no","path":"a.0"}]',
  });
  expect(await told({ value: 7 })).toMatchObject({ message: expect.stringContaining("is not an object") });
});

test("a list without an `items` schema passes unchanged", async () => {
  const parameters = { type: "object", properties: { list: { type: "array" }, any: true } };
  const seen: unknown[] = [];
  const execute: CodebuffRunToolHandler = ({ input }) => {
    seen.push(input);
    return json("ok");
  };
  await runOwn({ parameters, execute }, { list: [{ a: 1 }], any: { b: 2 } });
  expect(seen).toEqual([{ list: [{ a: 1 }], any: { b: 2 } }]);
});

test("a call is refused if schema references double with each level of its input", async () => {
  const node = { properties: { a: { allOf: [{ $ref: "#/$defs/node" }, { $ref: "#/$defs/node" }] } } };
  const parameters = { type: "object", $defs: { node }, $ref: "#/$defs/node" };
  let input: object = {};
  for (let at = 0; at < 40; at++) input = { a: input };
  const { events } = await runOwn({ parameters, execute: () => json("ok") }, { ...input });
  expect(events[1]).toMatchObject({
    type: "error",
    message: expect.stringContaining("references expand to too many characters"),
  });
});

describe("a large invalid input", () => {
  const zod = z.object({ list: z.array(z.string()) });
  const list = { type: "object", properties: { list: { type: "array", items: { type: "string" } } } };
  const refusal = async (parameters: ToolParameters, input: object) => {
    const { events } = await runOwn({ parameters, execute: () => json("ok") }, { ...input });
    const event = events.find(({ type }) => type === "error");
    return event?.type === "error" ? event.message : "";
  };

  test.each<[string, ToolParameters]>([
    ["JSON Schema", list],
    ["a Standard Schema", zod],
  ])("%s: the error lists 20 issues, and the number of further ones", async (_, parameters) => {
    const message = await refusal(parameters, { list: Array(2_000).fill(1) });
    expect(message.split('"message"')).toHaveLength(22);
    expect(message).toMatch(/"and 19\d\d more"/);
  });

  test("is refused with one issue if it exceeds the validator's own limit", async () => {
    expect(await refusal(list, { list: Array(200_000).fill(1) })).toContain("it cannot be checked");
  });

  test("gets long paths cut in its error", async () => {
    const open = { type: "object", properties: {}, additionalProperties: { type: "string" } };
    expect((await refusal(open, { ["a".repeat(100_000)]: 1 })).length).toBeLessThan(10_000);
  });
});
