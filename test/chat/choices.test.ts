import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { acp } from "agentwire/acp";
import { type Chat, createChat, memoryStore } from "agentwire/chat";
import { codebuffRun } from "agentwire/codebuff-run";
import { MockAgent, MockCodebuffBackend } from "agentwire/testing";
import { checkTranscript, type UniversalEvent } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { ScriptedAgent } from "../acp/support/agent.ts";
import { folderWorld } from "../codebuff-run/tools/tools-world.ts";
import { AGENT } from "../codebuff-run/world.ts";
import { FakeSource } from "../helpers/fake-source.ts";

// The mode, the model, and files for prompts.

const MODES = {
  current: "ask",
  available: [
    { id: "ask", name: "Ask" },
    { id: "auto", name: "Auto", description: "Asks nobody" },
  ],
};
const MODELS = { current: "small", available: ["small", "big"].map((id) => ({ id, name: id })) };

/** Resolves once a snapshot fits. */
async function until(chat: Chat, fits: () => boolean): Promise<void> {
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (!fits()) return;
      off();
      resolve();
    };
    const off = chat.subscribe(look);
    look();
  });
}

async function ask(chat: Chat, text: string): Promise<void> {
  const sent = chat.send(text);
  if (!sent.ok) throw sent.error;
  await until(chat, () => !chat.getSnapshot().busy);
}

const unsupported = { ok: false, error: { code: "unsupported", hint: expect.stringMatching(/\w/) } };

describe("setMode and setModel", () => {
  test("set them, and the snapshot and the events say so", async () => {
    const agent = new MockAgent({ modes: MODES, models: MODELS });
    await using chat = createChat(agent);
    const events: UniversalEvent[] = [];
    chat.on("event", (event) => events.push(event));
    expect(chat.getSnapshot()).toMatchObject({
      modes: null,
      models: null,
      capabilities: { modes: true, models: true },
    });
    expect(await chat.setMode("auto")).toEqual({ ok: true });
    expect(chat.getSnapshot()).toMatchObject({ modes: { ...MODES, current: "auto" }, models: MODELS });
    await ask(chat, "Hello");
    expect(events[0]).toMatchObject({ type: "session.started", data: { metadata: { modes: MODES } } });
    expect(events[2]).toMatchObject({ data: { item: { content: [{ label: "mode", detail: "auto" }, {}] } } });
    expect(await chat.setModel("big")).toEqual({ ok: true });
    expect(chat.getSnapshot()).toMatchObject({ models: { current: "big" }, problem: undefined });
    expect([agent.modes?.current, agent.models?.current]).toEqual(["auto", "big"]);
    expect(events.at(-1)).toMatchObject({
      type: "item.completed",
      data: { item: { content: [{ label: "model", detail: "big" }, { type: "json" }] } },
    });
    expect(checkTranscript(events, { live: true })).toEqual([]);
  });

  test("`connect` says the modes and models before the first prompt", async () => {
    await using chat = createChat(new MockAgent({ modes: MODES, models: MODELS }));
    chat.connect();
    await until(chat, () => chat.getSnapshot().modes !== null);
    expect(chat.getSnapshot()).toMatchObject({ modes: MODES, models: MODELS, messages: { length: 0 } });
  });

  test("an unknown id, and one that is no text, are `invalid-input`, and the snapshot shows the problem", async () => {
    const agent = new MockAgent({ modes: MODES });
    await using chat = createChat(agent);
    for (const id of ["yolo", "", 5, undefined] as string[]) {
      const result = await chat.setMode(id);
      expect(result).toMatchObject({ ok: false, error: { code: "invalid-input" } });
      expect(chat.getSnapshot().problem?.error).toBe(result.ok ? undefined : result.error);
    }
    expect(agent.modes?.current).toBe("ask");
    expect(await chat.setMode("auto")).toEqual({ ok: true });
    expect(chat.getSnapshot().problem).toBeUndefined();
  });

  test("a backend without them says `unsupported`, and connects nothing", async () => {
    const agent = new MockAgent({ models: MODELS });
    await using chat = createChat(agent);
    expect(chat.getSnapshot().capabilities).toMatchObject({ modes: false, models: true, files: false });
    expect(await chat.setMode("auto")).toMatchObject(unsupported);
    expect(agent.attempts).toBe(0);
  });

  test("a source that names the capability without the function says `unsupported`", async () => {
    await using chat = createChat(new FakeSource({ capabilities: { modes: true, files: true } }));
    expect(await chat.setMode("auto")).toMatchObject(unsupported);
    expect(await chat.files("a")).toMatchObject(unsupported);
  });

  test("a chat that loads, has lost its context, or is closed refuses", async () => {
    const agent = new MockAgent({ modes: MODES, capabilities: { survivesReconnect: false } });
    const loading = createChat(agent, { store: memoryStore(), id: "c" });
    expect(await loading.setMode("auto")).toMatchObject({
      error: { message: expect.stringContaining("loading") },
    });
    await loading.close();
    expect(await loading.setMode("auto")).toMatchObject({ error: { code: "closed" } });
    await using chat = createChat(agent);
    await ask(chat, "Hello");
    agent.disconnect();
    await until(chat, () => chat.getSnapshot().connection.contextLost);
    expect(await chat.setMode("auto")).toMatchObject({
      error: { message: expect.stringContaining("resume") },
    });
    chat.resume("without-context");
    expect(await chat.setMode("auto")).toEqual({ ok: true });
  });

  test("a connection that fails is the result", async () => {
    await using chat = createChat(new MockAgent({ modes: MODES, refuseConnect: true, reconnect: false }));
    expect(await chat.setMode("auto")).toMatchObject({ ok: false, error: { code: expect.any(String) } });
  });
});

