import { MockCodebuffServer } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { RawClient } from "./mock-codebuff-raw-client.ts";

const SEQUENCE =
  "json-or-python[json=list[union[MessageContentPartText,MessageContentPartImage,MessageContentPartAudio]],python=chain[is-instance[Sequence],function-wrap[sequence_validator()]]]";

/** One line of a report, as pydantic 2.13 writes it. */
const line = (path: string, text: string, type: string, value: string, inputType: string) =>
  `${path}\n  ${text} [type=${type}, input_value=${value}, input_type=${inputType}]\n    For further information visit https://errors.pydantic.dev/2.13/v/${type}`;
const string = (path: string, value: string, inputType: string) =>
  line(path, "Input should be a valid string", "string_type", value, inputType);
const NOT_INIT = line("data.InitAction.type", "Input should be 'init'", "literal_error", "'prompt'", "str");

const REFUSED: readonly { readonly content: unknown; readonly lines: readonly string[] }[] = [
  {
    content: ["x"],
    lines: [
      line(
        "data.PromptAction.content.0",
        "Input should be a valid dictionary or instance of ChatMessage",
        "model_type",
        "'x'",
        "str",
      ),
    ],
  },
  { content: [{ role: 5 }], lines: [string("data.PromptAction.content.0.role", "5", "int")] },
  {
    content: [{ role: "user", content: 5 }],
    lines: [
      string("data.PromptAction.content.0.content.str", "5", "int"),
      line(
        `data.PromptAction.content.0.content.${SEQUENCE}`,
        "Input should be an instance of Sequence",
        "is_instance_of",
        "5",
        "int",
      ),
    ],
  },
  {
    content: [{ role: "user", content: [{ type: "nope" }] }],
    lines: [
      string("data.PromptAction.content.0.content.str", "[{'type': 'nope'}]", "list"),
      ...["Text.text", "Image.image_url", "Audio.input_audio"].map((field) =>
        line(
          `data.PromptAction.content.0.content.${SEQUENCE}.0.MessageContentPart${field}`,
          "Field required",
          "missing",
          "{'type': 'nope'}",
          "dict",
        ),
      ),
    ],
  },
  {
    content: [{ role: "user", content: [{ type: "image_url", image_url: "u" }] }],
    lines: [
      string("data.PromptAction.content.0.content.str", "[{'type': 'image_url', 'image_url': 'u'}]", "list"),
      line(
        `data.PromptAction.content.0.content.${SEQUENCE}.0.MessageContentPartText.text`,
        "Field required",
        "missing",
        "{'type': 'image_url', 'image_url': 'u'}",
        "dict",
      ),
      line(
        `data.PromptAction.content.0.content.${SEQUENCE}.0.MessageContentPartText.image_url`,
        "Extra inputs are not permitted",
        "extra_forbidden",
        "'u'",
        "str",
      ),
      line(
        `data.PromptAction.content.0.content.${SEQUENCE}.0.MessageContentPartImage.image_url`,
        "Input should be a valid dictionary or instance of ImageURL",
        "model_type",
        "'u'",
        "str",
      ),
      line(
        `data.PromptAction.content.0.content.${SEQUENCE}.0.MessageContentPartAudio.input_audio`,
        "Field required",
        "missing",
        "{'type': 'image_url', 'image_url': 'u'}",
        "dict",
      ),
    ],
  },
  {
    content: [{ role: "user", name: 1, tool_calls: [{ id: 1 }], metadata: [] }],
    lines: [
      string("data.PromptAction.content.0.name", "1", "int"),
      string("data.PromptAction.content.0.tool_calls.0.id", "1", "int"),
      line(
        "data.PromptAction.content.0.tool_calls.0.function",
        "Field required",
        "missing",
        "{'id': 1}",
        "dict",
      ),
      line(
        "data.PromptAction.content.0.metadata",
        "Input should be a valid dictionary",
        "dict_type",
        "[]",
        "list",
      ),
    ],
  },
];

