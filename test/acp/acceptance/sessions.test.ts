import { type AcpOptions, acp } from "agentwire/acp";
import { createChat } from "agentwire/chat";
import { acpStep, acpTool, MockAcpAgent, type MockAcpOptions } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { chosenBy, play, until, type World } from "./support.ts";

const dies: MockAcpOptions["answer"] = ({ text }) =>
  text === "die" ? [acpStep.die({ exit: 0 })] : [acpStep.thought("hm"), `re: ${text}`];

const without = (...names: readonly string[]) => ({
  sessionCapabilities: Object.fromEntries(
    ["list", "resume", "close"].filter((name) => !names.includes(name)).map((name) => [name, {}]),
  ),
});

/** A conversation with one answer, whose agent has ended. */
async function broken({ client }: Pick<World, "client">) {
  const conversation = client.conversation();
  await conversation.prompt("one").result;
  await conversation.prompt("die").outcome;
  return conversation;
}

const methodsOf = ({ agent }: Pick<World, "agent">) => agent.received.map(({ method }) => method);

describe("13 sessions of an agent that was started again", () => {
  test("13 are resumed, without a replay, where the agent can", async () => {
    await play({ mock: { answer: dies } }, async (world) => {
      const conversation = await broken(world);
      const turn = conversation.prompt("two");
      const types: string[] = [];
      for await (const { type } of turn) types.push(type);
      expect(types).toEqual(["thought", "text"]);
      expect(methodsOf(world)).toContain("session/resume");
      expect(methodsOf(world)).not.toContain("session/load");
    });
  });

  test.each(["replay", "silent"] as const)(
    "13 are loaded otherwise, and a replay is no part of the turn: %s",
    async (load) => {
      await play({ mock: { answer: dies, load, capabilities: without("resume") } }, async (world) => {
        const conversation = await broken(world);
        expect((await conversation.prompt("two").result).text).toBe("re: two");
        expect(conversation.messages.map(({ content }) => content)).toEqual([
          "one",
          "re: one",
          "two",
          "re: two",
        ]);
        expect(methodsOf(world)).toContain("session/load");
        const texts = world.events.flatMap(({ type, data }) =>
          type === "item.delta" && "delta" in data ? [data.delta] : [],
        );
        expect(texts.filter((delta) => delta === "re: one").length).toBeLessThanOrEqual(1);
      });
    },
  );

  test("13 a replay behind the response is nobody's", async () => {
    await play({ mock: { answer: dies, load: "late", capabilities: without("resume") } }, async (world) => {
      const conversation = await broken(world);
      await conversation.open();
      await new Promise((resolve) => setImmediate(resolve));
      expect((await conversation.prompt("two").result).text).toBe("re: two");
    });
  });

  test.each([
    ["cannot load", { load: "error", capabilities: without("resume") }],
    ["has no way to", { capabilities: { ...without("resume"), loadSession: false } }],
  ] as const)("13 fail as `context-lost` where the agent %s, and nothing is sent", async (_, mock) => {
    await play({ mock: { answer: dies, ...mock } }, async (world) => {
      const conversation = await broken(world);
      const outcome = await conversation.prompt("two").outcome;
      expect(outcome).toMatchObject({ error: { code: "context-lost", delivery: "not-sent", input: "two" } });
      expect(world.agent.prompts.map(({ text }) => text)).toEqual(["one", "die"]);
    });
  });
});

describe("13 a state", () => {
  test("13 of a later process continues the session, and is shown once", async () => {
    let from: object | undefined;
    await play({ mock: { answer: dies } }, async ({ agent, client }) => {
      const conversation = client.conversation();
      await conversation.prompt("one").result;
      from = JSON.parse(JSON.stringify(conversation.state));
      const later = client.conversation({ from: from as never });
      const messages = await later.load();
      expect(messages).toEqual([
        { role: "user", content: "one" },
        { role: "assistant", content: "re: one" },
      ]);
      expect(await later.load()).toEqual(messages);
      expect(later.messages).toEqual(messages);
      expect(agent.links).toHaveLength(1);
    });
  });

  test("13 from another folder is refused at once", async () => {
    await play({}, async ({ agent, client }) => {
      const from = { protocol: "acp", version: 1, cwd: "/", sessionId: "s" } as const;
      expect(() => client.conversation({ from })).toThrow("another folder");
      expect(agent.links).toEqual([]);
    });
  });

  test("13 of an unknown session is `context-lost`", async () => {
    const from = { protocol: "acp", version: 1, cwd: process.cwd(), sessionId: "gone" } as const;
    const mocks = [{}, { capabilities: without("resume") }];
    for (const mock of mocks) {
      await play({ mock, mistakes: ["unknown-session"] }, async ({ client }) => {
        const outcome = await client.conversation({ from }).prompt("go").outcome;
        expect(outcome).toMatchObject({ error: { code: "context-lost", delivery: "not-sent" } });
      });
    }
  });
});

