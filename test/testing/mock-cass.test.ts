import {
  type CassAnswer,
  type CassProvider,
  type CassStep,
  cassStep,
  ManualClock,
  MockCassServer,
} from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { errorSaying } from "../helpers/errors.ts";
import { kinds, PROFILES, type Profile, RawCass } from "./mock-cass-raw-client.ts";

const NO_TITLE = { title: "none", audio: "none" } as const;

/** Everything that one chat is answered with. */
async function turn(
  profile: Profile,
  script: readonly CassStep[],
  provider: CassProvider = "anthropic",
): Promise<readonly string[]> {
  await using server = await MockCassServer.start({ profile, provider, answer: () => script, ...NO_TITLE });
  using client = await RawCass.connected(server);
  client.chat("hi");
  const said = [...(await client.until("response")), ...(await client.barrier(profile))];
  expect(server.violations).toEqual([]);
  return kinds(said);
}

describe("a simple turn", () => {
  const opening = ["thinking Retrieving memories...", "thinking Generating response (Claude)..."];

  test.each(PROFILES)("sends two thinking frames and a response, on the profile %s", async (profile) => {
    expect(await turn(profile, ["Hello! ", "<gesture:wave>"])).toEqual([
      ...opening,
      profile === "documented" ? "response Hello! <gesture:wave>" : "response Hello!",
    ]);
  });

  test.each([
    ["openai", "OpenAI"],
    ["local", "local model"],
  ] as const)("names the provider %s in a thinking frame", async (provider, name) => {
    expect((await turn("v2", ["Hello"], provider))[1]).toBe(`thinking Generating response (${name})...`);
  });

  test.each([
    [
      "documented",
      {
        text: "Hi <gesture:nod:0.5>",
        animations: [{ type: "gesture", name: "nod", position: 3 }],
        input_tokens: 1500,
        output_tokens: 150,
        provider: "anthropic",
        model: "claude-sonnet-4-20250514",
        conversation_id: "conv-1",
      },
    ],
    [
      "v1",
      {
        text: "Hi",
        animations: [{ index: 0, type: "gesture", name: "nod", intensity: 0.5, delay: 0 }],
        raw: "Hi <gesture:nod:0.5>",
        tool_uses: [],
        conversation_id: "conv-1",
        audio: null,
        audio_format: null,
        input_tokens: 1500,
        output_tokens: 150,
        provider: "anthropic",
        model: "claude-sonnet-4-20250514",
      },
    ],
    [
      "relay",
      {
        text: "Hi",
        conversation_id: "conv-1",
        inputTokens: 1500,
        outputTokens: 150,
        provider: "anthropic",
        model: "claude-haiku-4-5-20251001",
      },
    ],
  ] as const)("has exactly the fields of its server: %s", async (profile, fields) => {
    await using server = await MockCassServer.start({
      profile,
      answer: () => ["Hi <gesture:nod:0.5>"],
      ...NO_TITLE,
    });
    using client = await RawCass.connected(server);
    const { type: _, timestamp, ...said } = await client.answerTo("hi", { conversation_id: "conv-1" });
    expect(said).toEqual(fields);
    expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?$/);
  });

  test("has memories in one thinking frame only, and none with relay or local models", async () => {
    for (const profile of PROFILES) {
      for (const provider of ["anthropic", "local"] as const) {
        await using server = await MockCassServer.start({ profile, provider });
        using client = await RawCass.connected(server);
        client.chat("hi");
        const thinking = (await client.until("response")).filter(({ type }) => type === "thinking");
        const told = profile !== "relay" && provider !== "local";
        expect(thinking.map((said) => "memories" in said)).toEqual([told, false]);
        if (told) expect(thinking[0]?.["memories"]).toHaveProperty("has_context", true);
        if (told && profile !== "v2") expect(thinking[0]?.["memories"]).not.toHaveProperty("context_sizes");
      }
    }
  });
});

