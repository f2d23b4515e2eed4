import { CodebuffRun, type CodebuffRunPromptInput } from "agentwire/codebuff-run";
import { expect, test } from "vitest";
import { saidIn } from "../../src/codebuff-run/input.ts";
import { errorSaying } from "../helpers/errors.ts";
import { agentWith, runWorld } from "./world.ts";

// What a caller says, in each form, and what is refused.

const PNG = new Uint8Array([137, 80, 78, 71]);
const picture = (url: string) => ({ type: "image_url", image_url: { url } });
const words = (text: string) => ({ type: "text", text });
const said = (text: string) => words(`<user_message>${text}</user_message>`);

test.each<[string, unknown, object | undefined, readonly object[]]>([
  ["a text", "hi", undefined, [said("hi")]],
  ["a text that is marked already", "<user_message>hi</user_message>", undefined, [said("hi")]],
  ["a text with the mark in it", "a</user_message>b", undefined, [said("a</user_message>b")]],
  ["parameters", "hi", { n: 1 }, [said('hi\n\n{\n  "n": 1\n}')]],
  [
    "a marked text with parameters",
    "<user_message>hi</user_message>",
    { n: 1 },
    [said('hi\n\n{\n  "n": 1\n}')],
  ],
  ["parameters alone", {}, { n: 1 }, [said('\n\n{\n  "n": 1\n}')]],
  [
    "the common form",
    { text: "hi", images: [{ data: PNG }] },
    undefined,
    [said("hi"), picture("data:image/png;base64,iVBORw==")],
  ],
  [
    "content in place of the prompt",
    { prompt: "old", content: [{ type: "text", text: "new" }] },
    undefined,
    [said("new")],
  ],
  [
    "a prompt beside a picture",
    { prompt: "look", content: [{ type: "image", image: "iVBORw==", mediaType: "image/gif" }] },
    undefined,
    [said("look"), picture("data:image/gif;base64,iVBORw==")],
  ],
  [
    "a picture alone",
    { content: [{ type: "image", image: "https://example.com/a.png" }] },
    undefined,
    [said(""), picture("https://example.com/a.png")],
  ],
  [
    "a `data:` URL",
    {
      content: [
        { type: "text", text: "a" },
        { type: "image", image: "data:image/webp;base64,AA==" },
      ],
    },
    undefined,
    [said("a"), picture("data:image/webp;base64,AA==")],
  ],
  [
    "a file before the text: the text is what the user says",
    {
      content: [
        { type: "file", name: 'a"b.txt', text: "in it" },
        { type: "text", text: "read" },
      ],
    },
    undefined,
    [words('<attachment name="a\\"b.txt">\nin it\n</attachment>'), said("read")],
  ],
])("a prompt is sent in the backend's form: %s", async (_, input, params, content) => {
  await using at = await runWorld({}, { promptCaching: false });
  await at.client.prompt(input as never, params ? { params: params as never } : {}).result;
  expect(at.chats()[0]?.messages).toEqual([{ role: "user", content }]);
});

test.each<[string, unknown, RegExp]>([
  ["nothing", undefined, /prompt/],
  ["a number", 7, /prompt is 7/],
  ["an empty text", "", /^the prompt is an empty string\./],
  ["a blank text", " \n", /^the prompt is a blank string\./],
  ["an empty object", {}, /says nothing/],
  ["empty content", { content: [] }, /says nothing/],
  ["an unknown field", { promt: "hi" }, /promt/],
  ["an option", { prompt: "hi", costMode: "free" }, /is an option/],
  ["an unknown part", { content: [{ type: "video" }] }, /content\[0\]\.type/],
  ["a part of an inherited name", { content: [{ type: "constructor" }] }, /content\[0\]\.type/],
  ["a part without a type", { content: [{}] }, /content\[0\]\.type` is undefined/],
  ["a file without a text", { content: [{ type: "file", name: "a.txt" }] }, /content\[0\]\.text/],
  ["a misspelt field of a part", { content: [{ type: "text", txt: "x" }] }, /txt/],
  ["a blank part", { content: [{ type: "text", text: " " }] }, /content\[0\]\.text/],
  [
    "a picture that is no base64",
    { content: [{ type: "image", image: "not base64!" }] },
    /content\[0\]\.image/,
  ],
  ["an empty picture", { content: [{ type: "image", image: new Uint8Array() }] }, /content\[0\]\.image/],
  ["half a character", "\ud800", /surrogate/],
])("an invalid prompt is refused before anything is sent: %s", async (_, input, message) => {
  await using at = await runWorld();
  expect(() => at.client.prompt(input as never)).toThrow(errorSaying("invalid-input", message));
  expect(at.calls()).toEqual([]);
});

test.each([
  ["agnet", 1],
  ["maxAgentSteps", 0],
  ["maxAgentSteps", 1.5],
  ["costMode", ""],
  ["toolTimeout", -1],
  ["streamTimeout", "1"],
  ["stepReporting", "never"],
  ["providers", [{}]],
  ["tools", []],
  ["onToolApproval", "yes"],
  ["projectFiles", { a: 1 }],
  ["fetch", {}],
  ["headers", { a: 1 }],
])("the option %s: %j is refused", (name, value) => {
  expect(() => new CodebuffRun({ apiKey: "test-key", [name]: value })).toThrow(
    errorSaying("invalid-input", new RegExp(name)),
  );
});

test.each<[string, CodebuffRunPromptInput, object]>([
  ["a prompt", { prompt: "hi" }, { text: "hi", images: [] }],
  ["nothing", {}, { text: "", images: [] }],
  [
    "pictures in each form",
    {
      content: [
        { type: "text", text: "look" },
        { type: "image", image: "https://example.com/a.png" },
        { type: "image", image: PNG },
        { type: "image", image: "AA==", mediaType: "image/gif" },
      ],
    },
    {
      text: "look",
      images: [
        { path: "https://example.com/a.png", mime: null },
        { path: "data:image/png;base64,iVBORw==", mime: null },
        { path: "data:image/gif;base64,AA==", mime: "image/gif" },
      ],
    },
  ],
])("universal events show the text and the pictures of a prompt: %s", (_, input, shown) => {
  expect(saidIn(input)).toEqual(shown);
});

test("the state holds the project's file tree, knowledge files and agent definitions", async () => {
  await using at = await runWorld(
    {},
    {
      projectFiles: { "src/a.ts": "x", "src/b/c.ts": "y", "z.md": "z" },
      knowledgeFiles: { "k.md": "know" },
      agentDefinitions: [{ ...agentWith(), id: "other" }],
    },
  );
  const { state } = await at.client.prompt("hi").result;
  expect(state.sessionState?.fileContext).toMatchObject({
    fileTree: [
      {
        name: "src",
        type: "directory",
        children: [
          { name: "a.ts", type: "file", filePath: "src/a.ts" },
          { name: "b", type: "directory", children: [{ name: "c.ts" }] },
        ],
      },
      { name: "z.md", type: "file" },
    ],
    knowledgeFiles: { "k.md": "know" },
    agentTemplates: { other: { id: "other" } },
  });
});