test("13 two conversations run at once on one process, each with its own updates", async () => {
  let meet: () => void = () => {};
  const both = new Promise<void>((resolve) => {
    meet = resolve;
  });
  let begun = 0;
  const answer: MockAcpOptions["answer"] = async function* ({ text }) {
    if (++begun === 2) meet();
    await both;
    for (const letter of text) yield letter;
  };
  await play({ mock: { answer } }, async ({ agent, client }) => {
    const turns = [client.conversation().prompt("abc"), client.conversation().prompt("xyz")];
    expect(await Promise.all(turns.map(({ result }) => result.then(({ text }) => text)))).toEqual([
      "abc",
      "xyz",
    ]);
    expect(agent.links).toHaveLength(1);
    expect(new Set(agent.prompts.map(({ sessionId }) => sessionId)).size).toBe(2);
  });
});

describe("14 modes", () => {
  test.each(["documented", "gemini", "claude", "codex", "kimi", "qwen"] as const)(
    "14 `ask` picks a mode in which %s asks",
    async (profile) => {
      const answer = () => [acpStep.calls(acpTool.shell("rm x"))];
      const mock = {
        profile,
        answer,
        ...(profile === "gemini" || profile === "kimi" ? {} : { firstMode: "auto" as const }),
      } as const;
      await play({ mock }, async ({ agent, client, warnings }) => {
        await client.prompt("go").result;
        expect(agent.requests.flatMap(chosenBy)).toEqual(["reject_once"]);
        expect(warnings).toEqual(["tool-denied"]);
      });
    },
  );

  test.each(["copilot", "opencode"] as const)(
    "14 %s has no asking mode of a known name: a warning",
    async (profile) => {
      await play({ mock: { profile } }, async ({ client, warnings }) => {
        await client.prompt("go").result;
        expect(warnings).toEqual(["agent-decides"]);
      });
    },
  );

  test("14 `false` leaves the agent's own mode", async () => {
    const mock = { firstMode: "auto", answer: () => [acpStep.calls(acpTool.shell("rm x", "gone"))] } as const;
    await play({ mock, client: { mode: false } }, async ({ agent, client, warnings }) => {
      expect((await client.prompt("go").result).toolCalls).toMatchObject([{ state: "done", output: "gone" }]);
      expect([agent.requests, warnings]).toEqual([[], []]);
    });
  });

  test("14 a mode that the agent does not have fails the prompt before it is sent", async () => {
    await play({ client: { mode: "yolo" } }, async ({ agent, client }) => {
      const outcome = await client.prompt("go").outcome;
      expect(outcome).toMatchObject({
        status: "failed",
        error: { code: "invalid-input", delivery: "not-sent" },
      });
      expect((outcome as { error: Error }).error.message).toContain("`default`");
      expect(agent.prompts).toEqual([]);
    });
  });

  test.each(["documented", "claude", "qwen"] as const)(
    "14 a mode that %s leaves by itself is set back, with a warning",
    async (profile) => {
      const mock = { profile, modeChange: "agentDriven", answer: () => [acpStep.hang()] } as const;
      await play({ mock }, async ({ client, warnings }) => {
        const conversation = client.conversation();
        const modes: (string | undefined)[] = [];
        const isBack = new Promise<void>((resolve) => {
          client.on("session", ({ modes: told }) => {
            if (told?.current !== modes.at(-1)) modes.push(told?.current);
            if (modes.length > 1 && warnings.length > 0 && told?.current === "default") resolve();
          });
        });
        const turn = conversation.prompt("go");
        await isBack;
        await turn.cancel();
        expect(warnings).toEqual(["mode-changed"]);
        expect(modes.slice(-2)).toEqual(["auto", "default"]);
      });
    },
  );

  test("14 a mode that the agent does not give back ends the turn", async () => {
    const answer = function* () {
      for (let time = 0; time < 9; time++) yield acpStep.mode("auto");
      yield acpStep.hang();
    };
    await play({ mock: { answer }, isTimed: true }, async ({ client }) => {
      const outcome = await client.prompt("go").outcome;
      expect(outcome).toMatchObject({
        status: "failed",
        error: { code: "turn-failed", kind: "mode_changed" },
      });
    });
  });

  test("14 a mode is set again when the session is continued", async () => {
    await play({ mock: { answer: dies, firstMode: "auto" } }, async (world) => {
      const conversation = await broken(world);
      await conversation.prompt("two").result;
      expect(methodsOf(world).filter((method) => method === "session/set_mode")).toHaveLength(2);
    });
  });
});

