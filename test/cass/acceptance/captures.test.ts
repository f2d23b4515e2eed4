import { expect } from "vitest";
import { collect, eventsOf, failureOf, once, rejection, saw } from "../../helpers/cass.ts";
import { type Line, linesOf, replaying, unsignedToken } from "../support/replay.ts";
import { forAll } from "./each.ts";

const USER = "b24df856-2728-4205-a8ec-f5f0055a5c07";

const TOKEN = unsignedToken(USER);

const nobody = { allowAnonymous: true } as const;
const asUser = { token: TOKEN } as const;

const GREETINGS = [
  { name: "01-no-token", options: nobody, identity: { userId: null, verified: false } },
  { name: "02-valid-query-token", options: asUser, identity: { userId: USER, verified: true } },
  {
    name: "07-auth-msg-valid",
    options: { ...asUser, auth: "message" } as const,
    identity: { userId: USER, verified: true },
  },
];
for (const { name, options, identity } of GREETINGS) {
  forAll(`capture ${name}: the client is who the server takes it for`, async () => {
    const { client, socket } = replaying(linesOf(name), options);
    const warnings = collect(client, "protocolWarning");
    await client.connect();
    expect(client.identity).toEqual({ ...identity, sdkMode: true });
    expect(socket.isOver).toBe(true);
    const sent = socket.pairs.map(([, raw]) => raw);
    expect(sent).toEqual(name.startsWith("07") ? [JSON.stringify({ type: "auth", token: TOKEN })] : []);
    expect(warnings).toEqual([]);
    await client.close();
  });
}

forAll("capture 10-auth-invalid-after-valid: the old id is no proof of another one", async () => {
  const other = btoa(JSON.stringify({ sub: "somebody-else", type: "access", exp: 4_102_444_800 }));
  const { client, socket } = replaying(linesOf("10-auth-invalid-after-valid"), {
    auth: "message",
    token: `x.${other}.x`,
  });
  const error = await client.connect().catch((reason: unknown) => reason);
  expect(error).toMatchObject({ reason: "identity-mismatch", expected: "somebody-else", got: USER });
  expect(socket.isOver).toBe(true);
  await client.close();
});

forAll("capture 11-ping-status-unknown: pongs and the status are told apart, in their order", async () => {
  // What its client said besides, no client of ours says; the server took no notice of it.
  const lines = linesOf("11-ping-status-unknown").filter(
    ({ dir, raw = "" }) => dir !== "c2s" || raw === '{"type": "ping"}' || raw === '{"type": "status"}',
  );
  const [first, ...rest] = lines;
  const [ping, status, ...answers] = rest;
  if (!first || !ping || !status) throw new Error("The capture is another one");
  const { client, socket, clock } = replaying([first, ping, status, ...answers], nobody);
  const kinds: string[] = [];
  client.on("protocolWarning", ({ kind }) => void kinds.push(kind));
  await client.connect();
  await clock.advance(25_000);
  expect(await client.getStatus()).toEqual({
    sdkMode: true,
    memoryCount: 42,
    timestamp: "2026-11-21T20:35:30.025942",
  });
  expect(kinds).toEqual(["stray-message"]); // the second pong, of a ping with an id
  expect(socket.isOver).toBe(true);
  await client.close();
});

for (const { name, options } of [
  { name: "12-chat-anon-no-conv", options: nobody },
  { name: "13-chat-auth-no-conv-continuous", options: asUser },
]) {
  forAll(`capture ${name}: a turn from its first word to its title`, async () => {
    const { client, socket } = replaying(linesOf(name), options);
    const warnings = collect(client, "protocolWarning");
    const titled = once(client, "title");
    const conversation = client.conversation();
    const turn = conversation.prompt("hi");
    const events = eventsOf(turn);
    const result = await turn.result;
    expect(events).toMatchObject([
      { type: "thinking", progress: { kind: "retrieving" }, memories: { has_context: true } },
      { type: "thinking", progress: { kind: "generating", by: "Claude" } },
      { type: "response", text: "Hello!" },
    ]);
    expect(result).toMatchObject({
      text: "Hello!",
      animations: [
        { index: 0, type: "gesture", name: "wave", intensity: 1, delay: 0, offset: 6 },
        { index: 1, type: "emote", name: "happy", intensity: 0.8, delay: 0.5, offset: 6 },
      ],
      usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number) },
      provider: "anthropic",
      model: "claude-haiku-4-5-20251001",
      toolUses: [],
    });
    expect(conversation.state.conversationId).toBe(result.conversationId);
    expect(await titled).toMatchObject({ conversationId: result.conversationId, title: "A Fake Title" });
    expect(client.titleOf(String(result.conversationId))).toBe("A Fake Title");
    expect(socket.pairs.map(([captured, sent]) => [JSON.parse(captured), JSON.parse(sent)])).toEqual([
      [
        { type: "chat", message: "hi" },
        { type: "chat", message: "hi" },
      ],
    ]);
    expect([socket.isOver, warnings]).toEqual([true, []]);
    await client.close();
  });
}

