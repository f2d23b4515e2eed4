import { describe, expect, test } from "vitest";
import { FakePair, fakePair, say } from "../helpers/codey-fake.ts";

/** A client whose socket is open, before the server has said anything. */
async function opened(): Promise<{ readonly made: FakePair; readonly connected: Promise<unknown> }> {
  const made = new FakePair({ headers: { authorization: "Bearer secret-token" } });
  const connected = made.client.connect().catch((error: unknown) => error);
  await made.settle();
  made.socket.accepts();
  await made.settle();
  return { made, connected };
}

describe("the greeting", () => {
  test("makes the client ready with the session's id, and nothing is sent before", async () => {
    const { made, connected } = await opened();
    made.client.prompt("one");
    expect(made.client.status).toBe("handshaking");
    expect(made.socket.sent).toEqual([]);
    made.says({ type: "Connected", session_id: "session-9" });
    await connected;
    expect(made.client).toMatchObject({ status: "ready", sessionId: "session-9" });
    expect(made.sent).toEqual(["SendMessage one"]);
  });

  test.each([
    [say.error("no secret-token here"), "`Error` instead of `Connected`: no [redacted] here"],
    [say.text("a"), "`TextDelta` instead"],
    [{ type: "Hello" }, "a message of an unknown type instead"],
    [{ type: "Connected" }, "Connected: wrong or missing session_id instead"],
  ])("refuses the session if it is another message: %o", async (message, said) => {
    const { made, connected } = await opened();
    made.says(message);
    expect(await connected).toMatchObject({
      code: "handshake-refused",
      message: expect.stringContaining(said),
    });
    expect(made.socket.terminated).toBe(true);
    expect(made.clock.pending).toBe(0);
  });

  test("counts once: a further `Connected` is a stray message", async () => {
    const made = await fakePair();
    const warnings: string[] = [];
    made.client.on("protocolWarning", ({ kind, message }) => void warnings.push(`${kind}: ${message}`));
    made.says({ type: "Connected", session_id: "again" });
    expect(warnings).toEqual(["stray-message: a `Connected` that nobody asked for"]);
    expect(made.client.sessionId).toBe("session-1");
  });
});

describe("requests", () => {
  test("are answered in order within each kind", async () => {
    const made = await fakePair();
    const { client } = made;
    const asked = [client.getState(), client.getHistory(), client.getState()];
    await made.settle();
    expect(made.sent).toEqual(["GetState", "GetHistory", "GetState"]);
    const state = { type: "State", agents: [], pending_approvals: [] };
    made.says({ type: "History", messages: [] }, { ...state, n: 1 }, { ...state, n: 2 });
    expect(await Promise.all(asked)).toMatchObject([{ n: 1 }, { type: "History" }, { n: 2 }]);
  });

  test("for a ping return its round-trip time", async () => {
    const made = await fakePair();
    const rtt = made.client.ping();
    await made.clock.advance(30);
    made.says(say.pong);
    expect(await rtt).toBe(30);
  });

  test("fail without an answer in time, and a late answer is not taken for the next request's", async () => {
    const made = await fakePair({ requestTimeout: 100 });
    const first = made.client.getState().catch((error: unknown) => error);
    await made.clock.advance(100);
    expect(await first).toMatchObject({
      code: "request-timeout",
      timeout: 100,
      message: expect.stringContaining("GetState"),
    });
    const second = made.client.getState();
    await made.settle();
    const state = { type: "State", agents: [], pending_approvals: [] };
    made.says({ ...state, n: 1 }, { ...state, n: 2 });
    expect(await second).toMatchObject({ n: 2 });
  });

  test("fail if their answer is unreadable", async () => {
    const made = await fakePair();
    const state = made.client.getState().catch((error: unknown) => error);
    const history = made.client.getHistory().catch((error: unknown) => error);
    await made.settle();
    made.says({ type: "State" }, { type: "History", messages: 7 });
    expect(await state).toMatchObject({
      code: "request-refused",
      serverMessage: expect.stringContaining("agents"),
    });
    expect(await history).toMatchObject({ code: "request-refused" });
  });

  test("fail when the connection is lost", async () => {
    const made = await fakePair();
    const asked = [made.client.getState(), made.client.getHistory(), made.client.ping()];
    await made.settle();
    made.socket.ends(1011, "oops");
    for (const each of asked)
      await expect(each).rejects.toMatchObject({ code: "connection-lost", closeCode: 1011 });
    expect(made.clock.pending).toBe(0);
  });

  test("fail when the client closes", async () => {
    const made = await fakePair();
    const asked = [made.client.getState(), made.client.getHistory(), made.client.ping()];
    await made.settle();
    void made.client.close();
    for (const each of asked) await expect(each).rejects.toMatchObject({ code: "closed" });
  });

  test("are not sent if the connection ends just before", async () => {
    const made = await fakePair();
    const asked = made.client.getState();
    made.socket.ends(1006);
    await expect(asked).rejects.toMatchObject({ code: "connection-lost", delivery: "not-sent" });
  });

  test("that were never made: their answers are stray messages", async () => {
    const made = await fakePair();
    const warnings: string[] = [];
    made.client.on("protocolWarning", ({ message }) => void warnings.push(message));
    made.says(
      say.pong,
      { type: "State", agents: [], pending_approvals: [] },
      { type: "History", messages: [] },
    );
    expect(warnings).toEqual(
      ["Pong", "State", "History"].map((what) => `a \`${what}\` that nobody asked for`),
    );
  });
});

