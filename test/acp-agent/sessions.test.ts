import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type AcpAgentSession, type AcpAgentSourceOf, acpAgent } from "agentwire/acp/agent";
import { type ChatStore, createChat, memoryStore } from "agentwire/chat";
import { directoryStore } from "agentwire/chat/node";
import { agentStep, ManualClock, MockAgent } from "agentwire/testing";
import { checkTranscript } from "agentwire/universal";
import { expect, test } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { loadAgentSdk } from "../../src/acp-agent/peer.ts";
import { choose, EditorWorld, EVERYTHING, play, streamPair, until } from "./support.ts";

const { tool } = agentStep;
const again = (sessionId: string, cwd = "/project") => ({ sessionId, cwd, mcpServers: [] });

test("`initialize` offers what there is: load, list, resume, close, images and embedded texts", () =>
  play({ options: { name: "mine", title: "Mine", version: "2" } }, async ({ world }) => {
    expect(await world.initialize()).toEqual({
      protocolVersion: 1,
      agentInfo: { name: "mine", title: "Mine", version: "2" },
      authMethods: [],
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, additionalDirectories: {} },
      },
    });
  }));

test("`images: false` is what `initialize` says", () =>
  play({ options: { images: false } }, async ({ world }) => {
    const { agentCapabilities } = await world.initialize();
    expect(agentCapabilities?.promptCapabilities?.image).toBe(false);
  }));

test("the source of a session learns its id, folders, MCP servers and client", async () => {
  const sessions: AcpAgentSession[] = [];
  const mock = new MockAgent();
  const [mine, theirs] = streamPair();
  const server = acpAgent(async (session) => {
    sessions.push(session);
    return mock;
  });
  const connection = await server.connect(theirs);
  const world = new EditorWorld(mine, {});
  await world.initialize();
  const { sessionId } = await world.agent.request("session/new", {
    cwd: "/project",
    additionalDirectories: ["/more"],
    mcpServers: [{ name: "tools", command: "/bin/tools", args: ["-v"], env: [{ name: "KEY", value: "1" }] }],
  });
  expect(sessions).toEqual([
    {
      id: sessionId,
      cwd: "/project",
      additionalDirectories: ["/more"],
      mcpServers: [{ name: "tools", command: "/bin/tools", args: ["-v"], env: { KEY: "1" } }],
      client: {
        name: "editor",
        version: "1",
        capabilities: expect.objectContaining({ session: EVERYTHING.session }),
      },
    },
  ]);
  await connection.close();
});

