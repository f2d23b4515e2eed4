import { describe, expect, test } from "vitest";
import { FAREWELL } from "../helpers/codey.ts";
import { FakePair, fakePair, say } from "../helpers/codey-fake.ts";
import { thrown } from "../helpers/turns.ts";

describe("the result of a turn", () => {
  test("has its text, rounds, thinking, calls, usage and session", async () => {
    const made = await fakePair({ onToolApproval: () => true });
    const turn = made.client.prompt("one");
    made.says(say.thinking("hm "), say.text("a "), say.request(["c1"]), say.asks("c1"));
    await made.settle();
    made.says(say.completed("c1", "out"), say.thinking("ah"), say.text("b"), say.finished(12));
    expect(await turn.result).toEqual({
      text: "a b",
      sessionId: "session-1",
      rounds: [
        { text: "a ", thinking: "hm ", calls: ["c1"] },
        { text: "b", thinking: "ah", calls: [] },
      ],
      thinking: "hm ah",
      toolCalls: [expect.objectContaining({ id: "c1", state: "done", output: "out", startInferred: true })],
      usage: {
        outputTokens: 12,
        totalOutputTokens: 12,
        contextTokens: 100,
        cacheCreationTokens: 3,
        cacheReadTokens: 7,
      },
    });
  });

  test("has no usage if the server's count is unreadable, and the next usage is an upper bound", async () => {
    const made = await fakePair();
    const turn = made.client.prompt("one");
    made.says({ ...say.finished(), usage: null });
    expect(await turn.result).not.toHaveProperty("usage");
    const next = made.client.prompt("two");
    made.says(say.finished(20));
    expect((await next.result).usage).toMatchObject({ outputTokens: 20, inexact: true });
  });

  test("comes with a warning if the server's count went down", async () => {
    const made = await fakePair();
    const warnings: string[] = [];
    made.client.on("protocolWarning", ({ kind }) => void warnings.push(kind));
    for (const tokens of [20, 5]) {
      const turn = made.client.prompt("go");
      made.says(say.finished(tokens));
      await turn.result;
    }
    expect(warnings).toEqual(["odd-usage"]);
  });

  test("has an upper bound as its usage after a cancelled or failed turn", async () => {
    for (const ends of ["cancel", "error"]) {
      const made = await fakePair();
      const turn = made.client.prompt("one");
      if (ends === "cancel") void turn.cancel();
      else made.says(say.error());
      made.says(say.pong);
      const next = made.client.prompt("two");
      made.says(say.finished(20));
      expect((await next.result).usage).toMatchObject({ inexact: true });
    }
  });
});

describe("a server that only reports retries", () => {
  test("is stopped, and the turn fails with the server's message at the Pong", async () => {
    const made = await fakePair();
    const turn = made.client.prompt("one");
    for (let time = 0; time < 7; time++) made.says(say.retrying());
    expect(made.sent).toEqual(["SendMessage one", "Cancel", "Ping"]);
    expect(turn.status).toBe("cancelling");
    made.says(say.pong);
    expect(await turn.outcome).toMatchObject({
      status: "failed",
      error: { kind: "misconfigured", serverMessage: expect.stringContaining("no key") },
    });
  });
});

describe("the idle timeout", () => {
  test("pauses while a decision is open, and a Pong does not restart it", async () => {
    const made = await fakePair({ idleTimeout: 100, onToolApproval: "manual" });
    const turn = made.client.prompt("one");
    made.says(say.asks("c1"));
    await made.clock.advance(1_000);
    expect(turn.status).toBe("streaming");
    made.client.decide("c1", false);
    await made.clock.advance(60);
    void made.client.ping();
    await made.settle();
    made.says(say.pong);
    await made.clock.advance(40);
    expect(turn.status).toBe("cancelling");
    made.says(say.pong);
    expect(await turn.outcome).toMatchObject({ status: "failed", error: { kind: "idle" } });
  });
});

