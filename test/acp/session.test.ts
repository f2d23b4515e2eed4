import { toUniversal } from "agentwire/acp";
import { ManualClock } from "agentwire/testing";
import { fold, type UniversalEvent } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { type AgentSetup, END, world } from "./support/agent.ts";

const MODES = {
  modes: {
    currentModeId: "auto",
    availableModes: [
      { id: "auto", name: "Auto" },
      { id: "default", name: "Ask" },
    ],
  },
};

const OPTIONS = {
  configOptions: [
    {
      id: "how",
      name: "Mode",
      category: "mode",
      type: "select",
      currentValue: "agent",
      options: [
        { value: "agent", name: "Agent" },
        { value: "read-only", name: "Read only" },
      ],
    },
    {
      id: "which",
      name: "Model",
      category: "model",
      type: "select",
      currentValue: "m1",
      options: [
        {
          name: "Group",
          options: [
            { value: "m1", name: "One" },
            { value: "m2", name: "Two" },
          ],
        },
      ],
    },
  ],
};

const settable = {
  "session/set_config_option": ({ params }: { params?: { configId: string; value: string } }) => ({
    configOptions: OPTIONS.configOptions.map((option) =>
      option.id === params?.configId ? { ...option, currentValue: params.value } : option,
    ),
  }),
};

describe("the mode", () => {
  test("`ask` is set before the first prompt: the first that asks", async () => {
    await using w = world({ session: MODES }, { mode: "ask" });
    await w.client.prompt("go").result;
    expect(w.agent.methods()).toEqual(["initialize", "session/new", "session/set_mode", "session/prompt"]);
    expect(w.agent.heard[2]?.params).toEqual({ sessionId: "s1", modeId: "default" });
    expect(w.warnings).toEqual([]);
  });

  test("is set by its option where the agent has no modes", async () => {
    await using w = world({ session: OPTIONS, answers: settable }, { mode: "ask" });
    const conversation = w.client.conversation();
    const { modes } = await conversation.open();
    expect(w.agent.heard[2]?.params).toEqual({ sessionId: "s1", configId: "how", value: "read-only" });
    expect(modes?.current).toBe("read-only");
  });

  test("is set again after a session was continued", async () => {
    const setup = { session: MODES, capabilities: { sessionCapabilities: { resume: {} } } };
    await using w = world(
      {
        ...setup,
        script: ({ text, agent }) => {
          if (text === "die") agent.end();
          return text === "die" ? undefined : END;
        },
      },
      { mode: "ask" },
    );
    const conversation = w.client.conversation();
    await conversation.prompt("die").outcome;
    await conversation.prompt("go").result;
    expect(w.agent.methods().filter((method) => method === "session/set_mode")).toHaveLength(2);
  });

  test("gives a warning where no mode is known to ask", async () => {
    await using w = world({}, { mode: "ask" });
    await w.client.prompt("go").result;
    expect(w.warnings).toEqual(["agent-decides"]);
  });

  test("is set back when the agent changes it", async () => {
    await using w = world(
      {
        session: MODES,
        script: async ({ update, agent, say }) => {
          say("ok");
          update({ sessionUpdate: "current_mode_update", currentModeId: "auto" });
          while (agent.methods().filter((method) => method === "session/set_mode").length < 2)
            await new Promise((resolve) => setImmediate(resolve));
          return END;
        },
      },
      { mode: "ask" },
    );
    const conversation = w.client.conversation();
    await conversation.prompt("go").result;
    expect(w.warnings).toEqual(["mode-changed"]);
    expect(conversation.session?.modes?.current).toBe("default");
  });

  test("that the agent does not have fails the prompt before it is sent", async () => {
    await using w = world({ session: MODES }, { mode: "yolo" });
    const outcome = await w.client.prompt("go").outcome;
    expect(outcome).toMatchObject({
      status: "failed",
      error: { code: "invalid-input", delivery: "not-sent" },
    });
  });

  test("that the agent refuses fails the prompt: nothing runs in another mode", async () => {
    const refuses = () => {
      throw new Error("not trusted");
    };
    await using w = world({ session: MODES, answers: { "session/set_mode": refuses } }, { mode: "ask" });
    const outcome = await w.client.prompt("go").outcome;
    expect(outcome).toMatchObject({ error: { code: "handshake-refused", reason: "policy" } });
    expect(w.agent.methods()).not.toContain("session/prompt");
  });

  test("can be set by the user, and stays", async () => {
    await using w = world({ session: MODES }, { mode: "ask" });
    const conversation = w.client.conversation();
    await conversation.setMode("auto");
    await conversation.prompt("go").result;
    expect(conversation.session?.modes?.current).toBe("auto");
    await expect(conversation.setMode("nope")).rejects.toMatchObject({ code: "invalid-input" });
  });
});