describe("tool rounds", () => {
  const script = [
    "Look. <gesture:point>",
    cassStep.tools("a", { name: "b", result: "x".repeat(120), success: false }),
    "",
    cassStep.tools("c"),
    "Found. <emote:happy>",
  ];
  const opening = ["thinking Retrieving memories...", "thinking Generating response (Claude)..."];
  const submitting = (count: number) => `debug [Submitting ${count} tool results to Claude...]`;

  test("send debug and thinking frames on v2, with Claude", async () => {
    expect(await turn("v2", script)).toEqual([
      ...opening,
      "debug [Tool Loop #1] stop_reason=tool_use, tools=['a', 'b']",
      "thinking Executing: a, b...",
      submitting(2),
      "debug [Continuation] stop_reason=tool_use, has_text=False, new_tools=1",
      "debug [Continuation text] (empty)",
      "debug [Tool Loop #2] stop_reason=tool_use, tools=['c']",
      "thinking Executing: c...",
      submitting(1),
      "debug [Continuation] stop_reason=end_turn, has_text=True, new_tools=0",
      "debug [Continuation text] Found.",
      "response Found.",
    ]);
  });

  test("also send tool results and the text of all rounds on v1, with Claude", async () => {
    expect(await turn("v1", script)).toEqual([
      ...opening,
      "debug [Tool Loop #1] stop_reason=tool_use, tools=['a', 'b']",
      "thinking Executing: a, b...",
      "debug [Tool Result] a: success=True, result=ok...",
      `debug [Tool Result] b: success=False, result=${"x".repeat(100)}...`,
      submitting(2),
      "debug [Continuation] stop_reason=tool_use, has_text=False, new_tools=1",
      "debug [Continuation text] (empty)",
      "debug [Tool Loop #2] stop_reason=tool_use, tools=['c']",
      "thinking Executing: c...",
      "debug [Tool Result] c: success=True, result=ok...",
      submitting(1),
      "debug [Continuation] stop_reason=end_turn, has_text=True, new_tools=0",
      "debug [Continuation text] Found.",
      "response Look. \n\nFound.",
    ]);
  });

  test.each([
    ["openai", "OpenAI", "OpenAI"],
    ["local", "Ollama", "local model"],
  ] as const)("send fewer frames on v1 and v2 with %s", async (provider, prefix, name) => {
    for (const profile of ["v1", "v2"] as const) {
      expect(await turn(profile, script, provider)).toEqual([
        "thinking Retrieving memories...",
        `thinking Generating response (${name})...`,
        `debug [${prefix} Tool Loop #1] stop_reason=tool_use, tools=['a', 'b']`,
        "thinking Executing: a, b...",
        `debug [${prefix} Tool Loop #2] stop_reason=tool_use, tools=['c']`,
        "thinking Executing: c...",
        "response Found.",
      ]);
    }
  });

  test("have the documented texts on documented", async () => {
    expect(await turn("documented", script)).toEqual([
      ...opening,
      "thinking Using tool: [a, b]...",
      "debug [Tool Loop #1] stop_reason=tool_use, tools=['a', 'b']",
      "thinking Continuing...",
      "thinking Using tool: [c]...",
      "debug [Tool Loop #2] stop_reason=tool_use, tools=['c']",
      "thinking Continuing...",
      "response Found. <emote:happy>",
    ]);
  });

  test("send no debug frames and are limited to ten on relay", async () => {
    expect(await turn("relay", script)).toEqual([
      ...opening,
      "thinking Executing: a, b...",
      "thinking Generating response (Claude)...",
      "thinking Executing: c...",
      "thinking Generating response (Claude)...",
      "response Found.",
    ]);
    const rounds = Array.from({ length: 12 }, () => ["again", cassStep.tools("t")]).flat();
    const said = await turn("relay", [...rounds, "never"]);
    expect(said.filter((word) => word.startsWith("thinking Executing"))).toHaveLength(10);
    expect(said.at(-1)).toBe("response again");
  });

  test("add up their tokens, and restart the animation index in each round", async () => {
    const usage = cassStep.usage({ input_tokens: 10, output_tokens: 3, cache_read_tokens: 2 });
    await using server = await MockCassServer.start({
      answer: () => [
        usage,
        "One <gesture:nod><emote:love>",
        cassStep.tools("t"),
        usage,
        "two <gesture:wave>",
      ],
    });
    using client = await RawCass.connected(server);
    const response = await client.answerTo("hi");
    expect(response).toMatchObject({
      text: "two",
      raw: "One <gesture:nod><emote:love>\ntwo <gesture:wave>",
      input_tokens: 20,
      output_tokens: 6,
      cache_read_tokens: 4,
      animations: [
        { index: 0, name: "nod" },
        { index: 1, name: "love" },
        { index: 0, name: "wave" },
      ],
    });
  });

  test("put unexecuted tools into `tool_uses`", async () => {
    const script = ["a", cassStep.tools("t"), "b", cassStep.unexecuted({ name: "u", input: { x: 1 } })];
    await using server = await MockCassServer.start({ answer: () => script });
    using client = await RawCass.connected(server);
    client.chat("hi");
    const said = await client.until("response");
    expect(kinds(said)).toContain("debug [Continuation] stop_reason=max_tokens, has_text=True, new_tools=1");
    expect(said.at(-1)).toMatchObject({ tool_uses: [{ id: "toolu_1", tool: "u", input: { x: 1 } }] });
  });
});

