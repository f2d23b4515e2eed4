import { describe, expect, test } from "vitest";
import { type FakeCass, fakeCass, say } from "../helpers/cass-fake.ts";
import { failureOf, rejection } from "../helpers/turns.ts";

const STATUS = { type: "status", sdk_mode: true, memory_count: 42 };
const PONG = { type: "pong" };

describe("`getStatus()` during a turn", () => {
  test("waits for the turn's answer; its timeout starts when its request is written", async () => {
    const made = await fakeCass({ requestTimeout: 1_000 });
    made.client.prompt("hello");
    const status = made.client.getStatus();
    made.says(say.thinking());
    await made.clock.advance(5_000);
    expect(made.sent).toEqual(["chat hello"]);
    await made.answers("Hello!");
    expect(made.sent).toEqual(["chat hello", "status"]);
    await made.clock.advance(999);
    made.says(STATUS);
    expect(await status).toEqual({ sdkMode: true, memoryCount: 42 });
    const late = rejection(made.client.getStatus());
    await made.clock.advance(1_000);
    expect(await late).toMatchObject({ code: "request-timeout", timeout: 1_000 });
  });

  test("waits for an onboarding turn too", async () => {
    const made = await fakeCass();
    made.client.onboardingDemo({ userId: "u1" });
    void made.client.getStatus();
    await made.settle();
    expect(made.sent).toEqual(["onboarding_demo"]);
    await made.answers("Welcome!");
    expect(made.sent).toEqual(["onboarding_demo", "status"]);
  });

  test("waits for the answer of a cancelled turn too", async () => {
    const made = await fakeCass();
    const turn = made.client.prompt("hello");
    void made.client.getStatus();
    await turn.cancel();
    await made.settle();
    expect(made.sent).toEqual(["chat hello"]);
    await made.answers("Hello!");
    expect(made.sent).toEqual(["chat hello", "status"]);
  });

  test("is sent before the queued turns", async () => {
    const made = await fakeCass();
    made.client.prompt("one");
    made.client.prompt("two");
    void made.client.getStatus();
    await made.settle();
    await made.answers("to one");
    expect(made.sent).toEqual(["chat one", "status", "chat two"]);
  });

  test("is sent before a turn that a listener of the answer starts", async () => {
    const made = await fakeCass();
    const turn = made.client.prompt("one");
    turn.on("status", (status) => {
      if (status === "completed") made.client.prompt("two");
    });
    void made.client.getStatus();
    await made.settle();
    await made.answers("to one");
    expect(made.sent).toEqual(["chat one", "status", "chat two"]);
  });

  test("sends one request for several callers, and each gets the answer", async () => {
    const made = await fakeCass();
    made.client.prompt("hello");
    const waiting = [made.client.getStatus(), made.client.getStatus()];
    await made.settle();
    await made.answers("Hello!");
    expect(made.sent).toEqual(["chat hello", "status"]);
    made.says(STATUS);
    expect(await Promise.all(waiting)).toEqual([
      { sdkMode: true, memoryCount: 42 },
      { sdkMode: true, memoryCount: 42 },
    ]);
  });

  test("fails each caller with an error of its own", async () => {
    const made = await fakeCass({ requestTimeout: 1_000 });
    made.client.prompt("hello");
    const failed = [rejection(made.client.getStatus()), rejection(made.client.getStatus())];
    await made.settle();
    await made.answers("Hello!");
    await made.clock.advance(1_000);
    const [one, other] = await Promise.all(failed);
    expect([one, other]).toMatchObject([{ code: "request-timeout" }, { code: "request-timeout" }]);
    expect(one).not.toBe(other);
  });

  test("survives the loss of the connection, and is sent over the next one", async () => {
    const made = await fakeCass();
    made.client.prompt("hello");
    const status = made.client.getStatus();
    await made.settle();
    made.socket.ends();
    await made.greet();
    expect(made.sent).toEqual(["status"]);
    made.says(STATUS);
    expect(await status).toEqual({ sdkMode: true, memoryCount: 42 });
  });

  test('is sent over the new connection if a cancel ends the old one: `cancel: "reconnect"`', async () => {
    const made = await fakeCass({ cancel: "reconnect" });
    const turn = made.client.prompt("one");
    made.client.prompt("two");
    void made.client.getStatus();
    await made.settle();
    void turn.cancel();
    expect(made.sent).toEqual(["chat one"]);
    made.socket.ends(1000);
    await made.greet();
    expect(made.sent).toEqual(["status", "chat two"]);
  });

  test("is sent after `idleTimeout` has ended the turn", async () => {
    const made = await fakeCass({ idleTimeout: 1_000 });
    const turn = made.client.prompt("hello");
    void made.client.getStatus();
    await made.clock.advance(1_000);
    expect(await failureOf(turn)).toMatchObject({ code: "turn-timeout", kind: "idle" });
    await made.greet();
    expect(made.sent).toEqual(["status"]);
  });

  test.each([
    { how: "at once", options: {} },
    { how: "with a `drainTimeout`", options: { drainTimeout: 5_000 } },
  ])("is rejected by `close()`, $how, and nothing more is sent", async ({ options }) => {
    const made = await fakeCass();
    made.client.prompt("hello");
    const status = rejection(made.client.getStatus());
    await made.settle();
    void made.client.close(options);
    expect(await status).toMatchObject({
      code: "closed",
      message: expect.stringContaining("before `status` was sent"),
    });
    await made.answers("Hello!");
    expect(made.sent).toEqual(["chat hello"]);
  });

  test("is rejected if the client does not reconnect", async () => {
    const made = await fakeCass({ reconnect: false });
    made.client.prompt("hello");
    const status = rejection(made.client.getStatus());
    await made.settle();
    made.socket.ends();
    expect(await status).toMatchObject({ code: "connection-lost" });
  });
});

