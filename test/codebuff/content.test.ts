import {
  type ChatMessage,
  type ContentPart,
  InvalidInputError,
  newSessionState,
  UnsupportedError,
} from "agentwire/codebuff";
import { describe, expect, test } from "vitest";
import { buildPrompt, type CodebuffPromptInput, promptFor } from "../../src/codebuff/input.ts";

const SESSION = { fileContext: {}, mainAgentState: { messageHistory: [] } };

function data(input: string | CodebuffPromptInput) {
  const defaults = {
    fingerprintId: "fp",
    costMode: "normal",
    model: undefined,
    newPromptId: () => "p",
  };
  return buildPrompt(input, defaults);
}

const forProxy = (input: CodebuffPromptInput) => promptFor("proxy", data(input));
const forOriginal = (input: CodebuffPromptInput) =>
  promptFor("codebuff", data({ sessionState: SESSION, ...input }));

const BYTES = new Uint8Array([137, 80, 78, 71, 0, 255]);
const BASE64 = Buffer.from(BYTES).toString("base64");

/** One part, as the proxy reads it in a chat message, and as the original server reads it. */
const parts: readonly {
  readonly name: string;
  readonly part: ContentPart;
  readonly proxy: object;
  readonly original: object;
}[] = [
  {
    name: "text",
    part: { type: "text", text: "What is this?" },
    proxy: { type: "text", text: "What is this?" },
    original: { type: "text", text: "What is this?" },
  },
  {
    name: "an image in base64, with its type",
    part: { type: "image", image: "R0lG", mediaType: "image/gif" },
    proxy: { type: "image_url", image_url: { url: "data:image/gif;base64,R0lG" } },
    original: { type: "image", image: "R0lG", mediaType: "image/gif" },
  },
  {
    name: "an image in base64, without a type",
    part: { type: "image", image: "iVBOR" },
    proxy: { type: "image_url", image_url: { url: "data:image/png;base64,iVBOR" } },
    original: { type: "image", image: "iVBOR" },
  },
  {
    name: "an image as bytes",
    part: { type: "image", image: BYTES, mediaType: "image/png" },
    proxy: { type: "image_url", image_url: { url: `data:image/png;base64,${BASE64}` } },
    original: { type: "image", image: BASE64, mediaType: "image/png" },
  },
  {
    name: "an image that is a data URL",
    part: { type: "image", image: "data:image/gif;base64,R0lG" },
    proxy: { type: "image_url", image_url: { url: "data:image/gif;base64,R0lG" } },
    original: { type: "image", image: "R0lG", mediaType: "image/gif" },
  },
  {
    name: "an image on the web",
    part: { type: "image", image: "https://a.b/c.png" },
    proxy: { type: "image_url", image_url: { url: "https://a.b/c.png" } },
    original: { type: "image", image: "https://a.b/c.png" },
  },
  {
    name: "a text file",
    part: { type: "file", name: "notes.md", text: "# Notes" },
    proxy: { type: "text", text: 'File "notes.md":\n# Notes' },
    original: { type: "text", text: 'File "notes.md":\n# Notes' },
  },
];

