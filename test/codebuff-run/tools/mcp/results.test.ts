import { afterAll, describe, expect, test } from "vitest";
import { outputOf } from "../../../../src/codebuff-run/tools/mcp/results.ts";
import { testHttp } from "./http-server.ts";
import { callTool, failureOf, mcpWorld, program, textOf } from "./mcp-world.ts";

// What a server answers, as the result of a tool.

const media = (data: string, mediaType: string) => ({ type: "media", data, mediaType });
const json = (value: unknown) => ({ type: "json", value });

describe("an answer of a real server", () => {
  const at = mcpWorld(program());
  afterAll(() => at.close());

  test.each<[string, readonly object[]]>([
    ["texts", [json("one"), json("two")]],
    ["picture", [media("iVBORw0=", "image/png")]],
    ["sound", [media("AAAA", "audio/wav")]],
    [
      "resource",
      [media(Buffer.from("größe").toString("base64"), "text/plain"), media("AAAA", "application/pdf")],
    ],
    ["link", [json("file:///far")]],
    ["structured", [json({ sum: 5 })]],
    ["empty", [json("")]],
    ["fails", [json({ errorMessage: "no such city\ntry another" })]],
    ["refuses", [json({ errorMessage: "city must be a text" })]],
  ])("%s", async (name, output) => {
    expect(await at.call(name)).toEqual(output);
  });

  test("the input reaches the server as the model has written it", async () => {
    const input = { name: "a", unlisted: [1, { b: null }] };
    expect(JSON.parse(textOf(await at.call("echo", input)))).toEqual(input);
  });
});

describe.each(["stdio", "http", "sse"] as const)(
  "an answer over %s that is nested deeper than 500 levels",
  (type) => {
    /** Levels of a message around the value. */
    const AROUND = 3;

    test.each(["nested", "nestedError"])("fails only its own call, with the reason: %s", async (name) => {
      await using http = await testHttp();
      const config = type === "stdio" ? program() : { type, url: type === "http" ? http.url : http.sse };
      await using at = mcpWorld(config);
      const tools = await at.tools();
      const other = callTool(tools, "echo", { a: 1 });
      const deep = await callTool(tools, name, { levels: 501 - AROUND });
      expect(failureOf(deep)).toBe("the answer cannot be used: it is nested deeper than 500 levels");
      expect(textOf(await other)).toBe('{"a":1}');
      expect(await callTool(tools, "nestedText", { levels: 501 })).toEqual([
        json(expect.stringMatching(/^\[{501}\]{501}$/)),
      ]);
      const [whole] = await callTool(tools, "nested", { levels: 500 - AROUND });
      expect(JSON.stringify(whole)).toContain("[".repeat(500 - AROUND));
    });
  },
);

describe("an unknown content part", () => {
  test.each<[unknown, string]>([
    [{ type: "hologram", uri: "holo:1" }, "holo:1"],
    [{ type: "hologram", size: 3 }, '{"type":"hologram","size":3}'],
    [{ type: "image", data: 5 }, '{"type":"image","data":5}'],
    [{ type: "resource", resource: {} }, '{"type":"resource","resource":{}}'],
    ["text", '"text"'],
  ])("%j becomes its `uri`, or JSON", (part, value) => {
    expect(outputOf({ content: [part] })).toEqual([json(value)]);
  });

  test("an answer without content becomes an empty text", () => {
    expect(outputOf(undefined)).toEqual([json("")]);
  });
});

test("a failure without a message says so", () => {
  expect(failureOf(outputOf({ isError: true, content: [] }))).toContain("without a message");
});

test("a resource's text and a failure are cut after 100,000 characters", () => {
  const text = "x".repeat(100_001);
  const [part] = outputOf({ content: [{ type: "resource", resource: { text } }] });
  const told = part?.type === "media" ? Buffer.from(part.data, "base64").toString() : "";
  expect(told).toBe(`${"x".repeat(100_000)}\n[cut: 100001 characters]`);
  expect(failureOf(outputOf({ isError: true, content: [{ type: "text", text }] }))).toBe(told);
});