describe("on an ACP agent", () => {
  const session = {
    modes: { currentModeId: "ask", availableModes: MODES.available },
    models: {
      currentModelId: "small",
      availableModels: MODELS.available.map(({ id, name }) => ({ modelId: id, name })),
    },
  };
  const chatWith = (agent: ScriptedAgent): Chat =>
    createChat(acp({ createStream: agent.createStream, mode: false }));

  test("the mode and the model are set by the protocol's requests, before and between prompts", async () => {
    const agent = new ScriptedAgent({ session });
    await using chat = chatWith(agent);
    expect(await chat.setMode("auto")).toEqual({ ok: true });
    expect(chat.getSnapshot()).toMatchObject({ modes: { current: "auto" }, models: { current: "small" } });
    await ask(chat, "Hello");
    expect(chat.getSnapshot().modes?.current).toBe("auto");
    expect(await chat.setModel("big")).toEqual({ ok: true });
    expect(chat.getSnapshot().models?.current).toBe("big");
    expect(
      agent.heard.filter(({ method }) => method?.startsWith("session/set_")).map(({ params }) => params),
    ).toEqual([
      { sessionId: "s1", modeId: "auto" },
      { sessionId: "s1", modelId: "big" },
    ]);
    expect(agent.methods().filter((method) => method === "session/new")).toHaveLength(1);
  });

  test("`connect` opens the session, and later commands are shown before the first prompt", async () => {
    const agent = new ScriptedAgent({ session });
    await using chat = chatWith(agent);
    chat.connect();
    await until(chat, () => chat.getSnapshot().modes !== null);
    agent.update("s1", {
      sessionUpdate: "available_commands_update",
      availableCommands: [{ name: "plan", description: "Plans" }],
    });
    await until(chat, () => chat.getSnapshot().commands !== null);
    expect(chat.getSnapshot()).toMatchObject({
      modes: MODES,
      models: MODELS,
      commands: [{ name: "plan", description: "Plans" }],
    });
    await ask(chat, "Hello");
    expect(agent.methods()).toEqual(["initialize", "session/new", "session/prompt"]);
  });

  test("a mode that the agent sets during a turn is shown at once", async () => {
    const agent = new ScriptedAgent({
      session,
      script: async ({ update, say, cancelled }) => {
        update({ sessionUpdate: "current_mode_update", currentModeId: "auto" });
        say("Working");
        await cancelled;
        return { stopReason: "cancelled" };
      },
    });
    await using chat = chatWith(agent);
    chat.send("Hello");
    await until(chat, () => chat.getSnapshot().modes?.current === "auto");
    expect(chat.getSnapshot().busy).toBe(true);
  });

  test("an agent without modes, an unknown mode and a refusal are typed results", async () => {
    await using none = chatWith(new ScriptedAgent());
    expect(await none.setMode("auto")).toMatchObject({ ok: false, error: { code: "invalid-input" } });
    expect(await none.setModel("big")).toMatchObject({ ok: false, error: { code: "invalid-input" } });
    const refuses = (): never => {
      throw Object.assign(new Error("not in this folder"), { code: -32603 });
    };
    await using chat = chatWith(new ScriptedAgent({ session, answers: { "session/set_mode": refuses } }));
    expect(await chat.setMode("yolo")).toMatchObject({ error: { code: "invalid-input" } });
    expect(await chat.setMode("auto")).toMatchObject({
      error: { code: "request-refused", message: expect.stringContaining("not in this folder") },
    });
    expect(chat.getSnapshot().modes?.current).not.toBe("auto");
  });
});