test("`session/load` replays all messages before its response, and the session goes on live", () =>
  play(
    {
      mock: {
        script: [
          [
            agentStep.reasoning("Hm."),
            "Look. ",
            tool({ name: "ls", kind: "read", title: "List", output: "a.txt", streams: ["a", ".txt"] }),
            tool({ name: "rm", error: "no" }),
            agentStep.subagent({
              type: "picker",
              name: "Picker",
              steps: ["Found.", tool({ name: "cat", output: "b" })],
            }),
            agentStep.image("data:image/png;base64,AAAA"),
            agentStep.plan([{ content: "Look", status: "completed" }]),
            agentStep.notice("Slow."),
            agentStep.compaction("completed", "They talked."),
            "Done.",
          ],
          [agentStep.fail("broken")],
          ["Live."],
        ],
      },
    },
    async ({ world, id, join }) => {
      await world.prompt(id, [
        { type: "text", text: "hi" },
        { type: "image", data: "AAAA", mimeType: "image/png" },
      ]);
      await world.prompt(id, "again").catch(() => {});
      await world.agent.request("session/close", { sessionId: id });
      const other = await join();
      let isAnswered = false;
      const loaded = other.agent.request("session/load", again(id)).then((response) => {
        isAnswered = true;
        return response;
      });
      await other.until((all) => all.updates.length > 0);
      expect(isAnswered).toBe(false);
      expect(await loaded).toEqual({});
      const chunks = (kind: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk") =>
        other.of(kind).map(({ content }) => content);
      expect(chunks("user_message_chunk")).toEqual([
        { type: "text", text: "hi" },
        { type: "image", data: "AAAA", mimeType: "image/png" },
        { type: "text", text: "again" },
      ]);
      expect(chunks("agent_thought_chunk")).toEqual([{ type: "text", text: "Hm." }]);
      expect(chunks("agent_message_chunk")).toEqual([
        { type: "text", text: "Look. " },
        { type: "image", data: "AAAA", mimeType: "image/png" },
        { type: "text", text: "Done." },
      ]);
      expect(other.of("tool_call")).toMatchObject([
        { name: "ls", title: "List", kind: "read" },
        { name: "rm" },
        { title: "Picker", kind: "other" },
        { name: "cat" },
      ]);
      const ends = other.of("tool_call_update").map(({ status, content }) => [status, content]);
      expect(ends).toMatchObject([
        ["completed", [{ content: { text: "a.txt" } }]],
        ["failed", [{ content: { text: expect.stringContaining("no") } }]],
        ["completed", [{ content: { text: "b" } }]],
        ["completed", [{ content: { text: "Found." } }]],
      ]);
      expect(other.of("plan")).toHaveLength(1);
      expect(other.of("compaction_update")).toMatchObject([{ status: "completed" }]);
      expect(other.of("notice").map(({ title }) => title)).toEqual(["Slow.", expect.any(String)]);
      const before = other.updates.length;
      expect(await other.prompt(id, "third")).toEqual({ stopReason: "end_turn" });
      expect(other.updates.slice(before)).toMatchObject([
        { sessionUpdate: "agent_message_chunk", content: { text: "Live." } },
      ]);
      const ids = other.of("agent_message_chunk").map(({ messageId }) => messageId);
      expect(new Set(ids).size).toBe(4);
    },
  ));

test("`session/load` of the client's own open session replays it, and keeps the backend's conversation", () =>
  play({ mock: { script: ({ messages }) => [`${messages.length}`] } }, async ({ world, id, mock }) => {
    await world.prompt(id, "hi");
    await world.agent.request("session/load", again(id));
    await world.prompt(id, "again");
    expect(world.text).toBe("002");
    expect(mock.clients).toHaveLength(1);
  }));

test("`session/resume` replays nothing, and the session goes on", () =>
  play({ mock: { script: ["One.", "Two."] } }, async ({ world, id, join }) => {
    await world.prompt(id, "hi");
    await world.agent.request("session/close", { sessionId: id });
    const other = await join();
    expect(await other.agent.request("session/resume", again(id))).toEqual({});
    expect(other.updates).toEqual([]);
    await other.prompt(id, "again");
    expect(other.text).toBe("Two.");
  }));

test("`session/list` has the newest session first, with folder, title and time, for one folder if asked", () => {
  const clock = new ManualClock();
  const script = ["One.", [agentStep.status("title", "Called")]];
  return play({ mock: { script }, options: { clock } }, async ({ world, id }) => {
    await clock.advance(1);
    const elsewhere = await world.open("/elsewhere");
    await world.prompt(id, "  What\n is   this? ");
    await world.prompt(elsewhere, "x");
    const { sessions } = await world.agent.request("session/list", {});
    expect(sessions).toEqual([
      { sessionId: elsewhere, cwd: "/elsewhere", title: "Called", updatedAt: expect.any(String) },
      { sessionId: id, cwd: "/project", title: "What is this?", updatedAt: expect.any(String) },
    ]);
    const some = await world.agent.request("session/list", { cwd: "/project" });
    expect(some.sessions.map(({ sessionId }) => sessionId)).toEqual([id]);
  });
});

test("`session/list` gives pages, each session once", () =>
  play({}, async ({ world, id }) => {
    const ids = [id];
    for (let count = 0; count < 120; count++) {
      const next = await world.open();
      ids.push(next);
      await world.agent.request("session/close", { sessionId: next });
    }
    const found: string[] = [];
    let cursor: string | null | undefined;
    let pages = 0;
    do {
      const page = await world.agent.request("session/list", cursor ? { cursor } : {});
      found.push(...page.sessions.map(({ sessionId }) => sessionId));
      cursor = page.nextCursor;
      pages++;
    } while (cursor);
    expect(pages).toBe(3);
    expect(found.toSorted()).toEqual(ids.toSorted());
  }));

test("a chat of another program in the store is not listed, and can be loaded by its id", async () => {
  const store = memoryStore();
  const mock = new MockAgent({ script: ["Old.", "New."] });
  const chat = createChat(mock, { store, id: "theirs" });
  chat.send("before");
  await mock.waitFor(({ prompts }) => prompts.length === 1);
  await until(chat, ({ getSnapshot }) => !getSnapshot().busy);
  await chat.close();
  await play({ options: { store }, source: () => mock }, async ({ world, id }) => {
    const { sessions } = await world.agent.request("session/list", {});
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual([id]);
    await world.agent.request("session/load", again("theirs"));
    expect(world.text).toBe("Old.");
    await world.prompt("theirs", "after");
    expect(world.text).toBe("Old.New.");
  });
});

test("the stored events of a session have no fault", async () => {
  const store = memoryStore();
  await play({ options: { store } }, async ({ world, id }) => void (await world.prompt(id, "hi")));
  const [id = ""] = await store.list();
  const events = await store.load(id);
  for (const session of new Set(events.map(({ session_id }) => session_id)))
    expect(checkTranscript(events.filter(({ session_id }) => session_id === session))).toEqual([]);
});

test("a prompt that an earlier program has left in the queue is not sent with the next one", async () => {
  const store = memoryStore();
  const mock = new MockAgent({ script: ({ text }) => [text] });
  const chat = createChat(new MockAgent({ script: [[agentStep.hang()]] }), { store, id: "left" });
  chat.send("first");
  chat.send("left behind");
  await until(chat, ({ getSnapshot }) => getSnapshot().queue.length === 1 && getSnapshot().busy);
  await chat.close();
  await play({ options: { store }, source: () => mock }, async ({ world }) => {
    await world.agent.request("session/resume", again("left"));
    await world.prompt("left", "mine");
    expect(mock.prompts).toHaveLength(1);
    expect(mock.prompts[0]?.text).toContain("mine");
  });
});

const UNKNOWN = { code: -32_002, data: { sessionId: "nobody" } };

test("an unknown session is the error -32002 everywhere", () =>
  play({}, async ({ world }) => {
    await expect(world.prompt("nobody", "hi")).rejects.toMatchObject(UNKNOWN);
    for (const method of ["session/load", "session/resume"] as const)
      await expect(world.agent.request(method, again("nobody"))).rejects.toMatchObject(UNKNOWN);
    await expect(world.agent.request("session/load", again("../../etc/passwd"))).rejects.toMatchObject({
      code: -32_002,
    });
    // The SDK's client takes this one for a success: the session is closed.
    expect(await world.agent.request("session/close", { sessionId: "nobody" })).toEqual({});
  }));

test("a second prompt in a session is refused, and the first one goes on", () =>
  play({ mock: { script: [["One ", agentStep.wait("more"), "two."]] } }, async ({ world, id, mock }) => {
    const first = world.prompt(id, "hi");
    await world.until(({ text }) => text !== "");
    await expect(world.prompt(id, "again")).rejects.toMatchObject({
      code: -32_602,
      message: "A prompt runs in this session. Wait for its response, or cancel it.",
    });
    mock.release("more");
    expect(await first).toEqual({ stopReason: "end_turn" });
    expect(world.text).toBe("One two.");
    expect(mock.prompts).toHaveLength(1);
  }));

test("`session/load` and `resume` during a prompt are refused, and the prompt goes on", () =>
  play({ mock: { script: [["One ", agentStep.wait("more"), "two."]] } }, async ({ world, id, mock }) => {
    const first = world.prompt(id, "hi");
    await world.until(({ text }) => text !== "");
    for (const method of ["session/load", "session/resume"] as const)
      await expect(world.agent.request(method, again(id))).rejects.toMatchObject({ code: -32_602 });
    mock.release("more");
    expect(await first).toEqual({ stopReason: "end_turn" });
    expect(world.of("user_message_chunk")).toEqual([]);
  }));

test("a session that another connection has open is refused, until that connection is gone", () =>
  play({ mock: { script: ["One."] } }, async ({ world, id, join, connection }) => {
    await world.prompt(id, "hi");
    const other = await join();
    await expect(other.prompt(id, "hi")).rejects.toMatchObject({ code: -32_002 });
    await expect(other.agent.request("session/load", again(id))).rejects.toMatchObject({ code: -32_602 });
    await connection.close();
    await other.agent.request("session/load", again(id));
    expect(other.text).toBe("One.");
  }));

test("sessions of one connection and of two run side by side", () =>
  play(
    { mock: { script: ({ text }) => [agentStep.wait(text), text] } },
    async ({ world, id, mock, join }) => {
      const other = await join();
      const ids = [await world.open(), await other.open()] as const;
      const prompts = [world.prompt(id, "a"), world.prompt(ids[0], "b"), other.prompt(ids[1], "c")];
      await mock.waitFor((all) => all.prompts.length === 3);
      for (const gate of ["c", "b", "a"]) mock.release(gate);
      expect(await Promise.all(prompts)).toEqual(Array(3).fill({ stopReason: "end_turn" }));
      expect([world.text.length, other.text]).toEqual([2, "c"]);
    },
  ));

test("`maxSessions` refuses one more, and a close makes room", () =>
  play({ options: { maxSessions: 2 } }, async ({ world, id }) => {
    await world.open();
    await expect(world.open()).rejects.toMatchObject({
      code: -32_603,
      message: expect.stringContaining("limit"),
    });
    await world.agent.request("session/close", { sessionId: id });
    await world.open();
  }));

test("a relative folder and an MCP server over HTTP are the error -32602", () =>
  play({}, async ({ world }) => {
    await expect(world.open("project")).rejects.toMatchObject({ code: -32_602 });
    const mcpServers = [{ type: "http" as const, name: "far", url: "https://a.example", headers: [] }];
    await expect(world.agent.request("session/new", { cwd: "/project", mcpServers })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining("far"),
    });
  }));