describe("14 models and options", () => {
  test.each(["configOptions", "legacy", "both"] as const)(
    "14 models by %s are told and set",
    async (models) => {
      await play({ mock: { models } }, async ({ client }) => {
        const conversation = client.conversation();
        const { models: told } = await conversation.open();
        expect(told).toMatchObject({
          current: "mock-model",
          available: [{ id: "mock-model" }, { id: "mock-model-large" }],
        });
        await conversation.setModel("mock-model-large");
        expect(conversation.session?.models?.current).toBe("mock-model-large");
        await expect(conversation.setModel("no-such")).rejects.toMatchObject({ code: "invalid-input" });
      });
    },
  );

  test.each(["configOptions", "legacy", "both"] as const)(
    "14 a chat shows the modes and models before its first prompt, and sets them: models by %s",
    async (models) => {
      const agent = new MockAcpAgent({ models });
      const chat = createChat(acp({ createStream: () => agent.connect() }));
      chat.connect();
      const { modes } = await until(chat, (snapshot) => snapshot.modes !== null && snapshot.models !== null);
      const other = modes?.available.find(({ id }) => id !== modes.current)?.id ?? "";
      expect(await chat.setMode(other)).toEqual({ ok: true });
      expect(await chat.setModel("mock-model-large")).toEqual({ ok: true });
      const chosen = { modes: { current: other }, models: { current: "mock-model-large" } };
      expect(chat.getSnapshot()).toMatchObject(chosen);
      chat.send("go");
      await until(chat, ({ messages, busy }) => messages.length === 2 && !busy);
      expect(chat.getSnapshot()).toMatchObject(chosen);
      expect(await chat.setModel("no-such")).toMatchObject({ ok: false, error: { code: "invalid-input" } });
      await chat.close();
      await agent.stop();
      expect(agent.violations).toEqual([]);
    },
  );

  test("14 an agent without models says so", async () => {
    await play({ mock: { models: "none" } }, async ({ client }) => {
      const conversation = client.conversation();
      expect((await conversation.open()).models).toBeUndefined();
      await expect(conversation.setModel("mock-model")).rejects.toMatchObject({ code: "invalid-input" });
    });
  });

  test("14 a mode or an option that the agent does not have is refused, and nothing is sent", async () => {
    await play({}, async (world) => {
      const conversation = world.client.conversation();
      await conversation.open();
      await expect(conversation.setMode("yolo")).rejects.toMatchObject({ code: "invalid-input" });
      await expect(conversation.setOption("colour", "red")).rejects.toMatchObject({ code: "invalid-input" });
      await expect(conversation.setOption("model", "no-such")).rejects.toMatchObject({
        code: "invalid-input",
      });
      await expect(conversation.setOption("model", true)).rejects.toMatchObject({ code: "invalid-input" });
      expect(methodsOf(world)).toEqual(["initialize", "session/new"]);
      await conversation.setOption("model", "mock-model-large");
      expect(conversation.session?.models?.current).toBe("mock-model-large");
    });
  });
});

describe("14 what an agent says beside its answer", () => {
  test("14 commands, title, plan, notice, compaction and context are told, and are no text", async () => {
    const answer = () => [
      acpStep.commands("compact", "review"),
      acpStep.title("A talk"),
      acpStep.plan({ content: "look" }, { content: "write" }),
      acpStep.notice("Careful", { severity: "warning" }),
      acpStep.compaction("in_progress"),
      acpStep.compaction("completed", "in short"),
      acpStep.context(10, 100, { amount: 0.25, currency: "USD" }),
      "fine",
    ];
    await play({ mock: { answer } }, async ({ client, events }) => {
      const conversation = client.conversation();
      const result = await conversation.prompt("go").result;
      expect(result).toMatchObject({
        text: "fine",
        plan: [{ content: "look" }, { content: "write" }],
        cost: { amount: 0.25, unit: "USD" },
      });
      expect(conversation.session).toMatchObject({
        title: "A talk",
        context: { used: 10, size: 100 },
        commands: [{ name: "compact" }, { name: "review" }],
      });
      const labels = events.flatMap(({ type, data }) =>
        type === "item.completed" && "item" in data
          ? data.item.content.flatMap((part) => (part.type === "status" ? [part.label] : []))
          : [],
      );
      expect(labels).toEqual(expect.arrayContaining(["commands", "title", "plan", "notice", "compaction"]));
      const ended = events.find(({ type }) => type === "turn.ended");
      expect(ended?.data).toMatchObject({
        metadata: {
          usage: { context_tokens: 10, context_window: 100 },
          cost: { total: 0.25, currency: "USD" },
        },
      });
    });
  });

  test("14 cost is that of the turn, where the agent counts the session's", async () => {
    await play({ mock: { profile: "claude" } }, async ({ client }) => {
      const conversation = client.conversation();
      const costs = [await conversation.prompt("one").result, await conversation.prompt("two").result].map(
        ({ cost }) => cost?.amount,
      );
      expect(costs).toEqual([0.01, 0.01]);
    });
  });

  test.each([
    ["documented", "perTurn", 20],
    ["copilot", "cumulative", 20],
    ["gemini", "meta", 20],
    ["qwen", "meta", 20],
    ["kimi", "none", undefined],
  ] as const)("14 usage of %s, %s, is that of the turn", async (profile, usage, tokens) => {
    await play({ mock: { profile, usage }, client: NO_MODE }, async ({ client }) => {
      const conversation = client.conversation();
      const both = [await conversation.prompt("one").result, await conversation.prompt("two").result];
      expect(both.map((result) => result.usage?.inputTokens)).toEqual([tokens, tokens]);
    });
  });
});

const NO_MODE: Partial<AcpOptions> = { mode: false };