describe("a ping during a turn", () => {
  const keepalive = { interval: 1_000, timeout: 500 };

  /** A client whose server has answered a ping, so that pings count. */
  const pinged = async (): Promise<FakeCass> => {
    const made = await fakeCass({ keepalive });
    await made.clock.advance(1_000);
    made.says(PONG);
    return made;
  };

  test("waits for the turn's answer, and is sent once", async () => {
    const made = await pinged();
    made.client.prompt("hello");
    made.says(say.thinking());
    await made.clock.advance(3_500);
    expect(made.sent).toEqual(["ping", "chat hello"]);
    await made.answers("Hello!");
    expect(made.sent).toEqual(["ping", "chat hello", "ping"]);
  });

  test("that was delayed is followed by the next ping a full interval later", async () => {
    const made = await pinged();
    made.client.prompt("hello");
    await made.clock.advance(1_900);
    await made.answers("Hello!");
    made.says(PONG);
    await made.clock.advance(999);
    expect(made.sent).toEqual(["ping", "chat hello", "ping"]);
    await made.clock.advance(1);
    expect(made.sent).toEqual(["ping", "chat hello", "ping", "ping"]);
  });

  test("that was delayed times out like any other", async () => {
    const made = await pinged();
    made.client.prompt("hello");
    await made.clock.advance(1_000);
    await made.answers("Hello!");
    await made.clock.advance(499);
    expect(made.client.status).toBe("ready");
    await made.clock.advance(1);
    expect(made.client.status).not.toBe("ready");
  });

  test("is sent before the queued turns, which suspend its pong timeout", async () => {
    const made = await pinged();
    made.client.prompt("one");
    made.client.prompt("two");
    await made.clock.advance(1_000);
    await made.answers("to one");
    expect(made.sent).toEqual(["ping", "chat one", "ping", "chat two"]);
    await made.clock.advance(5_000);
    expect(made.client.status).toBe("ready");
  });

  test("is not repeated while its pong is missing; its timeout restarts after the turn", async () => {
    const made = await pinged();
    await made.clock.advance(1_000);
    made.client.prompt("hello");
    await made.clock.advance(1_400);
    await made.answers("Hello!");
    expect(made.sent).toEqual(["ping", "ping", "chat hello"]);
    await made.clock.advance(499);
    expect(made.client.status).toBe("ready");
    await made.clock.advance(1);
    expect(made.client.status).not.toBe("ready");
  });

  test("is not carried over to the next connection", async () => {
    const made = await pinged();
    made.client.prompt("hello");
    await made.clock.advance(1_000);
    made.socket.ends();
    await made.greet();
    expect(made.sent).toEqual([]);
  });
});

describe("a server that reads during a turn: `maxTurnsInFlight` above 1", () => {
  test("gets `status` during a turn; the timeout starts at the end of the turn", async () => {
    const made = await fakeCass({ maxTurnsInFlight: 2, requestTimeout: 1_000 });
    made.client.prompt("hello");
    const status = rejection(made.client.getStatus());
    await made.settle();
    expect(made.sent).toEqual(["chat hello", "status"]);
    await made.clock.advance(5_000);
    await made.answers("Hello!");
    await made.clock.advance(1_000);
    expect(await status).toMatchObject({ code: "request-timeout" });
  });

  test("gets no ping during a turn, because the pong would wait for the answer", async () => {
    const made = await fakeCass({ maxTurnsInFlight: 2, keepalive: { interval: 1_000, timeout: 500 } });
    made.client.prompt("hello");
    await made.clock.advance(2_000);
    expect(made.sent).toEqual(["chat hello"]);
  });
});

test("a client sends at most 64 unanswered `status` requests over a connection", async () => {
  const made = await fakeCass({ requestTimeout: 1 });
  for (let asked = 0; asked < 64; asked++) {
    const status = rejection(made.client.getStatus());
    await made.clock.advance(1);
    expect(await status).toMatchObject({ code: "request-timeout" });
  }
  expect(await rejection(made.client.getStatus())).toMatchObject({
    code: "request-timeout",
    message: expect.stringContaining("was not sent"),
  });
  expect(made.sent).toHaveLength(64);
});