test("content that no chat takes is the error -32602, and nothing is sent", () =>
  play({ mock: { capabilities: { images: false } } }, async ({ world, id, mock }) => {
    const refused = (block: Parameters<typeof world.prompt>[1]) =>
      expect(world.prompt(id, block)).rejects.toMatchObject({
        code: -32_602,
        message: expect.stringMatching(/\w/),
      });
    await refused(" \n");
    await refused([]);
    await refused([{ type: "audio", data: "AAAA", mimeType: "audio/wav" }]);
    await refused([
      { type: "text", text: "see" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
    ]);
    await refused([
      { type: "text", text: "see" },
      { type: "resource", resource: { uri: "file:///a", blob: "AAAA" } },
    ]);
    expect(mock.prompts).toEqual([]);
  }));

test("`session/set_mode` sets the mode, which the client is told, and offers when the session is opened again", () => {
  const modes = {
    current: "ask",
    available: [
      { id: "ask", name: "Ask" },
      { id: "auto", name: "Auto" },
    ],
  };
  return play({ mock: { modes } }, async ({ world, id, mock }) => {
    await world.prompt(id, "hi");
    const set = (modeId: string) => world.agent.request("session/set_mode", { sessionId: id, modeId });
    expect(await set("auto")).toEqual({});
    expect(mock.modes?.current).toBe("auto");
    await until(world, () => world.of("current_mode_update").at(-1)?.currentModeId === "auto");
    await expect(set("yolo")).rejects.toMatchObject({ code: -32_602 });
    expect(await world.agent.request("session/resume", again(id))).toMatchObject({
      modes: { currentModeId: "auto", availableModes: modes.available },
    });
    await expect(
      world.agent.request("session/set_mode", { sessionId: "other", modeId: "ask" }),
    ).rejects.toMatchObject({ code: -32_002 });
  });
});

test("what a source cannot do is the error -32601: to set a mode, a model or an option, to delete, to sign in", () =>
  play({}, async ({ world, id }) => {
    const wire = world.agent as { request(method: string, params: object): Promise<unknown> };
    for (const [method, params] of [
      ["session/set_mode", { sessionId: id, modeId: "ask" }],
      ["session/set_model", { sessionId: id, modelId: "big" }],
      ["session/set_config_option", { sessionId: id, configId: "model", value: "big" }],
      ["session/delete", { sessionId: id }],
      ["authenticate", { methodId: "key" }],
    ] as const)
      await expect(wire.request(method, params)).rejects.toMatchObject({ code: -32_601 });
    expect(await world.prompt(id, "hi")).toEqual({ stopReason: "end_turn" });
  }));

test("links and embedded texts of a prompt become text in their place, images stay images", () =>
  play({}, async ({ world, id, mock }) => {
    await world.prompt(id, [
      { type: "text", text: "Compare " },
      { type: "resource_link", name: "a.ts", uri: "file:///project/a.ts" },
      { type: "text", text: " with" },
      { type: "resource", resource: { uri: "file:///project/b.ts", text: "let b;" } },
      { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
    ]);
    expect(mock.prompts).toMatchObject([
      {
        text: 'Compare [a.ts](file:///project/a.ts) with\n<resource uri="file:///project/b.ts">\nlet b;\n</resource>\n',
        images: [{ mediaType: "image/png" }],
      },
    ]);
  }));

test("a source that cannot be made is the error -32603 with its words, and the next session works", async () => {
  let fails = true;
  const mock = new MockAgent();
  const source = () => {
    if (!fails) return mock;
    fails = false;
    throw new Error("no project is open");
  };
  const server = acpAgent(source);
  const [mine, theirs] = streamPair();
  const connection = await server.connect(theirs);
  const world = new EditorWorld(mine, {});
  await world.initialize();
  await expect(world.open()).rejects.toMatchObject({ code: -32_603, message: "no project is open" });
  const sessionId = await world.open();
  expect(await world.prompt(sessionId, "hi")).toEqual({ stopReason: "end_turn" });
  const { sessions } = await world.agent.request("session/list", {});
  expect(sessions.map((session) => session.sessionId)).toEqual([sessionId]);
  await connection.close();
});

test("a value that is no source is the error -32603, and no session", async () => {
  const [mine, theirs] = streamPair();
  const connection = await acpAgent((() => 3) as never).connect(theirs);
  const world = new EditorWorld(mine, {});
  await world.initialize();
  await expect(world.open()).rejects.toMatchObject({ code: -32_603, data: { code: "invalid-input" } });
  expect(await world.agent.request("session/list", {})).toEqual({ sessions: [] });
  await connection.close();
});

test("a store that fails is the error -32603, and the next call works", async () => {
  const inner = memoryStore();
  let broken = true;
  const store: ChatStore = {
    load: (id) => (broken ? Promise.reject(new Error("the disk is full")) : inner.load(id)),
    append: (id, events) =>
      broken ? Promise.reject(new Error("the disk is full")) : inner.append(id, events),
    list: () => (broken ? Promise.reject(new Error("the disk is full")) : inner.list()),
  };
  const server = acpAgent(() => new MockAgent(), { store, maxSessions: 1 });
  const [mine, theirs] = streamPair();
  const connection = await server.connect(theirs);
  const world = new EditorWorld(mine, {});
  await world.initialize();
  const full = { code: -32_603, message: "the disk is full" };
  await expect(world.open()).rejects.toMatchObject(full);
  await expect(world.agent.request("session/list", {})).rejects.toMatchObject(full);
  await expect(world.agent.request("session/load", again("x"))).rejects.toMatchObject(full);
  broken = false;
  const sessionId = await world.open();
  const { sessions } = await world.agent.request("session/list", {});
  expect(sessions.map((session) => session.sessionId)).toEqual([sessionId]);
  await connection.close();
});

test("an error of a store or of the system names no folder of the machine", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "taken");
  await writeFile(file, "");
  const refusal = async (make: AcpAgentSourceOf, store: ChatStore) => {
    const [mine, theirs] = streamPair();
    const connection = await acpAgent(make, { store }).connect(theirs);
    const world = new EditorWorld(mine, {});
    await world.initialize();
    const error: unknown = await world.open().catch((thrown) => thrown);
    await connection.close();
    expect(`${error}${JSON.stringify(error)}`).not.toContain(folder.path);
    return error;
  };
  expect(await refusal(() => new MockAgent(), directoryStore(join(file, "sessions")))).toMatchObject({
    code: -32_603,
    message: "The chat could not be saved: Check the folder of the chats and its permissions.",
    data: { code: "store-failed", reason: "ENOTDIR" },
  });
  const settings = join(folder.path, "settings.json");
  const source = async () => {
    await readFile(settings);
    return new MockAgent();
  };
  expect(await refusal(source, memoryStore())).toMatchObject({
    message: "ENOENT: no such file or directory, open 'settings.json'",
  });
  const renamed = () => rename(settings, join(folder.path, "old.json")).then(() => new MockAgent());
  expect(await refusal(renamed, memoryStore())).toMatchObject({
    message: "ENOENT: no such file or directory, rename 'settings.json' -> 'old.json'",
  });
});