forAll("capture 17-tool-loop: every word of the loop is read", async () => {
  const { client, socket } = replaying(linesOf("17-tool-loop"), nobody);
  const warnings = collect(client, "protocolWarning");
  const turn = client.prompt({ message: "tool please", conversationId: "x" });
  const events = eventsOf(turn);
  const result = await turn.result;
  expect(
    events.map((event) =>
      event.type === "thinking" ? event.progress : event.type === "debug" ? event.debug : event.type,
    ),
  ).toEqual([
    { kind: "retrieving" },
    { kind: "generating", by: "Claude" },
    { kind: "loop", round: 1, stopReason: "tool_use", tools: ["recall_journal"] },
    { kind: "tools", tools: ["recall_journal"] },
    { kind: "submitting", results: 1 },
    { kind: "continuation", stopReason: "end_turn", hasText: true, newTools: 0 },
    { kind: "text", text: "I found it." },
    "response",
  ]);
  expect(result).toMatchObject({ text: "I found it.", conversationId: "x" });
  expect(result.animations.map(({ index, name }) => [index, name])).toEqual([
    [0, "point"],
    [1, "excited"],
  ]);
  const [[captured = "", sent = ""] = []] = socket.pairs;
  expect(JSON.parse(sent)).toEqual(JSON.parse(captured));
  expect([socket.isOver, warnings]).toEqual([true, []]);
  await client.close();
});

forAll(
  "capture 40-sigterm-while-idle-and-while-chat-in-flight: a restart loses the turn, which may be stored",
  async () => {
    const [greeting] = linesOf("12-chat-anon-no-conv");
    const lines = linesOf("40-sigterm-while-idle-and-while-chat-in-flight");
    const chat: Line = { dir: "c2s", raw: '{"type": "chat", "message": "hi"}' };
    const { client, clock } = replaying([...(greeting ? [greeting] : []), chat, ...lines], {
      ...nobody,
      reconnect: false,
    });
    const turn = client.prompt("hi");
    const events = eventsOf(turn);
    expect(await failureOf(turn)).toMatchObject({
      code: "connection-lost",
      closeCode: 1012,
      delivery: "unknown",
      retryable: true,
    });
    expect(events).toMatchObject([
      { progress: { kind: "retrieving" } },
      { progress: { kind: "generating", by: "local model" } },
    ]);
    expect([client.status, clock.pending]).toEqual(["closed", 0]);
  },
);

const TOOL_USER = "3dd2248f-bc24-4e70-825a-692bf516a5d9";

forAll("capture 64-tools-three-rounds: an older server joins the words of all rounds", async () => {
  const { client, socket } = replaying(linesOf("64-tools-three-rounds", "v1"), {
    token: unsignedToken(TOOL_USER),
  });
  const warnings = collect(client, "protocolWarning");
  const titled = once(client, "title");
  const conversationId = "8677e151-4dc4-41da-82d7-4d9ef9c9d8c4";
  const message = 'S:{"id":"x","tools":3}';
  const turn = client.prompt({ message, conversationId });
  const events = eventsOf(turn);
  const result = await turn.result;
  const round = [
    { kind: "tools", tools: ["recall_journal"] },
    { kind: "result", tool: "recall_journal", success: true, result: "tool says ok" },
    { kind: "submitting", results: 1 },
  ];
  const continued = { kind: "continuation", stopReason: "tool_use", hasText: true, newTools: 1 };
  expect(
    events.map((event) =>
      event.type === "thinking" ? event.progress : event.type === "debug" ? event.debug : event.type,
    ),
  ).toEqual([
    { kind: "retrieving" },
    { kind: "generating", by: "Claude" },
    ...[1, 2, 3].flatMap((number) => [
      { kind: "loop", round: number, stopReason: "tool_use", tools: ["recall_journal"] },
      ...round,
      number < 3 ? continued : { ...continued, stopReason: "end_turn", newTools: 0 },
      { kind: "text", text: number < 3 ? "more" : "[x]" },
    ]),
    "response",
  ]);
  expect(result).toMatchObject({
    text: "let me check\nmore\nmore\n[x]",
    conversationId,
    usage: { inputTokens: 6000, outputTokens: 600 },
  });
  expect(await titled).toMatchObject({ conversationId, title: "Title of 8677e151" });
  const [[captured = "", sent = ""] = []] = socket.pairs;
  expect(JSON.parse(sent)).toEqual(JSON.parse(captured));
  expect([socket.isOver, warnings]).toEqual([true, []]);
  await client.close();
});

