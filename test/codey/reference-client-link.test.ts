// One block for each feature of the Python client in the server's repository (those about the connection, and what is on the wire). Each comment says what that client does, by its source.
import { codeyStep, codeyTool } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { asked, ls, once, pair, sent } from "./support/reference.ts";

// The Python client waits for the greeting without a limit.
describe("connect", () => {
  test("gives up after `connectTimeout` if the server never sends its greeting", async () => {
    await using made = await pair({ frozen: "noConnected" });
    const connecting = made.client.connect();
    await made.server.nextConnection();
    await made.clock.advance(10_000);
    await expect(connecting).rejects.toMatchObject({ code: "connect-timeout", timeout: 10_000 });
  });

  test("ends when its signal aborts", async () => {
    await using made = await pair({ frozen: "noConnected" });
    const controller = new AbortController();
    const connecting = made.client.connect({ signal: controller.signal });
    await made.server.nextConnection();
    controller.abort("enough");
    await expect(connecting).rejects.toMatchObject({ code: "connect-failed", cause: "enough" });
  });

  test("reports the session's id", async () => {
    await using made = await pair({ sessionId: () => "one" });
    const started = once(made.client, "sessionStarted");
    await made.client.connect();
    expect(await started).toEqual({ sessionId: "one", contextLost: false });
    expect([made.client.sessionId, made.client.status]).toEqual(["one", "ready"]);
  });
});

// The Python client tells nobody after code 1000 or 1001, and `receive` hangs.
describe("the server closes", () => {
  test.each([1000, 1001])("with code %i, and every open turn and request is settled", async (code) => {
    await using made = await pair(
      { answer: () => [codeyStep.calls(ls)] },
      { onToolApproval: "manual", connectTimeout: 0 },
    );
    const turn = made.client.prompt("one");
    const next = made.client.prompt("two");
    await asked(turn);
    made.server.set({ frozen: "midSession" }); // so that the requests are still open
    const ping = made.client.ping();
    const state = made.client.getState();
    const refused = Promise.all([
      expect(turn.result).rejects.toMatchObject({
        code: "connection-lost",
        delivery: "unknown",
        sideEffectsPossible: true,
        cause: { closeCode: code },
      }),
      expect(next.result).rejects.toMatchObject({
        code: "context-lost",
        delivery: "not-sent",
        input: "two",
      }),
      expect(ping).rejects.toMatchObject({ code: "connection-lost", closeCode: code }),
      expect(state).rejects.toMatchObject({ code: "connection-lost", closeCode: code }),
    ]);
    await made.server.waitFor(({ frames }) => frames.some(({ raw }) => raw.includes("GetState")));
    made.server.connections[0]?.close(code);
    await refused;
    expect(turn.pending).toEqual([]);
    expect(made.clock.pending).toBe(0);
  });
});

// The Python client ends its receiving task, unseen, and everything hangs.
describe("what cannot be read", () => {
  test("causes a warning, and the turn goes on", async () => {
    await using made = await pair({
      badJson: "injected",
      unknownType: "injected",
      extraFields: "injected",
      answer: () => ["one, ", codeyStep.raw('{"type":"TextDelta","agent_id":"zero"}'), "two"],
    });
    const kinds = new Set<string>();
    made.client.on("protocolWarning", ({ kind }) => kinds.add(kind));
    const unknown = once(made.client, "unknownMessage");
    expect(await made.client.prompt("hello").result).toMatchObject({ text: "one, two" });
    expect([...kinds].sort()).toEqual(["invalid-message", "unknown-message", "unreadable-frame"]);
    expect(await unknown).toHaveProperty("type");
  });
});

// The Python client closes the connection over more than 1 MiB (1009).
describe("large output", () => {
  test("of 20 MB arrives whole, in one frame", async () => {
    const output = "x".repeat(20_000_000);
    await using made = await pair(
      { answer: () => [codeyStep.calls(codeyTool.readFile("big.txt", output)), "Read."] },
      { toolPolicy: [{ tool: "mcp_read_file", then: "allow" }] },
    );
    const { toolCalls, text } = await made.client.prompt("read").result;
    expect(text).toBe("Read.");
    expect(toolCalls[0]?.output === output).toBe(true);
  });
});

// The Python client relies on WebSocket pings, which a dead session answers; `ping` is by hand.
describe("keepalive", () => {
  test("detects a server that sends but does not read by its missing `Pong`", async () => {
    await using made = await pair({ afterOversize: "deaf" }, { maxSendBytes: 20_000_000 });
    const turn = made.client.prompt("x".repeat(17_000_000));
    const connection = await made.server.waitFor(({ connections }) =>
      connections.find(({ state }) => state === "deaf"),
    );
    const lost = once(made.client, "disconnected");
    await made.clock.advance(20_000); // the ping
    const heard = once(made.client, "event");
    connection.send('{"type":"TextDelta","agent_id":0,"content":"still here"}');
    await heard;
    await made.clock.advance(10_000); // the deadline
    expect(await lost).toMatchObject({ code: "connection-lost" });
    await expect(turn.result).rejects.toMatchObject({ code: "connection-lost", delivery: "unknown" });
  });
});