test("a connection that is lost while a source is made leaves no chat behind", async () => {
  let make = (_: MockAgent): void => {};
  const mock = new MockAgent();
  const server = acpAgent(() => new Promise<MockAgent>((resolve) => (make = resolve)), { maxSessions: 1 });
  const open = async () => {
    const [mine, theirs] = streamPair();
    const connection = await server.connect(theirs);
    const world = new EditorWorld(mine, {});
    await world.initialize();
    return { connection, world };
  };
  const first = await open();
  const opening = first.world.open();
  opening.catch(() => {});
  const before = make;
  await until(make, () => make !== before);
  await first.connection.close();
  make(mock);
  await until(mock, () => true);
  expect(mock.clients).toEqual([]);
  const second = await open();
  const id = second.world.open();
  const earlier = make;
  await until(make, () => make !== earlier);
  make(mock);
  await id;
  await second.connection.close();
});

test("an approval is asked again of nobody after its session was loaded elsewhere", () =>
  play(
    { mock: { script: [[tool({ name: "rm", approval: true })]] }, permission: () => new Promise(() => {}) },
    async ({ world, id, join, connection }) => {
      void world.prompt(id, "hi").catch(() => {});
      await world.until(({ permissions }) => permissions.length === 1);
      await connection.close();
      const other = await join({ permission: choose("once") });
      await other.agent.request("session/load", again(id));
      expect(other.permissions).toEqual([]);
      expect(other.of("tool_call_update").map(({ status }) => status)).toEqual(["failed"]);
    },
  ));