describe("files", () => {
  test("are listed for a completion, and sent, shown, saved and retried with a prompt", async () => {
    await using folder = await folderWorld({ "src/a.ts": "let a;", "b.md": "# B" });
    const agent = new MockAgent({ files: folder.tools });
    const store = memoryStore();
    await using chat = createChat(agent, { store, id: "c" });
    expect(await chat.files("a")).toEqual({ ok: true, paths: ["src/a.ts"], more: false });
    await until(chat, () => !chat.getSnapshot().loading);
    const sent = chat.send({ text: "Compare", files: ["src/a.ts", "b.md"] });
    const parts = [
      { type: "text", text: "Compare" },
      { type: "file", path: "src/a.ts", mediaType: null, action: "read" },
      { type: "file", path: "b.md", action: "read" },
    ];
    const shown = (): unknown => chat.getSnapshot().messages.at(0)?.parts.toArray();
    expect(shown()).toMatchObject(parts);
    await until(chat, () => !chat.getSnapshot().busy);
    expect(shown()).toMatchObject(parts);
    expect(agent.prompts[0]?.files).toMatchObject([{ path: "src/a.ts", text: "let a;" }, { path: "b.md" }]);
    expect(checkTranscript(await store.load("c"))).toEqual([]);
    chat.retry(sent.ok ? sent.id : "");
    await until(chat, () => !chat.getSnapshot().busy);
    expect(agent.prompts[1]?.files).toMatchObject([{ path: "src/a.ts" }, { path: "b.md" }]);
    const again = createChat(agent, { from: JSON.parse(JSON.stringify(chat.getSnapshot().saved)) });
    expect(again.getSnapshot().messages.at(0)?.parts.toArray()).toMatchObject(parts);
    await again.close();
  });

  test("that wait in the queue are in `input`, and can be edited", async () => {
    await using folder = await folderWorld({ "a.ts": "" });
    const agent = new MockAgent({ files: folder.tools, script: () => ["..."] });
    await using chat = createChat(agent);
    chat.send("First");
    const { id } = chat.send({ text: "Second", files: ["a.ts"] });
    expect(chat.getSnapshot().queue).toMatchObject([{ input: { text: "Second", files: ["a.ts"] } }]);
    chat.editQueued(id ?? "", "Other");
    expect(chat.getSnapshot().queue).toMatchObject([{ input: "Other" }]);
    await until(chat, () => !chat.getSnapshot().busy && chat.getSnapshot().queue.length === 0);
    expect(agent.prompts.map(({ text, files }) => [text, files.length])).toEqual([
      ["First", 0],
      ["Other", 0],
    ]);
  });

  test("that may not be read fail the prompt's message in words, and nothing is sent", async () => {
    await using folder = await folderWorld({ ".env": "KEY=1" });
    const agent = new MockAgent({ files: folder.tools });
    await using chat = createChat(agent);
    chat.send({ text: "Read it", files: [".env"] });
    await until(chat, () => chat.getSnapshot().messages.at(0)?.status === "failed");
    expect(chat.getSnapshot().messages.at(0)?.error?.detail).toContain(".env");
    expect(agent.prompts).toEqual([]);
    await ask(chat, "Go on");
    expect(agent.prompts).toHaveLength(1);
  });

  test("are refused at once where the backend has no folder", async () => {
    const agent = new MockAgent();
    await using chat = createChat(agent);
    expect(await chat.files("a")).toMatchObject(unsupported);
    expect(chat.send({ text: "Read it", files: ["a.ts"] })).toMatchObject(unsupported);
    expect(chat.getSnapshot().messages.length).toBe(0);
    expect(agent.attempts).toBe(0);
  });

  test("an aborted search has no paths, wrong input is a result, and no problem is shown", async () => {
    await using folder = await folderWorld({ "a.ts": "" });
    await using chat = createChat(new MockAgent({ files: folder.tools }));
    expect(await chat.files("a", { signal: AbortSignal.abort() })).toEqual({
      ok: true,
      paths: [],
      more: true,
    });
    for (const [prefix, options] of [[5], ["a", { signal: 5 }], ["a", { sginal: undefined }], ["a", null]])
      expect(await Reflect.apply(chat.files, chat, [prefix, options])).toMatchObject({
        ok: false,
        error: { code: "invalid-input" },
      });
    expect(chat.getSnapshot().problem).toBeUndefined();
  });

  test("of a run go to the model through the chat", async () => {
    await using folder = await folderWorld({});
    await writeFile(join(folder.root, "a\u001b[31m.ts"), "let a;");
    await using backend = await MockCodebuffBackend.start({});
    const options = { apiKey: backend.apiKey, baseUrl: backend.url, agent: AGENT, files: folder.tools };
    await using chat = createChat(codebuffRun(options));
    const listed = await chat.files("a");
    expect(listed).toMatchObject({ ok: true, paths: ["a\u001b[31m.ts"] });
    chat.send({ text: "Look", files: listed.ok ? listed.paths : [] });
    await until(chat, () => !chat.getSnapshot().busy);
    expect(JSON.stringify(backend.requests({ endpoint: "chat" })[0]?.body)).toContain("let a;");
  });
});
