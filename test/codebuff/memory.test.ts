import {
  type ChatMessage,
  CodebuffClient,
  type CodebuffResult,
  type ContentPart,
  type ConversationState,
  InvalidInputError,
} from "agentwire/codebuff";
import { type Answer, type MockCodebuffOptions, MockCodebuffServer, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { buildPrompt, type CodebuffPromptInput, type PromptActionData } from "../../src/codebuff/input.ts";
import { CodebuffMemory } from "../../src/codebuff/prompts/memory.ts";
import { errorSaying } from "../helpers/errors.ts";

const data = (input: string | CodebuffPromptInput): PromptActionData =>
  buildPrompt(input, {
    fingerprintId: "fp",
    costMode: "normal",
    model: undefined,
    newPromptId: () => "p",
  });

const result = (text: string, sessionState: CodebuffResult["sessionState"] = {}): CodebuffResult => ({
  text,
  promptId: "p",
  sessionState,
  toolCalls: [],
  toolResults: [],
  output: null,
});

const user = (content: ChatMessage["content"]): ChatMessage => ({ role: "user", content });
const assistant = (content: string): ChatMessage => ({ role: "assistant", content });

describe("on the proxy, which keeps no state", () => {
  test("all earlier messages are sent as `content`, in place of prompt and state", () => {
    const memory = new CodebuffMemory(undefined);
    memory.remember(data("one"), result("first"), "proxy");
    memory.remember(data("two"), result("second", { echoed: true }), "proxy");
    const sent = memory.withHistory(data({ prompt: "three", sessionState: { own: 1 } }), "proxy");
    expect(sent.content).toEqual([
      user("one"),
      assistant("first"),
      user("two"),
      assistant("second"),
      user("three"),
    ]);
    expect(sent).not.toHaveProperty("prompt");
    expect(sent.sessionState).toEqual({});
  });

  test("the first prompt is sent as `content` too", () => {
    const sent = new CodebuffMemory(undefined).withHistory(data("one"), "proxy");
    expect(sent).toMatchObject({ content: [user("one")], sessionState: {}, toolResults: [] });
    expect(sent).not.toHaveProperty("prompt");
  });

  test("the other fields of a prompt are kept", () => {
    const fields = { model: "openai:gpt-4", costMode: "max", toolResults: [{ a: 1 }], agentId: "base" };
    expect(
      new CodebuffMemory(undefined).withHistory(data({ prompt: "x", ...fields }), "proxy"),
    ).toMatchObject(fields);
  });

  test("sending does not change the memory", () => {
    const memory = new CodebuffMemory(undefined);
    const before = JSON.stringify(memory.state);
    memory.withHistory(data("one"), "proxy");
    memory.withHistory(data("one"), "codebuff");
    expect(JSON.stringify(memory.state)).toBe(before);
  });

  test("whole messages of a prompt are sent unchanged, before its text", () => {
    const messages = [{ role: "system", content: "be brief" } as const, user("a"), assistant("b")];
    const sent = new CodebuffMemory(undefined).withHistory(data({ content: messages, prompt: "c" }), "proxy");
    expect(sent.content).toEqual([...messages, user("c")]);
  });

  const images: readonly (readonly [name: string, part: ContentPart, url: string])[] = [
    [
      "an image with a type",
      { type: "image", image: "iVBOR", mediaType: "image/jpeg" },
      "data:image/jpeg;base64,iVBOR",
    ],
    ["an image without a type", { type: "image", image: "iVBOR" }, "data:image/png;base64,iVBOR"],
    [
      "an image that is a data URL",
      { type: "image", image: "data:image/gif;base64,R0l" },
      "data:image/gif;base64,R0l",
    ],
    ["an image on the web", { type: "image", image: "https://a.b/c.png" }, "https://a.b/c.png"],
  ];

  test.each(images)("%s becomes a part of one user message, in the proxy's form", (_, part, url) => {
    const content: ContentPart[] = [{ type: "text", text: "What is this?" }, part];
    const sent = new CodebuffMemory(undefined).withHistory(data({ content }), "proxy");
    expect(sent.content).toEqual([
      user([
        { type: "text", text: "What is this?" },
        { type: "image_url", image_url: { url } },
      ]),
    ]);
  });
});

describe("on the original server, which returns a state", () => {
  test("the state of the last answer is sent with the next prompt, whose text is unchanged", () => {
    const memory = new CodebuffMemory(undefined);
    const first = data({ prompt: "one", sessionState: { mine: 1 } });
    expect(memory.withHistory(first, "codebuff")).toEqual(first);
    memory.remember(first, result("first", { n: 1 }), "codebuff");
    memory.remember(data("two"), result("second", { n: 2 }), "codebuff");
    const third = data("three");
    expect(memory.withHistory(third, "codebuff")).toEqual({ ...third, sessionState: { n: 2 } });
    expect(memory.state.sessionState).toEqual({ n: 2 });
  });

  test("the messages are remembered too, for a UI to show", () => {
    const memory = new CodebuffMemory(undefined);
    memory.remember(data("one"), result("first", { n: 1 }), "codebuff");
    expect(memory.messages).toEqual([user("one"), assistant("first")]);
  });

  test("the state that a proxy echoes is not kept", () => {
    const memory = new CodebuffMemory(undefined);
    memory.remember(data("one"), result("first", { n: 1 }), "proxy");
    expect(memory.state).not.toHaveProperty("sessionState");
  });
});

describe("the state of a conversation", () => {
  test("is a JSON value from which another conversation can continue", () => {
    const memory = new CodebuffMemory(undefined);
    memory.remember(
      data({ content: [{ type: "image", image: "iVBOR" }] }),
      result("a cat", { n: 1 }),
      "codebuff",
    );
    const state = memory.state;
    const copy: ConversationState = JSON.parse(JSON.stringify(state));
    expect(copy).toEqual(state);
    const next = new CodebuffMemory(copy);
    expect(next.state).toEqual(state);
    expect(next.withHistory(data("and now?"), "proxy").content).toEqual([
      ...memory.messages,
      user("and now?"),
    ]);
    expect(next.withHistory(data("and now?"), "codebuff").sessionState).toEqual({ n: 1 });
  });

  test("is a snapshot that later turns do not change", () => {
    const memory = new CodebuffMemory(undefined);
    const { state, messages } = memory;
    memory.remember(data("one"), result("first"), "proxy");
    expect(state.messages).toEqual([]);
    expect(messages).toEqual([]);
    expect(memory.messages).toHaveLength(2);
  });

  test.each([
    ["null", null],
    ["a string", "state"],
    ["an array", []],
    ["an empty object", {}],
    ["the state of another protocol", { protocol: "cass", version: 1, messages: [] }],
    ["the state of another version", { protocol: "codebuff", version: 2, messages: [] }],
    ["no messages", { protocol: "codebuff", version: 1 }],
    ["messages that are no list", { protocol: "codebuff", version: 1, messages: {} }],
    ["messages that are no objects", { protocol: "codebuff", version: 1, messages: ["hi"] }],
    ["messages without role and content", { protocol: "codebuff", version: 1, messages: [{}] }],
    ["a null session state", { protocol: "codebuff", version: 1, messages: [], sessionState: null }],
    ["a session state that is a list", { protocol: "codebuff", version: 1, messages: [], sessionState: [] }],
  ])("is refused if it is %s", (_, from) => {
    const make = () => new CodebuffMemory(from as unknown as ConversationState);
    expect(make).toThrow(InvalidInputError);
    expect(make).toThrow(errorSaying("invalid-input", /^`from` .*conversation\.state/));
  });
});

describe("a conversation with a server", () => {
  const start = (answer: Answer, options: MockCodebuffOptions = {}) =>
    MockCodebuffServer.start({ answer, ...options });
  const clientOf = ({ url }: MockCodebuffServer) => new CodebuffClient({ url, settleWindow: 0 });
  const shown = ({ prompts }: MockCodebuffServer) => prompts.map(({ messages }) => messages);

  test("shows the model every message in order, and continues on another client", async () => {
    await using server = await start((prompt) => [`${prompt.messages.length}!`]);
    await using client = clientOf(server);
    await using other = clientOf(server);
    const conversation = client.conversation();
    await conversation.prompt("one").result;
    await conversation.prompt("two").result;
    const from: ConversationState = JSON.parse(JSON.stringify(conversation.state));
    await other.conversation({ from }).prompt("three").result;
    expect(shown(server).at(-1)).toEqual([
      user("one"),
      assistant("1!"),
      user("two"),
      assistant("3!"),
      user("three"),
    ]);
    expect(server.violations).toEqual([]);
  });

  test.each([
    ["fails", step.failMidStream("stream broke")],
    ["is refused by the model's API", step.sseError("no such model")],
  ])("remembers nothing of a turn that %s", async (_, ending) => {
    await using server = await start(() => ["part", ending]);
    await using client = clientOf(server);
    const conversation = client.conversation();
    expect(await conversation.prompt("one").outcome).toMatchObject({
      status: "failed",
      partial: { text: "part", state: { messages: [] } },
    });
    expect(conversation.messages).toEqual([]);
    server.answer = () => ["fine"];
    await conversation.prompt("two").result;
    expect(shown(server).at(-1)).toEqual([user("two")]);
    expect(conversation.messages).toEqual([user("two"), assistant("fine")]);
  });

  test("remembers nothing of a cancelled turn", async () => {
    await using server = await start(() => ["part", step.hang()]);
    await using client = clientOf(server);
    const conversation = client.conversation();
    const turn = conversation.prompt("one");
    for await (const text of turn.textStream) {
      expect(text).toBe("part");
      break;
    }
    expect(await turn.outcome).toMatchObject({ status: "cancelled" });
    expect(conversation.state.messages).toEqual([]);
    await client.close({ force: true });
  });

  test("keeps the order of prompts made at once", async () => {
    await using server = await start((prompt) => [`re ${prompt.messages.length}`]);
    await using client = clientOf(server);
    const conversation = client.conversation();
    const turns = ["one", "two", "three"].map((input) => conversation.prompt(input));
    await Promise.all(turns.map(({ result }) => result));
    expect(shown(server).map((messages) => messages.length)).toEqual([1, 3, 5]);
    const said = conversation.messages.map(({ content }) => content);
    expect(said).toEqual(["one", "re 1", "two", "re 3", "three", "re 5"]);
  });

  test("sends the original server's state back to it", async () => {
    let turns = 0;
    await using server = await start(() => ["ok", step.respond({ sessionState: { turns: ++turns } })], {
      identify: "nack",
      scheduling: "concurrent",
    });
    await using client = clientOf(server);
    const conversation = client.conversation();
    await conversation.prompt({ prompt: "one", sessionState: { fileContext: {} } }).result;
    await conversation.prompt("two").result;
    await conversation.prompt("three").result;
    expect(server.prompts.map(({ data }) => [data.prompt, data.sessionState])).toEqual([
      ["one", { fileContext: {} }],
      ["two", { turns: 1 }],
      ["three", { turns: 2 }],
    ]);
    expect(conversation.state.sessionState).toEqual({ turns: 3 });
  });
});