describe("an answer script", () => {
  test("can be a generator or an async generator, and receives the turn", async () => {
    const clock = new ManualClock();
    await using server = await MockCassServer.start({
      clock,
      async *answer({ message, kind, number, conversationId, userId, model }, { signal }) {
        yield cassStep.thinking("Looking around...");
        yield cassStep.delay(1_000);
        yield `${message} ${kind} ${number} ${conversationId} ${userId} ${model.provider} ${signal.aborted}`;
      },
    });
    const { userId, accessToken } = server.addUser();
    using client = await RawCass.connected(server, accessToken);
    client.chat("hi", { conversation_id: "c" });
    await client.take(3);
    await clock.advance(1_000);
    expect((await client.next())["text"]).toBe(`hi chat 1 c ${userId} anthropic false`);
  });

  test("can send any frame at once, including raw and binary frames", async () => {
    await using server = await MockCassServer.start({
      answer: () => [
        cassStep.debug("d"),
        cassStep.system("s", "info"),
        cassStep.say({ type: "calendar_updated", tool: "x" }),
        cassStep.raw("raw"),
        cassStep.raw(new TextEncoder().encode("bytes")),
        cassStep.fields({ marks: [{ category: "insight", description: null }], extra: 1 }),
        "Hi",
      ],
    });
    using client = await RawCass.connected(server);
    client.chat("hi");
    await client.take(2);
    expect(await client.take(3)).toMatchObject([
      { type: "debug", message: "d", timestamp: expect.stringMatching(/T/) },
      { type: "system", message: "s", status: "info" },
      { type: "calendar_updated", tool: "x" },
    ]);
    expect(await client.raw.take(2)).toEqual(["raw", "bytes"]);
    expect(await client.next()).toMatchObject({ text: "Hi", marks: [{ category: "insight" }], extra: 1 });
    expect(server.frames.filter(({ binary }) => binary).map(({ raw }) => raw)).toEqual(["bytes"]);
  });

  test("can set switches for its own turn only", async () => {
    await using server = await MockCassServer.start({
      answer: ({ number }) =>
        number === 1 ? { switches: { emptyText: true, memories: "none" }, script: ["Hi"] } : ["Hi"],
    });
    using client = await RawCass.connected(server);
    client.chat("hi");
    expect(kinds(await client.until("response"))).toMatchObject(["thinking Processing...", {}, "response "]);
    await client.until("title_updated");
    client.chat("hi");
    expect(kinds(await client.until("response"))).toMatchObject([
      "thinking Retrieving memories...",
      {},
      "response Hi",
    ]);
  });

  test("can be a string, which is the model's text", async () => {
    const answer: CassAnswer = () => "Hello";
    await using server = await MockCassServer.start({ answer });
    using client = await RawCass.connected(server);
    expect(await client.answerTo("hi")).toMatchObject({ text: "Hello" });
  });

  test("must come from a function", async () => {
    // @ts-expect-error
    await expect(MockCassServer.start({ answer: "Hello" })).rejects.toThrow("`answer` must be a function");
    // @ts-expect-error
    await expect(MockCassServer.start({ profile: "v3" })).rejects.toThrow(
      errorSaying("invalid-input", /^profile `v3` does not exist. Did you mean `v1`\?/),
    );
  });

  test("can cut the connection in the middle of a frame, and its turn goes on", async () => {
    await using server = await MockCassServer.start({ answer: () => [cassStep.dropMidFrame(), "Hi"] });
    using client = await RawCass.connected(server);
    client.chat("hi", { conversation_id: server.addConversation().id });
    expect(await client.closed).toEqual({ code: 1006, reason: "" });
    await server.waitFor(({ conversations }) => conversations[0]?.messages.length === 2);
  });
});

