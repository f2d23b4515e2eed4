import { CodeyClient } from "agentwire/codey";
import { codeyStep } from "agentwire/testing";
import { expect } from "vitest";
import { resolveOptions } from "../../../src/codey/options.ts";
import {
  asked,
  collect,
  drain,
  eventsOf,
  failureOf,
  frame,
  link,
  once,
  rejection,
  sent,
  shown,
  walkBackoff,
  works,
} from "../../helpers/codey.ts";
import { onFakeSocket, tapped } from "../../helpers/codey-sockets.ts";
import { forBoth, onBoth, type SceneOptions } from "./both.ts";
import { play, read } from "./calls.ts";

const manual: SceneOptions = { client: { onToolApproval: "manual" } };
const MIB = 1_048_576;

onBoth(
  "8 MUST 1: only text frames, no subprotocol, and the connect timer up to the greeting",
  manual,
  async ({ client, server }) => {
    server.answer = () => [codeyStep.calls(read())];
    const turn = client.prompt("go");
    await asked(turn);
    await Promise.all([client.ping(), client.getState(), client.getHistory()]);
    await turn.cancel();
    const [upgrade] = server.upgrades;
    expect(upgrade?.headers["sec-websocket-protocol"]).toBeUndefined();
    expect(server.frames.filter(({ direction, binary }) => direction === "c2s" && binary)).toEqual([]);
  },
);

onBoth(
  "8 MUST 2: at close() everything that is awaited settles",
  manual,
  async ({ client, server, clock }) => {
    server.answer = () => [codeyStep.calls(read())];
    const turn = client.prompt("go");
    const reading = drain(turn);
    const next = client.prompt("next");
    await asked(turn);
    server.set({ frozen: "midSession" });
    const requests = [client.ping(), client.getState(), client.getHistory(), client.getState()].map(
      rejection,
    );
    await server.waitFor(() => sent(server).includes("GetHistory"));
    const closed = client.close();
    await clock.advance(1_000);
    await closed;
    for (const request of requests) expect(await request).toMatchObject({ code: "closed" });
    for (const { outcome } of [turn, next]) expect(await outcome).toMatchObject({ status: "failed" });
    expect((await reading).thrown).toBeUndefined();
    expect(await rejection(client.connect())).toMatchObject({ code: "closed" });
  },
);

const bad: SceneOptions = {
  warns: ["unreadable-frame", "invalid-message", "unknown-message", "listener-threw"],
};

onBoth(
  "8 MUST 3: bad frames and callbacks that throw do not stop the loop",
  bad,
  async ({ client, server }) => {
    const fail = (): never => {
      throw new Error("oops");
    };
    for (const name of ["event", "message", "frame", "status", "unknownMessage", "protocolWarning"] as const)
      client.on(name, fail);
    server.answer = () => [
      "one",
      codeyStep.raw("{"),
      codeyStep.raw("[]"),
      codeyStep.raw('{"type":7}'),
      codeyStep.raw('{"type":"Unheard"}'),
      codeyStep.raw('{"type":"Finished"}'),
      codeyStep.raw('{"type":"ToolRequest","agent_id":0,"calls":{}}'),
      " two",
    ];
    const turn = client.prompt("go");
    turn.on("event", fail);
    turn.on("status", fail);
    expect((await turn.result).text).toBe("one two");
  },
);

onBoth(
  "8 MUST 3: missing fields that may be null, unknown fields and empty deltas are taken as they are",
  manual,
  async ({ client, server }) => {
    server.answer = () => [
      "",
      codeyStep.thinking(""),
      codeyStep.raw(
        '{"type":"ToolAwaitingApproval","agent_id":0,"call_id":"x","name":"mcp_shell","background":false,"risk":9}',
      ),
      codeyStep.hang(),
    ];
    const turn = client.prompt("go");
    const events = eventsOf(turn);
    const id = await asked(turn);
    expect(turn.toolCalls).toMatchObject([{ id, name: "mcp_shell", input: null, background: false }]);
    expect(events.map(({ type }) => type)).toEqual(["TextDelta", "ThinkingDelta", "ToolAwaitingApproval"]);
    link(server).send(frame.toolError("x", "no"));
    link(server).send(frame.finished());
    expect((await turn.result).toolCalls).toMatchObject([{ state: "failed" }]);
  },
);