// The Python client has none; an old error in its queue breaks the next `connect`.
describe("reconnecting", () => {
  test("is off by default: a lost link closes the client, and the delivery is unknown", async () => {
    await using made = await pair({ answer: () => ["half", codeyStep.drop()] });
    await expect(made.client.prompt("one").result).rejects.toMatchObject({
      code: "connection-lost",
      delivery: "unknown",
      partial: { text: "half" },
    });
    expect(made.client.status).toBe("closed");
    expect(() => made.client.prompt("two")).toThrow(expect.objectContaining({ code: "closed" }));
  });

  test("starts a new session without the old context, and sends nothing again", async () => {
    const ids = ["first", "second"].values();
    await using made = await pair(
      {
        sessionId: () => ids.next().value ?? "",
        answer: ({ number }) => (number === 1 ? [codeyStep.drop()] : ["new"]),
      },
      { reconnect: {} },
    );
    const { client, clock, server } = made;
    client.on("reconnecting", ({ delay }) => void clock.advance(delay));
    const turn = client.prompt("one");
    const waited = client.prompt("two");
    await expect(turn.result).rejects.toMatchObject({ code: "connection-lost" });
    await expect(waited.result).rejects.toMatchObject({ code: "context-lost", input: "two" });
    expect(await once(client, "sessionStarted")).toEqual({
      sessionId: "second",
      previousSessionId: "first",
      contextLost: true,
    });
    expect(await client.prompt("three").result).toMatchObject({ sessionId: "second", text: "new" });
    expect(server.sends.map(({ content }) => content)).toEqual(["one", "three"]);
  });
});

// The Python client has one limit, on `receive`; closing takes as long as its library waits.
describe("time limits and closing", () => {
  test("a silent turn is cancelled after `idleTimeout`, which pauses while a decision is open", async () => {
    await using made = await pair(
      { answer: () => [codeyStep.calls(ls), codeyStep.hang()] },
      { onToolApproval: "manual", keepalive: false },
    );
    const turn = made.client.prompt("one", { idleTimeout: 5_000 });
    const { id } = await asked(turn);
    await made.clock.advance(60_000);
    const done = new Promise<void>((resolve) => {
      turn.on("toolCall", ({ state }) => state === "done" && resolve());
    });
    made.client.decide(id, true);
    await done;
    await made.clock.advance(5_000);
    expect(await turn.outcome).toMatchObject({
      status: "failed",
      error: { code: "turn-timeout", kind: "idle" },
    });
    expect(made.server.cancels).toHaveLength(1);
  });

  test("a missing `Pong` after a `Cancel` cuts the connection after `cancelTimeout`", async () => {
    await using made = await pair({ answer: () => [codeyStep.hang()] }, { keepalive: false });
    const turn = made.client.prompt("one");
    await made.server.nextSend();
    made.server.set({ frozen: "midSession" });
    const lost = once(made.client, "disconnected");
    const cancelled = turn.cancel();
    await made.clock.advance(5_000);
    expect(await lost).toMatchObject({ code: "connection-lost" });
    expect(await cancelled).toMatchObject({ status: "cancelled" });
  });

  test("`close()` takes at most one second if the server does not answer", async () => {
    await using made = await pair({ closeReply: false });
    await made.client.connect();
    made.server.set({ frozen: "midSession" });
    const closed = made.client.close();
    await made.clock.advance(1_000);
    await closed;
    expect([made.client.status, made.clock.pending]).toEqual(["closed", 0]);
  });

  test("a request that the server does not answer fails after `requestTimeout`", async () => {
    await using made = await pair({ frozen: "off" }, { keepalive: false });
    await made.client.connect();
    made.server.set({ frozen: "midSession" });
    const state = made.client.getState();
    await made.clock.advance(10_000);
    await expect(state).rejects.toMatchObject({ code: "request-timeout", timeout: 10_000 });
  });
});

// The Python client checks types; a blank text is sent.
describe("checks before sending", () => {
  test.each([
    ["blank text", " \n", "invalid-input"],
    ["missing text", { content: undefined as unknown as string }, "invalid-input"],
    ["an `agentId` below 0", { content: "hi", agentId: -1 }, "invalid-input"],
    ["an `agentId` above 32 bits", { content: "hi", agentId: 2 ** 32 }, "invalid-input"],
    ["more than 15 MiB", "x".repeat(15 * 1_048_576), "payload-too-large"],
  ])("refuse %s at once, and nothing is sent", async (_, input, code) => {
    await using made = await pair();
    await made.client.connect();
    expect(() => made.client.prompt(input)).toThrow(expect.objectContaining({ code }));
    await made.client.ping();
    expect(sent(made.server)).toEqual(["Ping"]);
  });

  test("replace a lone surrogate, because a server would drop the frame", async () => {
    await using made = await pair({ answer: () => ["ok"] });
    await made.client.prompt("a\ud800b😀").result;
    expect(made.server.sends).toMatchObject([{ content: "a\ufffdb😀" }]);
  });
});