describe("onboarding", () => {
  test.each(["v1", "v2", "documented"] as const)(
    "answers an intro and stores it, on the profile %s",
    async (profile) => {
      await using server = await MockCassServer.start({ profile });
      const { userId } = server.addUser();
      const { id } = server.addConversation();
      using client = await RawCass.connected(server);
      client.say({ type: "onboarding_intro", user_id: userId, conversation_id: id });
      const [thinking, response, ...rest] = [
        ...(await client.until("response")),
        ...(await client.barrier(profile)).filter(({ type }) => type !== "audio"),
      ];
      expect(thinking).toMatchObject({ status: "Cass is preparing to introduce herself..." });
      expect(Object.keys(response ?? {})).toEqual([
        "type",
        "text",
        "animations",
        "raw",
        "conversation_id",
        "input_tokens",
        "output_tokens",
        "timestamp",
      ]);
      expect(rest).toEqual([]);
      expect(server.conversations[0]?.messages).toMatchObject([
        { role: "assistant", content: response?.["text"] },
      ]);
      expect(server.turns).toMatchObject([{ kind: "intro", userId, conversationId: id, message: "" }]);
      expect(server.connections[0]?.userId).toBe(userId);
    },
  );

  test.each(["v1", "v2", "documented"] as const)(
    "answers a demo without storing it, on the profile %s",
    async (profile) => {
      await using server = await MockCassServer.start({ profile });
      using client = await RawCass.connected(server);
      client.say({ type: "onboarding_demo", user_id: "somebody", message: "more" });
      const said = await client.until("response");
      expect(said[0]).toMatchObject({ status: "Cass is thinking..." });
      expect(Object.keys(said[1] ?? {})).toEqual([
        "type",
        "text",
        "animations",
        "input_tokens",
        "output_tokens",
        "timestamp",
      ]);
      expect(server.turns).toMatchObject([{ kind: "demo", userId: "somebody", message: "more" }]);
      expect(server.conversations).toEqual([]);
      expect(server.connections[0]?.userId).toBe("somebody");
    },
  );

  test.each([
    ["onboarding_intro", {}, "Missing user_id or conversation_id for onboarding"],
    ["onboarding_intro", { user_id: "u" }, "Missing user_id or conversation_id for onboarding"],
    ["onboarding_intro", { user_id: "u", conversation_id: "c" }, "User not found"],
    ["onboarding_demo", {}, "Missing user_id for onboarding demo"],
  ])("answers invalid fields with an error only: %s %j", async (type, fields, message) => {
    await using server = await MockCassServer.start();
    using client = await RawCass.connected(server);
    client.say({ type, ...fields });
    expect(await client.next()).toEqual({ type: "error", message });
    expect(await client.barrier()).toEqual([]);
    expect(server.connections[0]?.userId).toBe(null);
  });

  test.each([
    ["onboarding_intro", "Failed to generate introduction: no"],
    ["onboarding_demo", "Failed to generate demo response: no"],
  ])("reports a failing model and keeps the connection: %s", async (type, message) => {
    await using server = await MockCassServer.start({ answer: () => [cassStep.fail("no")] });
    const { userId } = server.addUser();
    using client = await RawCass.connected(server);
    client.say({ type, user_id: userId, conversation_id: "c" });
    expect((await client.take(2))[1]).toEqual({ type: "error", message });
    expect(await client.barrier()).toEqual([]);
  });
});

describe("a connection handles its frames strictly in order", () => {
  test("it answers pipelined turns one by one, and sends a pong only after the turn", async () => {
    const clock = new ManualClock();
    await using server = await MockCassServer.start({
      clock,
      pipelining: true,
      title: "none",
      answer: ({ message }) => [cassStep.delay(10), message],
    });
    using client = await RawCass.connected(server);
    client.chat("one");
    client.say({ type: "ping" });
    client.chat("two");
    await client.take(2);
    await server.waitFor(({ frames }) => frames.some(({ raw }) => raw.includes("two")));
    await clock.advance(10);
    expect(kinds(await client.take(4))).toEqual([
      "response one",
      "pong",
      "thinking Retrieving memories...",
      "thinking Generating response (Claude)...",
    ]);
    await clock.advance(10);
    expect(kinds(await client.take(1))).toEqual(["response two"]);
    expect(server.violations).toEqual([]);
  });

  test("it answers and stores all received frames even after the client has left", async () => {
    const clock = new ManualClock();
    await using server = await MockCassServer.start({
      clock,
      pipelining: true,
      unreadFrame: "queue",
      answer: ({ message }) => [cassStep.delay(10), `re ${message}`],
    });
    const { id } = server.addConversation();
    using client = await RawCass.connected(server);
    client.chat("one", { conversation_id: id });
    client.chat("two", { conversation_id: id });
    await client.take(2);
    await server.waitFor(({ frames }) => frames.some(({ raw }) => raw.includes("two")));
    client.raw.socket.close();
    await client.closed;
    const connection = await server.nextConnection();
    await server.waitFor(() => connection.closed);
    await clock.advance(10);
    await clock.advance(10);
    expect(server.conversations[0]?.messages.map(({ content }) => content)).toEqual([
      "one",
      "re one",
      "two",
      "re two",
    ]);
  });

  test("it does nothing more after the server has stopped", async () => {
    const clock = new ManualClock();
    const server = await MockCassServer.start({ clock, answer: () => [cassStep.delay(10), "late"] });
    using client = await RawCass.connected(server);
    client.chat("one", { conversation_id: server.addConversation().id });
    await client.take(2);
    const { connection } = await server.nextTurn();
    await server.stop();
    await server.stop();
    expect(await client.closed).toMatchObject({ code: 1006 });
    await clock.advance(1_000);
    expect(clock.pending).toBe(0);
    expect(server.conversations[0]?.messages).toEqual([]);
    expect(connection.closed).toMatchObject({ code: 1006, by: "server" });
    await expect(server.waitFor(() => undefined)).rejects.toThrow("has stopped");
  });
});