forBoth("8 MUST 3: a State and a History without the fields that may be null are read", async () => {
  const { client, socket, clock } = await onFakeSocket();
  const answers = Promise.all([client.getState(), client.getHistory()]);
  await clock.advance(0);
  const pending = '{"agent_id":0,"call_id":"x","name":""}';
  socket.receives(
    `{"type":"State","agents":[{"id":0,"is_streaming":true}],"pending_approvals":[${pending}]}`,
  );
  socket.receives('{"type":"History","messages":[{"role":"user","content":"hi"}]}');
  const [{ agents, pending_approvals }, { messages }] = await answers;
  expect(agents).toEqual([{ id: 0, name: null, is_streaming: true }]);
  expect(pending_approvals).toEqual([{ agent_id: 0, call_id: "x", name: "", params: null }]);
  expect(messages).toEqual([{ role: "user", content: "hi", timestamp: null }]);
  const closed = client.close();
  socket.ends(1000);
  await closed;
});

onBoth("8 MUST 3: params may be any JSON", { client: { onToolApproval: () => true } }, async (scene) => {
  const params = [null, 7, "text", true, ["a"], { deep: { list: [null] } }];
  const { calls } = await play(scene, ...params.map((value) => read({ params: value })));
  expect(calls.map(({ input, state }) => [input, state])).toEqual(params.map((value) => [value, "done"]));
});

onBoth(
  "8 MUST 4: one turn per connection, and a late message is never the next one's",
  { mock: { lateBackground: true }, client: { onToolApproval: () => true } },
  async ({ client, server }) => {
    server.answer = ({ content }) =>
      content === "go" ? [codeyStep.calls(read({ background: true }))] : ["one", codeyStep.calls(read())];
    const late = collect(client, "late");
    const first = client.prompt("go");
    const next = client.prompt("next");
    const events = eventsOf(next);
    expect((await first.result).toolCalls).toMatchObject([{ state: "abandoned" }]);
    await next.result;
    expect(late.filter((message) => "call_id" in message && message.call_id === "toolu_1")).not.toEqual([]);
    expect(events.filter((event) => "call_id" in event && event.call_id === "toolu_1")).toEqual([]);
  },
);

onBoth(
  "8 MUST 5: pings, states and histories are answered in order, and none of it is in the turn",
  async ({ client, server }) => {
    server.answer = () => ["one", codeyStep.hang()];
    const turn = client.prompt("go");
    const events = eventsOf(turn);
    await shown(turn, "one");
    const order: string[] = [];
    const note = (name: string) => (): number => order.push(name);
    await Promise.all([
      client.ping().then(note("ping 1")),
      client.getState().then(note("state 1")),
      client.ping().then(note("ping 2")),
      client.getHistory().then(note("history 1")),
      client.getState().then(note("state 2")),
    ]);
    for (const kind of ["ping", "state"])
      expect(order.filter((name) => name.startsWith(kind))).toEqual([`${kind} 1`, `${kind} 2`]);
    expect(events.map(({ type }) => type)).toEqual(["TextDelta"]);
    await turn.cancel();
  },
);

onBoth(
  "8 MUST 6: without a policy every call is denied, and said so once",
  { warns: ["tool-denied"] },
  async (scene) => {
    const warnings = collect(scene.client, "protocolWarning");
    const { calls } = await play(scene, read(), read({ background: true }), read());
    expect(calls.map(({ state, deniedBy }) => [state, deniedBy])).toEqual(
      calls.map(() => ["denied", "policy"]),
    );
    expect(warnings.map(({ kind }) => kind)).toEqual(["tool-denied"]);
    expect(
      sent(scene.server)
        .slice(1)
        .every((words) => words.endsWith("false")),
    ).toBe(true);
  },
);

onBoth(
  "8 MUST 7: after a reconnect nothing is sent by itself",
  { client: { reconnect: {}, onToolApproval: "manual" } },
  async (scene) => {
    const { client, server } = scene;
    walkBackoff(scene);
    server.answer = () => [codeyStep.calls(read())];
    const turn = client.prompt("go");
    await asked(turn);
    const session = once(client, "sessionStarted");
    const back = once(client, "reconnected");
    link(server).drop();
    expect(await session).toMatchObject({ contextLost: true });
    await back;
    await client.ping();
    expect(sent(server)).toEqual(["SendMessage go", "Ping"]);
    expect(await failureOf(turn)).toMatchObject({ code: "connection-lost" });
  },
);