describe("messages", () => {
  test("of an unknown type are emitted unchanged", async () => {
    const made = await fakePair();
    const unknown: unknown[] = [];
    made.client.on("unknownMessage", (message) => void unknown.push(message));
    made.says({ type: "Telemetry", n: 1 });
    expect(unknown).toEqual([{ type: "Telemetry", n: 1 }]);
  });

  test("that are unreadable cause a warning with their text, and the turn goes on", async () => {
    const made = await fakePair();
    const turn = made.client.prompt("one");
    const warnings: unknown[] = [];
    made.client.on("protocolWarning", (warning) => void warnings.push(warning));
    made.says({ type: "TextDelta", agent_id: "0", content: "a" }, say.text("b"), say.finished());
    expect((await turn.result).text).toBe("b");
    expect(warnings).toMatchObject([
      { kind: "invalid-message", raw: expect.stringContaining('"content":"a"') },
    ]);
  });

  test("do not reveal credentials in errors", async () => {
    const made = new FakePair({ headers: { authorization: "Bearer secret-token" } });
    const turn = made.client.prompt("one");
    await made.settle();
    await made.greet();
    made.says(say.error("refused: secret-token"));
    await expect(turn.result).rejects.toMatchObject({ serverMessage: "refused: [redacted]" });
    const next = made.client.prompt("two");
    made.says(say.pong);
    for (let time = 0; time < 5; time++) made.says({ ...say.retrying(), error: "secret-token" });
    made.says(say.pong);
    await expect(next.result).rejects.toMatchObject({ serverMessage: expect.stringContaining("[redacted]") });
  });
});

describe("a listener of `message` that ends the connection", () => {
  test("in the greeting: the session starts, is emitted, and is closed", async () => {
    const { made, connected } = await opened();
    const told: unknown[] = [];
    made.client.on("sessionStarted", (session) => void told.push(session));
    made.client.on("message", () => void made.client.close());
    made.says({ type: "Connected", session_id: "session-9" });
    expect(await connected).toBeUndefined();
    expect(told).toEqual([{ sessionId: "session-9", contextLost: false }]);
    await made.clock.advance(1_000);
    expect(made.client.status).toBe("closed");
    expect(made.clock.pending).toBe(0);
  });

  test("in a turn: the message still ends its turn, and is not stray", async () => {
    const made = await fakePair({ reconnect: {} });
    const turn = made.client.prompt("one");
    const told: unknown[] = [];
    made.client.on("stray", (message) => void told.push(message));
    made.client.on("message", () => made.socket.ends(1006));
    made.says(say.finished());
    expect((await turn.outcome).status).toBe("completed");
    expect(told).toEqual([]);
    expect(made.client.status).toBe("reconnecting");
  });
});

describe("the keepalive", () => {
  test("needs a Pong: without it, other messages do not keep the link", async () => {
    const made = await fakePair({ keepalive: { interval: 100, timeout: 50 } });
    const turn = made.client.prompt("one");
    await made.clock.advance(100);
    expect(made.sent.at(-1)).toBe("Ping");
    made.says(say.text("a"));
    await made.clock.advance(50);
    expect(made.socket.terminated).toBe(true);
    await expect(turn.result).rejects.toMatchObject({ code: "connection-lost" });
  });

  test("also works during a cancel, and each Pong belongs to its own Ping", async () => {
    const made = await fakePair({ keepalive: { interval: 100, timeout: 50 } });
    const turn = made.client.prompt("one");
    await made.clock.advance(100);
    void turn.cancel();
    made.says(say.pong);
    expect(turn.status).toBe("cancelling");
    made.says(say.pong);
    expect(turn.status).toBe("cancelled");
    await made.clock.advance(99);
    expect(made.client.status).toBe("ready");
  });
});