describe("conversations", () => {
  test("with an unknown id are echoed and not stored", async () => {
    await using server = await MockCassServer.start();
    using client = await RawCass.connected(server);
    expect(await client.answerTo("hi", { conversation_id: "x" })).toMatchObject({ conversation_id: "x" });
    expect(await client.barrier()).toEqual([]);
    expect(server.conversations).toEqual([]);
  });

  test("get a title of at most 60 characters with their second message, and only once", async () => {
    await using server = await MockCassServer.start();
    const { id } = server.addConversation();
    using client = await RawCass.connected(server);
    const message = "a".repeat(100);
    await client.answerTo(message, { conversation_id: id });
    expect(await client.next()).toMatchObject({
      type: "title_updated",
      conversation_id: id,
      title: "a".repeat(60),
    });
    await client.answerTo("more", { conversation_id: id });
    expect(await client.barrier()).toEqual([]);
    expect(server.conversations[0]?.title).toBe("a".repeat(60));
  });
});

describe("images", () => {
  const image = { image: "iVBORw0KGgo=", image_media_type: "image/png" };

  test("reach only the models of Anthropic, and not over the relay", async () => {
    for (const provider of ["anthropic", "openai", "local"] as const) {
      for (const profile of PROFILES) {
        await using server = await MockCassServer.start({ profile, provider });
        using client = await RawCass.connected(server);
        await client.answerTo("see", image);
        const seen = provider === "anthropic" && profile !== "relay";
        expect(server.turns[0]?.image).toEqual(
          seen ? { data: image.image, mediaType: "image/png" } : undefined,
        );
      }
    }
  });
});

describe("the language model", () => {
  test("stays the one that was set when the connection opened", async () => {
    await using server = await MockCassServer.start({ models: { openai: "gpt-x" }, title: "none" });
    using old = await RawCass.connected(server);
    server.useModel("openai");
    expect(await old.answerTo("hi")).toMatchObject({ provider: "anthropic" });
    using next = await RawCass.connected(server);
    expect(await next.answerTo("hi")).toMatchObject({ provider: "openai", model: "gpt-x" });
    server.useModel("local", "tiny");
    expect(server.model).toEqual({ provider: "local", model: "tiny" });
    expect(server.connections.map(({ model }) => model.provider)).toEqual(["anthropic", "openai"]);
  });
});

describe("waits and pushes of a test", () => {
  test("`nextTurn()`, `nextAuth()` and `nextConnection()` resolve in order", async () => {
    await using server = await MockCassServer.start({ title: "none" });
    const { userId, accessToken } = server.addUser();
    const [turns, auth, connection] = [
      [server.nextTurn(), server.nextTurn()],
      server.nextAuth(),
      server.nextConnection(),
    ];
    using client = await RawCass.connected(server);
    client.say({ type: "auth", token: accessToken });
    expect(await client.next()).toEqual({ type: "auth_success", user_id: userId });
    await client.answerTo("one");
    await client.answerTo("two");
    expect((await Promise.all(turns)).map(({ message, number }) => [message, number])).toEqual([
      ["one", 1],
      ["two", 2],
    ]);
    expect(await auth).toMatchObject({ token: "access", userId, answer: "auth_success" });
    expect((await connection).userId).toBe(userId);
    expect(server.received.map(({ message }) => message["type"])).toEqual(["auth", "chat", "chat"]);
    expect(server.frames.map(({ direction }) => direction).join(" ")).toContain("s2c c2s s2c c2s");
    expect(server.upgrades).toMatchObject([{ url: "/ws", status: 101 }]);
  });

  test("a frame can be pushed at any time, as an object or as raw text", async () => {
    await using server = await MockCassServer.start();
    using client = await RawCass.connected(server);
    const connection = await server.nextConnection();
    connection.push({ type: "tasks_updated", tool: "é" });
    connection.send('{"type":"raw"}');
    expect(await client.raw.next()).toMatch(/^\{"type": "tasks_updated", "tool": "\\u00e9", "timestamp": "/);
    expect(await client.raw.next()).toBe('{"type":"raw"}');
  });
});
