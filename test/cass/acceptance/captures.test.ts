import { readFileSync } from "node:fs";
import { CassClient, type CassClientOptions } from "agentwire/cass";
import { ManualClock } from "agentwire/testing";
import { expect } from "vitest";
import { collect, eventsOf, failureOf, once } from "../../helpers/cass.ts";
import { FakeSocket } from "../../helpers/fake-socket.ts";
import { forAll } from "./each.ts";

const USER = "b24df856-2728-4205-a8ec-f5f0055a5c07";

/** One line of a capture: `test/fixtures/cass-v2`. */
interface Line {
  readonly dir?: "c2s" | "s2c";
  readonly raw?: string;
  readonly code?: number;
}

/**
 * The other side of a socket, which plays a capture and understands nothing of it: it says the server's lines, and where
 * the capture has one of a client, it waits until something was sent.
 */
class Replay extends FakeSocket {
  /** What the captured client said, and what this one said in its place. */
  readonly pairs: (readonly [captured: string, sent: string])[] = [];
  readonly #lines: readonly Line[];
  #at = 0;

  constructor(lines: readonly Line[]) {
    super();
    this.#lines = lines;
    // When whoever asked for it listens.
    setTimeout(() => {
      this.accepts();
      this.#play();
    });
  }

  override send(data: string): void {
    super.send(data);
    this.pairs.push([this.#lines[this.#at++]?.raw ?? "nothing", data]);
    queueMicrotask(() => this.#play());
  }

  override close(code?: number, reason?: string): void {
    super.close(code, reason);
    queueMicrotask(() => this.ends(code));
  }

  /** Whether everything was said. */
  get isOver(): boolean {
    return this.#at >= this.#lines.length;
  }

  #play(): void {
    for (let line = this.#lines[this.#at]; line && line.dir !== "c2s"; line = this.#lines[this.#at]) {
      this.#at++;
      if (line.raw !== undefined) this.receives(line.raw);
      if (line.code !== undefined) this.ends(line.code);
    }
  }
}

function linesOf(name: string): readonly Line[] {
  const url = new URL(`../../fixtures/cass-v2/${name}.jsonl`, import.meta.url);
  const lines = readFileSync(url, "utf8").trim().split("\n");
  return lines.map((line): Line => JSON.parse(line));
}

/** A token of the captured user, which nobody has signed. */
const TOKEN = `${btoa('{"alg":"HS256"}')}.${btoa(JSON.stringify({ sub: USER, type: "access", exp: 4_102_444_800 }))}.x`;

const nobody = { allowAnonymous: true } as const;
const asUser = { token: TOKEN } as const;

function replaying(
  lines: readonly Line[],
  options: Partial<CassClientOptions>,
): { readonly client: CassClient; readonly socket: Replay; readonly clock: ManualClock } {
  const clock = new ManualClock();
  const socket = new Replay(lines);
  const createWebSocket = (): FakeSocket => socket;
  const client = new CassClient({ url: "ws://127.0.0.1:8000/ws", clock, createWebSocket, ...options });
  return { client, socket, clock };
}

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