describe("a content part", () => {
  test.each(parts)("becomes one user message for the proxy: $name", ({ part, proxy }) => {
    const sent = forProxy({ content: [part] });
    expect(sent.content).toEqual([{ role: "user", content: [proxy] }]);
  });

  test.each(parts)("becomes a part for the original server: $name", ({ part, original }) => {
    expect(forOriginal({ content: [part] }).content).toEqual([original]);
  });

  test("shares one message with `prompt` on the proxy, and is a separate field on the original server", () => {
    const input = { content: [{ type: "image", image: "iVBOR" }], prompt: "What is this?" } as const;
    const toProxy = forProxy(input);
    expect(toProxy.content).toEqual([
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: "data:image/png;base64,iVBOR" } },
          { type: "text", text: "What is this?" },
        ],
      },
    ]);
    expect(toProxy).not.toHaveProperty("prompt");
    expect(forOriginal(input)).toMatchObject({
      prompt: "What is this?",
      content: [{ type: "image", image: "iVBOR" }],
    });
  });

  test("is copied, so later changes to its bytes have no effect", () => {
    const image = new Uint8Array([1, 2, 3]);
    const built = data({ content: [{ type: "image", image }] });
    image.fill(0);
    expect(built.content).toEqual([{ type: "image", image: "AQID" }]);
  });

  test("of bytes of any length is sent as base64", () => {
    for (const length of [0, 1, 2, 3, 4, 100]) {
      const image = new Uint8Array(length).map((_, at) => at * 7);
      const sent = forOriginal({ content: [{ type: "image", image }] });
      expect(sent.content).toEqual([{ type: "image", image: Buffer.from(image).toString("base64") }]);
    }
  });

  test.each([
    ["text without text", { type: "text" }],
    ["an empty image", { type: "image", image: "" }],
    ["an image that is a number", { type: "image", image: 5 }],
    ["an image whose type is no string", { type: "image", image: "iVBOR", mediaType: 5 }],
    ["a file without a name", { type: "file", text: "x" }],
    ["a file without text", { type: "file", name: "x" }],
    ["a part of an unknown type", { type: "Image", image: "iVBOR" }],
    ["a message without content", { role: "user" }],
  ])("is refused with its index: %s", (_, part) => {
    const content = JSON.parse(JSON.stringify([{ type: "text", text: "x" }, part]));
    expect(() => data({ content })).toThrow(InvalidInputError);
    expect(() => data({ content })).toThrow("item 1 of `content`");
  });
});

describe("whole messages", () => {
  const user = (content: ChatMessage["content"]): ChatMessage => ({ role: "user", content });

  test("go to the proxy unchanged", () => {
    const input = { content: [{ role: "system", content: "brief" } as const, user("hi")], prompt: "and?" };
    expect(forProxy(input)).toMatchObject(input);
  });

  test("of the user become parts for the original server, with their images", () => {
    const content = [
      user("first"),
      user([
        { type: "text", text: "and" },
        { type: "image_url", image_url: { url: "data:image/gif;base64,R0lG" } },
        { type: "image_url", image_url: { url: "https://a.b/c.png" } },
      ]),
    ];
    expect(forOriginal({ content }).content).toEqual([
      { type: "text", text: "first" },
      { type: "text", text: "and" },
      { type: "image", image: "R0lG", mediaType: "image/gif" },
      { type: "image", image: "https://a.b/c.png" },
    ]);
  });

  test.each<readonly [name: string, message: ChatMessage]>([
    ["of the assistant", { role: "assistant", content: "I said" }],
    ["of the system", { role: "system", content: "be brief" }],
    ["with audio", user([{ type: "input_audio", input_audio: { data: "x", format: "wav" } }])],
    ["with an image without a URL", user(JSON.parse('[{ "type": "image_url" }]'))],
    ["with a null part", user(JSON.parse("[null]"))],
    ["without a role", JSON.parse('{ "text": "as only the proxy reads it" }')],
  ])("%s are unsupported on the original server", (_, message) => {
    expect(() => forOriginal({ content: [message] })).toThrow(UnsupportedError);
  });
});

describe("the session state", () => {
  test("from `newSessionState()` has a default for each undefined field", () => {
    const project = JSON.parse('{ "cwd": "/srv/app/src" }');
    const { fileContext } = newSessionState({ ...project, projectRoot: undefined, gitChanges: undefined });
    expect(fileContext).toMatchObject({ projectRoot: "/", cwd: "/srv/app/src", gitChanges: { diff: "" } });
  });

  test("that is empty becomes a complete state on the original server", () => {
    expect(promptFor("codebuff", data("hi")).sessionState).toMatchObject({
      fileContext: { projectRoot: "/", fileTree: [], systemInfo: { cpus: 1 } },
      mainAgentState: { agentId: "main-agent", messageHistory: [], stepsRemaining: 25 },
    });
    expect(promptFor("proxy", data("hi")).sessionState).toEqual({});
  });

  test("of the caller is sent unchanged to both servers", () => {
    for (const server of ["proxy", "codebuff"] as const) {
      expect(promptFor(server, data({ prompt: "hi", sessionState: SESSION })).sessionState).toBe(SESSION);
    }
  });
});