describe("a session", () => {
  test("tells its models, old and new, and sets them", async () => {
    const models = {
      models: {
        currentModelId: "a",
        availableModels: [
          { modelId: "a", name: "A" },
          { modelId: "b", name: "B" },
        ],
      },
    };
    await using legacy = world({ session: models });
    const old = legacy.client.conversation();
    await old.setModel("b");
    expect(old.session?.models).toEqual({
      current: "b",
      available: [
        { id: "a", name: "A" },
        { id: "b", name: "B" },
      ],
    });
    await using w = world({ session: OPTIONS, answers: settable });
    const conversation = w.client.conversation();
    await conversation.setModel("m2");
    expect(conversation.session?.models?.current).toBe("m2");
    await expect(conversation.setModel("m9")).rejects.toMatchObject({ code: "invalid-input" });
  });

  test("keeps updates that come before its id is known", async () => {
    await using w = world({
      answers: {
        "session/new": (_, agent) => {
          agent.update("s1", {
            sessionUpdate: "available_commands_update",
            availableCommands: [{ name: "init" }],
          });
          return { sessionId: "s1" };
        },
      },
    });
    const conversation = w.client.conversation();
    const { commands } = await conversation.open();
    expect(commands).toEqual([{ name: "init", description: "" }]);
  });

  test("shows its mode, commands, plan and context in a transcript", async () => {
    await using w = world({
      session: MODES,
      script: ({ update }) => {
        update({
          sessionUpdate: "available_commands_update",
          availableCommands: [{ name: "init", description: "x" }],
        });
        update({ sessionUpdate: "plan", entries: [{ content: "do", status: "pending", priority: "high" }] });
        update({
          sessionUpdate: "usage_update",
          used: 10,
          size: 100,
          cost: { amount: 0.5, currency: "USD" },
        });
        update({ sessionUpdate: "notice", severity: "warning", title: "Careful" });
        return { ...END, usage: { inputTokens: 3 } };
      },
    });
    const turn = w.client.prompt("go");
    const events: UniversalEvent[] = [];
    for await (const event of toUniversal(turn)) events.push(event);
    const { plan, context, commands, messages } = fold(events);
    expect(plan).toEqual([{ content: "do", status: "pending", priority: "high" }]);
    expect(context).toEqual({ used: 10, size: 100 });
    expect(commands).toEqual([{ name: "init", description: "x" }]);
    expect(JSON.stringify(messages)).toContain("Careful");
    const ended = events.find(({ type }) => type === "turn.ended");
    expect(ended?.data).toMatchObject({
      metadata: {
        stop_reason: "end_turn",
        usage: { input_tokens: 3, context_tokens: 10, context_window: 100 },
        cost: { total: 0.5, currency: "USD" },
      },
    });
  });

  test("counts the tokens of each turn where the agent counts those of the session", async () => {
    let total = 0;
    await using w = world({
      agentInfo: { name: "Copilot" },
      script: () => {
        total += 10;
        return { ...END, usage: { inputTokens: total, totalTokens: total } };
      },
    });
    const conversation = w.client.conversation();
    await conversation.prompt("one").result;
    expect((await conversation.prompt("two").result).usage).toEqual({ inputTokens: 10, totalTokens: 10 });
  });

  test("takes the tokens of Gemini and of Qwen from where they are", async () => {
    await using gemini = world(() => ({
      ...END,
      _meta: { quota: { token_count: { input_tokens: 4, output_tokens: 2 } } },
    }));
    expect((await gemini.client.prompt("go").result).usage).toEqual({ inputTokens: 4, outputTokens: 2 });
    await using qwen = world(({ update }) => {
      for (const inputTokens of [1, 2])
        update({
          sessionUpdate: "agent_message_chunk",
          content: { type: "text", text: "" },
          _meta: { usage: { inputTokens } },
        });
      return END;
    });
    expect((await qwen.client.prompt("go").result).usage).toEqual({ inputTokens: 3 });
  });

  test("of another folder is refused", async () => {
    await using w = world();
    expect(() =>
      w.client.conversation({ from: { protocol: "acp", version: 1, cwd: "/", sessionId: "s" } as never }),
    ).toThrow("another folder");
  });

  test("is loaded with its messages, which are shown once", async () => {
    await using w = world({
      capabilities: { loadSession: true, sessionCapabilities: { resume: {} } },
      answers: {
        "session/load": ({ params }, agent) => {
          const chunk = (sessionUpdate: string, text: string) =>
            agent.update(params.sessionId, { sessionUpdate, content: { type: "text", text } });
          chunk("user_message_chunk", "Hi");
          chunk("agent_thought_chunk", "hm");
          chunk("agent_message_chunk", "Hel");
          chunk("agent_message_chunk", "lo");
          return {};
        },
      },
    });
    const from = { protocol: "acp", version: 1, cwd: process.cwd(), sessionId: "old" };
    const conversation = w.client.conversation({ from });
    const messages = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello" },
    ];
    expect(await conversation.load()).toEqual(messages);
    await conversation.load();
    expect(conversation.messages).toEqual(messages);
    const turn = conversation.prompt("more");
    expect((await turn.result).text).toBe("ok");
    expect(w.agent.methods()).not.toContain("session/new");
  });

  test("is loaded whole if the agent answers after the first message of the replay, as Gemini does", async () => {
    const clock = new ManualClock();
    let repeatRest = (): void => {};
    const setup: AgentSetup = {
      capabilities: { loadSession: true },
      answers: {
        "session/load": ({ params }, agent) => {
          const chunk = (sessionUpdate: string, text: string) =>
            agent.update(params.sessionId, { sessionUpdate, content: { type: "text", text } });
          chunk("user_message_chunk", "<session_context>");
          repeatRest = () => {
            chunk("user_message_chunk", "Hi");
            chunk("agent_message_chunk", "Hello");
          };
          return {};
        },
      },
    };
    await using w = world(setup, { clock });
    const hears = (part: string) =>
      new Promise<void>((resolve) => {
        w.client.on("frame", ({ direction, text }) => {
          if (direction === "in" && text.includes(part)) resolve();
        });
      });
    const answered = hears('"id":1');
    const from = { protocol: "acp", version: 1, cwd: process.cwd(), sessionId: "old" };
    const conversation = w.client.conversation({ from });
    const loaded = conversation.load();
    await answered;
    const repeated = hears("Hello");
    repeatRest();
    await repeated;
    await clock.advance(1_000);
    expect(await loaded).toEqual([
      { role: "user", content: "<session_context>Hi" },
      { role: "assistant", content: "Hello" },
    ]);
    expect((await conversation.prompt("more").result).text).toBe("ok");
  });

  test("that the agent does not know fails as `context-lost`", async () => {
    const missing = () => {
      throw Object.assign(new Error("not found"), { code: -32002 });
    };
    await using w = world({ capabilities: { loadSession: true }, answers: { "session/load": missing } });
    const from = { protocol: "acp", version: 1, cwd: process.cwd(), sessionId: "gone" };
    const outcome = await w.client.conversation({ from }).prompt("go").outcome;
    expect(outcome).toMatchObject({ error: { code: "context-lost", delivery: "not-sent" } });
  });

  test("gets the mode that was asked for if the agent names no modes when it loads, as Kimi does", async () => {
    const setup = (answers: AgentSetup["answers"]): AgentSetup => ({
      capabilities: { loadSession: true },
      answers: { "session/load": () => ({}), ...answers },
    });
    const from = { protocol: "acp", version: 1, cwd: process.cwd(), sessionId: "old" };
    await using willing = world(setup({}), { mode: "default" });
    expect((await willing.client.conversation({ from }).prompt("go").result).text).toBe("ok");
    expect(willing.agent.heard.find(({ method }) => method === "session/set_mode")?.params).toEqual({
      sessionId: "old",
      modeId: "default",
    });
    const refuses = () => {
      throw Object.assign(new Error("no such mode"), { code: -32602 });
    };
    await using other = world(setup({ "session/set_mode": refuses }), { mode: "default" });
    const outcome = await other.client.conversation({ from }).prompt("go").outcome;
    expect(outcome).toMatchObject({ error: { code: "handshake-refused", reason: "policy" } });
    expect(other.agent.methods()).not.toContain("session/prompt");
  });

  test("list comes page by page", async () => {
    await using w = world({
      capabilities: { sessionCapabilities: { list: {} } },
      answers: {
        "session/list": ({ params }) =>
          params.cursor === undefined
            ? { sessions: [{ sessionId: "a", title: "A" }], nextCursor: "2" }
            : { sessions: [{ sessionId: "b" }] },
      },
    });
    expect(await w.client.sessions()).toEqual([{ sessionId: "a", title: "A" }, { sessionId: "b" }]);
  });
});