test("wrong options and arguments are refused with what to pass instead", async () => {
  const refused = (make: () => unknown, words: RegExp) => expect(make).toThrow(words);
  refused(() => acpAgent(new MockAgent() as never), /Pass a function that returns a source/);
  refused(() => acpAgent(() => new MockAgent(), { maxSesions: 3 } as never), /Did you mean `maxSessions`/);
  refused(() => acpAgent(() => new MockAgent(), { store: {} as never }), /load, append and list/);
  refused(() => acpAgent(() => new MockAgent(), { maxSessions: 0 }), /1 or more/);
  await expect(acpAgent(() => new MockAgent()).connect({} as never)).rejects.toThrow(/ndJsonStream/);
});

test("a missing package and one that is too old are named with the version to install", async () => {
  const missing = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
  const said =
    /`agentwire\/acp\/agent` needs the package `@agentclientprotocol\/sdk`, version 2\.0 or later, and it is not installed.*sdk@2/;
  await expect(loadAgentSdk(() => Promise.reject(missing))).rejects.toThrow(said);
  const old = { AgentSideConnection: class {} } as never;
  await expect(loadAgentSdk(() => Promise.resolve(old))).rejects.toThrow(/an older one/);
  await expect(loadAgentSdk(() => Promise.reject(new TypeError("x")))).rejects.toThrow(TypeError);
});