onBoth(
  "8 SHOULD 1: binary frames are read as text, and a frame may be large",
  { mock: { binaryJson: "injected", chunking: "huge" } },
  async ({ client, server }) => {
    server.answer = () => ["é", "😀"];
    expect((await client.prompt("go").result).text).toBe("é😀");
    const { maxReceiveBytes } = resolveOptions({ url: "ws://127.0.0.1:9999" }).socket;
    expect(maxReceiveBytes).toBeGreaterThanOrEqual(100 * MIB);
  },
);

onBoth(
  "8 SHOULD 2: a policy decides per tool, and what it leaves open is asked",
  {
    client: {
      toolPolicy: [
        { tool: "mcp_read_file", when: ({ input }) => Object(input).path === "a.txt", then: "allow" },
        { tool: "mcp_shell", then: "deny" },
        { tool: /^mcp_fetch/, then: "ask" },
      ],
      onToolApproval: ({ name }) => name === "mcp_fetch_url",
    },
  },
  async (scene) => {
    const { calls } = await play(
      scene,
      read(),
      read({ params: { path: "/etc/passwd" } }),
      { name: "mcp_shell", params: { command: "ls" } },
      { name: "mcp_fetch_url", params: {}, result: "page" },
    );
    expect(calls.map(({ state, deniedBy }) => [state, deniedBy])).toEqual([
      ["done", undefined],
      ["denied", "user"],
      ["denied", "policy"],
      ["done", undefined],
    ]);
  },
);

onBoth(
  "8 SHOULD 2: a result has the text per round, the thinking, the calls and what was used",
  { client: { onToolApproval: () => true } },
  async ({ client, server }) => {
    server.answer = () => [
      codeyStep.thinking("hm"),
      "Let me look.",
      codeyStep.calls(read()),
      codeyStep.thinking("!"),
      "One file.",
    ];
    expect(await client.prompt("go").result).toEqual({
      text: "Let me look.One file.",
      thinking: "hm!",
      sessionId: client.sessionId,
      rounds: [
        { text: "Let me look.", thinking: "hm", calls: ["toolu_1"] },
        { text: "One file.", thinking: "!", calls: [] },
      ],
      toolCalls: [expect.objectContaining({ id: "toolu_1", state: "done", output: "alpha" })],
      usage: {
        outputTokens: 20,
        totalOutputTokens: 20,
        contextTokens: 100,
        cacheCreationTokens: 0,
        cacheReadTokens: 0,
      },
    });
  },
);

onBoth(
  "8 SHOULD 3: a reader that is too slow loses its iteration, and no state is lost",
  { client: { maxBufferedBytes: 1_000, onToolApproval: () => true } },
  async ({ client, server }) => {
    server.answer = () => ["x".repeat(600), "y".repeat(600), codeyStep.calls(read()), "end"];
    const turn = client.prompt("go");
    const { toolCalls, text } = await turn.result;
    expect([toolCalls[0]?.state, text.length]).toEqual(["done", 1_203]);
    expect((await drain(turn)).thrown).toMatchObject({ code: "buffer-overflow", limit: 1_000 });
  },
);

const tap = tapped();

onBoth(
  "8 SHOULD 4: the socket and the clock can be given",
  { client: { createWebSocket: tap.createWebSocket } },
  async ({ client, server, clock }) => {
    await works(client);
    await clock.advance(20_000);
    await server.waitFor(() => sent(server).includes("Ping"));
    const other = new CodeyClient({ url: server.url, WebSocket: globalThis.WebSocket, clock });
    await works(other);
    expect(server.connections).toHaveLength(2);
    const closed = other.close();
    await server.waitFor(() => server.connections[1]?.state === "closed");
    await clock.advance(1_000);
    await closed;
  },
);

const SECRET = '{"api_key": "sk-secret"}';

onBoth(
  "8 SHOULD 5: every raw frame can be seen, both ways, without credentials",
  { client: { onToolApproval: () => true } },
  async ({ client, server }) => {
    const frames = collect(client, "frame");
    server.answer = () => [codeyStep.calls(read({ result: SECRET, deltas: [SECRET] }))];
    await client.prompt("go").result;
    const raw = server.frames.slice(1).map(({ direction, raw }) => `${direction} ${raw}`);
    const seen = frames.map(({ direction, text }) => `${direction === "in" ? "s2c" : "c2s"} ${text}`);
    expect(seen).toHaveLength(raw.length);
    expect(seen.join()).not.toContain("sk-secret");
    expect(seen.join()).toContain("[redacted]");
  },
);