describe("a connection that ends", () => {
  test("fails the running turn, ends its approval, and hands back queued turns", async () => {
    let signal: AbortSignal | undefined;
    const made = await fakePair({
      reconnect: {},
      onToolApproval: (_, context) => {
        signal = context.signal;
        return new Promise(() => {});
      },
    });
    const turn = made.client.prompt("one");
    const next = made.client.prompt("two");
    made.says(say.text("a"), say.asks("c1"));
    made.socket.ends(1011, "oops");
    expect(await turn.outcome).toMatchObject({
      status: "failed",
      error: {
        code: "connection-lost",
        delivery: "unknown",
        sideEffectsPossible: true,
        message: expect.stringContaining("oops"),
        cause: { closeCode: 1011, closeReason: "oops" },
      },
      partial: { text: "a", toolCalls: [{ state: "abandoned" }] },
    });
    expect(signal?.aborted).toBe(true);
    expect(made.client.decide("c1", true)).toMatchObject({ by: "disconnected" });
    expect(await next.outcome).toMatchObject({
      error: { code: "context-lost", delivery: "not-sent", input: "two" },
    });
  });

  test("passes nothing on: ids, usage, `always` and messages begin anew", async () => {
    const made = await fakePair({ reconnect: {}, onToolApproval: "manual" });
    const old = made.client.conversation();
    const turn = made.client.prompt("one");
    made.says(say.asks("c1"));
    made.client.decide("c1", "always");
    made.says(say.finished(10));
    await turn.result;
    expect(old.messages).toHaveLength(2);
    const late = made.socket;
    const started: unknown[] = [];
    made.client.on("sessionStarted", (session) => void started.push(session));
    made.socket.ends(1006);
    await made.settle();
    await made.clock.advance(500);
    await made.greet("session-2");
    expect(started).toEqual([{ sessionId: "session-2", contextLost: true, previousSessionId: "session-1" }]);
    const next = made.client.conversation().prompt("two");
    late.receives(JSON.stringify(say.text("late")));
    made.says(say.asks("c1"));
    expect(next.pending).toHaveLength(1);
    made.client.decide("c1~2", false);
    made.says(say.finished(4));
    expect(await next.result).toMatchObject({
      text: "",
      sessionId: "session-2",
      usage: { outputTokens: 4 },
    });
    expect(made.client.conversation().messages.map(({ content }) => content)).toEqual(["two", ""]);
    expect(made.client.conversation()).not.toBe(old);
  });

  test("is replaced as often as `reconnect` allows, counted anew after each finished turn", async () => {
    const made = await fakePair({ reconnect: { maxAttempts: 1 } });
    const back = async (): Promise<void> => {
      made.socket.ends(1006);
      await made.settle();
      await made.clock.advance(500);
      if (made.client.status !== "closed") await made.greet();
    };
    await back();
    const turn = made.client.prompt("one");
    made.says(say.finished());
    await turn.result;
    await back();
    expect(made.client.status).toBe("ready");
    await back();
    expect(made.client.status).toBe("closed");
  });

  test.each([
    [{}, "make a new one, with `reconnect` if it is to go on by itself"],
    [{ reconnect: { shouldReconnect: () => false } }, "make a new one"],
  ] as const)(
    "because a cancel was not answered: the next prompt's error says why, and what to do (%o)",
    async (options, advice) => {
      const made = await fakePair({ cancelTimeout: 100, ...options });
      void made.client.prompt("one").cancel();
      await made.clock.advance(100);
      const why = "the server did not answer the `Ping` behind a `Cancel` within 100 ms";
      const message = `this client was closed (${why}); ${advice}`;
      const expected = { code: "closed", delivery: "not-sent", message };
      expect(thrown(() => made.client.prompt("two"))).toMatchObject(expected);
      await expect(made.client.connect()).rejects.toMatchObject(expected);
    },
  );

  test.each([
    ["none was announced", [say.text("a")], undefined],
    ["one was announced", [say.request(["c1"])], true],
    ["one was denied", [say.request(["c1"]), say.toolError("c1", "Denied by user")], true],
  ] as const)("may leave side effects if a call was announced: %s", async (_, said, possible) => {
    const made = await fakePair();
    const turn = made.client.prompt("one");
    made.says(...said);
    made.socket.ends(1006);
    const outcome = await turn.outcome;
    expect(outcome).toMatchObject({ status: "failed", error: { code: "connection-lost" } });
    if (outcome.status !== "failed") return;
    const { error } = outcome;
    expect("sideEffectsPossible" in error ? error.sideEffectsPossible : undefined).toBe(possible);
    expect(error.message.includes("may still run")).toBe(possible === true);
  });

  test.each([
    [[], undefined],
    [[say.asks("c1")], true],
  ] as const)("because a cancel was not answered may leave side effects: %o, %s", async (said, possible) => {
    const made = await fakePair({ cancelTimeout: 100, onToolApproval: "manual" });
    const gone = new Promise<object>((resolve) => made.client.on("disconnected", resolve));
    const turn = made.client.prompt("one");
    made.says(...said);
    void turn.cancel();
    await made.clock.advance(100);
    const error = await gone;
    expect("sideEffectsPossible" in error ? error.sideEffectsPossible : undefined).toBe(possible);
  });

  test("sends no late decision over the next connection", async () => {
    const decide: ((value: boolean) => void)[] = [];
    const made = await fakePair({
      reconnect: {},
      onToolApproval: () => new Promise((resolve) => void decide.push(resolve)),
    });
    made.client.prompt("one");
    made.says(say.asks("c1"));
    made.socket.ends(1006);
    await made.settle();
    await made.clock.advance(500);
    await made.greet("session-2");
    for (const resolve of decide) resolve(true);
    await made.settle();
    expect(made.sent).toEqual([]);
  });
});

describe("close", () => {
  test("ends the session of a link without a greeting", async () => {
    const made = new FakePair();
    void made.client.connect().catch(() => {});
    await made.settle();
    made.socket.accepts();
    void made.client.close();
    expect(made.sent).toEqual(FAREWELL);
  });
});