forAll("capture 71-auth-same-token-twice: the answer to a second `auth` changes nothing", async () => {
  const lines = linesOf("71-auth-same-token-twice", "v1");
  const asked = lines.findIndex(({ dir }) => dir === "c2s");
  // A client of ours shows its token once.
  const once = lines.filter((_, at) => at !== asked + 1);
  const { client, socket } = replaying(once, { auth: "message", token: unsignedToken(TOOL_USER) });
  const kinds: string[] = [];
  client.on("protocolWarning", ({ kind }) => void kinds.push(kind));
  await client.connect();
  expect(client.identity).toEqual({ userId: TOOL_USER, verified: true, sdkMode: true });
  expect(socket.pairs.map(([, sent]) => JSON.parse(sent).type)).toEqual(["auth"]);
  expect([socket.isOver, kinds, client.status]).toEqual([true, ["stray-message"], "ready"]);
  await client.close();
});

forAll(
  "capture 73-leave-mid-turn-and-come-back: an older server has no route for messages, so the conversation is read",
  async () => {
    const lines = linesOf("73-leave-mid-turn-and-come-back", "v1");
    const note = lines.find(({ text }) => text !== undefined)?.text ?? "";
    const fetched: string[] = [];
    const { client, socket } = replaying(lines, {
      token: unsignedToken(TOOL_USER),
      reconnect: false,
      recover: true,
      fetch: async (url) => {
        fetched.push(new URL(url).pathname);
        return new Response(note.replace("GET messages: ", ""), { status: 404 });
      },
    });
    const conversationId = "939808c9-80b0-4210-8dc2-4aed1e00dc21";
    const message = 'S:{"id":"x","pre":800}';
    const turn = client.prompt({ message, conversationId });
    expect(await failureOf(turn)).toMatchObject({
      code: "connection-lost",
      closeCode: 1006,
      delivery: "unknown",
    });
    expect(fetched).toEqual([
      `/conversations/${conversationId}/messages`,
      `/conversations/${conversationId}`,
    ]);
    expect(socket.isOver).toBe(true);
  },
);

const MUTE_USER = "5fefe23e-b6f0-4ef0-a881-8ab8145347aa";
const MUTE = "76-second-frame-mid-turn-keepalive-ping-timeout";

forAll(
  `capture ${MUTE}: a second frame in a turn loses it, which is the risk of \`maxTurnsInFlight\` above 1`,
  async () => {
    const { client, socket } = replaying(linesOf(MUTE), {
      token: unsignedToken(MUTE_USER),
      maxTurnsInFlight: 2,
      reconnect: false,
    });
    const turn = client.prompt('S:{"id":"z","pre":60000}');
    const asking = rejection(once(client, "authenticated").then(() => client.getStatus()));
    const lost = { code: "connection-lost", closeCode: 1011, closeReason: "keepalive ping timeout" };
    expect(await failureOf(turn)).toMatchObject({ ...lost, delivery: "unknown" });
    expect(await asking).toMatchObject(lost);
    expect(socket.isOver).toBe(true);
  },
);

forAll(`capture ${MUTE}: with one turn in flight the second frame waits, and nothing is lost`, async () => {
  const { client, socket, clock } = replaying(linesOf(MUTE), { token: unsignedToken(MUTE_USER) });
  const turn = client.prompt('S:{"id":"z","pre":60000}');
  await saw(turn, "thinking", 2);
  const asking = rejection(client.getStatus());
  await clock.advance(60_000);
  expect(socket.pairs.map(([, sent]) => JSON.parse(sent).type)).toEqual(["chat"]);
  expect([turn.status, client.status, socket.isOver]).toEqual(["streaming", "ready", false]);
  await client.close();
  expect(await asking).toMatchObject({ code: "closed" });
});

forAll("capture 80-all-metacognitive-tags: a newer server takes all of them out", async () => {
  const { client, socket } = replaying(linesOf("80-all-metacognitive-tags"), {
    token: unsignedToken("a01d1ca2-1911-4520-8e90-f3706283754d"),
  });
  const warnings = collect(client, "protocolWarning");
  const result = await client.prompt("all of them").result;
  expect(result.text).toBe("a           z"); // what stood between them is the server's
  expect(result.message).toMatchObject({
    marks: [{ category: "insight", description: "aha" }],
    holds: [{ content: "belief", topic: "t", differ_user: null, is_identity: false, confidence: 0.7 }],
    notes: [{ type: "moment", content: "n", level: null }],
    milestones: [{ id: "m1", content: "big" }],
    self_observations: [{ observation: "obs", category: "c", confidence: 0.8 }],
    user_observations: [{ observation: "likes tea", direction: null }],
    stakes: null,
  });
  expect(result.audio?.mediaType).toBe("audio/mpeg");
  expect(await result.audio?.bytes()).toHaveLength(3_000);
  expect([socket.isOver, warnings]).toEqual([true, []]);
  await client.close();
});