describe("items of content that the proxy does not take (proxy)", () => {
  test.each(REFUSED)("$content", async ({ content, lines }) => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    // With a fileContext the report has one line less to say about the other branch.
    client.prompt(1, "p-1", { content, fileContext: {} });
    const count = lines.length + 1;
    expect((await client.ackOf(1))["error"]).toBe(
      `Message validation failed: ${[`${count} validation errors for ActionMessage`, ...lines, NOT_INIT].join("\n")}`,
    );
    expect(server.violations.map(({ kind }) => kind)).toEqual(["schema-error"]);
    expect(server.prompts).toEqual([]);
  });

  test.each([
    { content: [{ role: "user", content: [{ type: "image_url", image_url: { url: "u", detail: "low" } }] }] },
    {
      content: [
        { role: "user", content: [{ type: "input_audio", input_audio: { data: "d", format: "wav" } }] },
      ],
    },
    { content: [{ text: "said" }] },
    { content: [{ type: "assistant", text: "said" }] },
    { content: [{ message: { role: "tool", content: null, tool_call_id: "c" } }] },
    { content: [{ role: "assistant", tool_calls: [{ id: "c", function: { name: "f", arguments: "{}" } }] }] },
  ])("it takes $content", async ({ content }) => {
    await using server = await MockCodebuffServer.start({ answer: () => [] });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1", { content, prompt: undefined });
    expect((await client.untilTerminal("p-1")).at(-1)).toContain("prompt-response");
    expect(server.violations).toEqual([]);
  });

  test("a message without content is one: the prompt is not empty, and the script sees it", async () => {
    await using server = await MockCodebuffServer.start({ answer: () => [] });
    using client = await RawClient.identified(server.url);
    const sessionState = { messages: [{ role: "assistant" }] };
    client.prompt(1, "p-1", { content: [{ role: "user" }, {}], prompt: undefined, sessionState });
    expect((await client.untilTerminal("p-1")).at(-1)).toContain("prompt-response");
    expect(server.prompts[0]?.messages).toEqual([
      { role: "user", content: null },
      { role: "user", content: null },
      { role: "assistant", content: null },
    ]);
    expect(server.violations).toEqual([]);
  });
});

describe("sessionState.messages that the proxy does not take: an ack, and the prompt-error (proxy)", () => {
  const notAMapping = (type: string) =>
    `src.core.domain.chat.ChatMessage() argument after ** must be a mapping, not ${type}`;

  test.each([
    { messages: 5, says: "'int' object is not iterable" },
    { messages: "hi", says: notAMapping("str") },
    { messages: { role: "user" }, says: notAMapping("str") },
    { messages: [{ role: "user", content: "ok" }, null], says: notAMapping("NoneType") },
    {
      messages: [{ content: "no role" }],
      says: `1 validation error for ChatMessage\n${line("role", "Field required", "missing", "{'content': 'no role'}", "dict")}`,
    },
    {
      messages: [{ role: "user", content: 5 }],
      says: `2 validation errors for ChatMessage\n${string("content.str", "5", "int")}\n${line(`content.${SEQUENCE}`, "Input should be an instance of Sequence", "is_instance_of", "5", "int")}`,
    },
  ])("$messages", async ({ messages, says }) => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1", { sessionState: { messages } });
    const [ack, error] = (await client.untilTerminal("p-1")).map((frame) => JSON.parse(frame));
    expect(ack).toEqual({ type: "ack", txid: 1, success: true });
    expect(error.data).toMatchObject({
      type: "prompt-error",
      userInputId: "p-1",
      message: `Failed to process prompt: ${says}`,
      error: `Failed to process prompt: ${says}`,
    });
    expect(server.violations).toMatchObject([{ kind: "schema-error", detail: says }]);
  });

  test.each([{ messages: [] }, { messages: null }, { messages: 0 }, { messages: "" }, {}])(
    "it takes %o",
    async (sessionState) => {
      await using server = await MockCodebuffServer.start({ answer: () => [] });
      using client = await RawClient.identified(server.url);
      client.prompt(1, "p-1", { sessionState });
      expect((await client.untilTerminal("p-1")).at(-1)).toContain("prompt-response");
      expect(server.violations).toEqual([]);
    },
  );
});

describe("integers beyond 2^53 are said back as they came (proxy)", () => {
  test.each(["9007199254740993", "-9007199254740993", `1${"0".repeat(40)}1`])("txid %s", async (txid) => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.connect(server.url);
    client.send(`{"type":"identify","txid":${txid},"clientSessionId":"a"}`);
    expect(await client.next()).toBe(`{"type": "ack", "txid": ${txid}, "success": true}`);
    client.send(`{"type":"ping","txid":"${txid}"}`);
    expect(await client.next()).toBe(`{"type": "ack", "txid": ${txid}, "success": true}`);
    client.send(`{"type":"nope","txid":${txid}}`);
    expect(await client.next()).toBe(
      `{"type": "ack", "txid": ${txid}, "success": false, "error": "Unknown message type: nope"}`,
    );
    expect(server.violations[0]).toMatchObject({ kind: "txid-invalid", detail: txid });
  });

  test("in the session state too", async () => {
    await using server = await MockCodebuffServer.start({ answer: () => [] });
    using client = await RawClient.identified(server.url);
    const state = '{"at":12345678901234567890}';
    client.send(
      `{"type":"action","txid":1,"data":{"type":"prompt","promptId":"p-1","prompt":"hi","fingerprintId":"f","sessionState":${state},"toolResults":[],"costMode":"normal"}}`,
    );
    expect((await client.untilTerminal("p-1")).at(-1)).toContain(`"sessionState":${state}`);
  });
});
