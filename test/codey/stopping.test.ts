import type { CodeyClientEvents } from "agentwire/codey";
import { describe, expect, test, vi } from "vitest";
import { LiveTurn } from "../../src/core/turn/live-turn.ts";
import { FAREWELL } from "../helpers/codey.ts";
import { type FakePair, fakePair, say } from "../helpers/codey-fake.ts";

/** What a client tells under a name, as it comes. */
function told<Name extends keyof CodeyClientEvents & string>(
  { client }: FakePair,
  name: Name,
): CodeyClientEvents[Name][0][] {
  const seen: CodeyClientEvents[Name][0][] = [];
  client.on(name, (...values) => void seen.push(values[0]));
  return seen;
}

/** A client whose turn has begun and is being stopped: `Cancel` and `Ping` are out, the `Pong` is not there. */
async function stopping() {
  const made = await fakePair();
  const turn = made.client.prompt("one");
  made.says(say.text("a"));
  void turn.cancel();
  return { made, turn };
}

describe("between Cancel and Pong", () => {
  test("the first end from the server counts, and usage is not counted twice", async () => {
    const { made, turn } = await stopping();
    made.says(say.finished(7), say.error(), say.finished(7), say.pong);
    expect(await turn.outcome).toMatchObject({
      partial: { usage: { outputTokens: 7 }, endedBy: { type: "Finished" } },
    });
  });

  test("the end of a sub-agent does not count as the turn's end", async () => {
    const { made, turn } = await stopping();
    made.says(say.finished(7, 1), say.pong);
    const outcome = await turn.outcome;
    expect(outcome).toMatchObject({ status: "cancelled", partial: { text: "a" } });
    expect(outcome).not.toHaveProperty("partial.endedBy");
    expect(outcome).not.toHaveProperty("partial.usage");
  });

  test("the end of `cancelTimeout` cuts the link, and a turn that timed out stays timed out", async () => {
    const made = await fakePair({ cancelTimeout: 100 });
    const turn = made.client.prompt("one", { timeout: 50, idleTimeout: 50 });
    await made.clock.advance(150);
    expect(await turn.outcome).toMatchObject({ status: "failed", error: { code: "turn-timeout" } });
    expect(made.client.status).toBe("closed");
    expect(made.clock.pending).toBe(0);
  });

  test("close() settles the turn at once, and sends no second Cancel", async () => {
    const { made, turn } = await stopping();
    void made.client.close();
    expect((await turn.outcome).status).toBe("cancelled");
    expect(made.sent).toEqual(["SendMessage one", "Cancel", "Ping", ...FAREWELL]);
    await made.clock.advance(1_000);
    expect(made.clock.pending).toBe(0);
  });
});

describe("after an Error", () => {
  async function failed() {
    const made = await fakePair();
    const turn = made.client.prompt("one");
    made.says(say.text("a", 2), say.error());
    return { made, turn };
  }

  test("a server that goes on is stopped, and its `Finished` still counts for the usage", async () => {
    const { made, turn } = await failed();
    const late = told(made, "late");
    made.says(say.text("b"), say.finished(9, 2), say.pong);
    expect(late).toHaveLength(2);
    expect((await turn.outcome).status).toBe("failed");
    const next = made.client.prompt("two");
    made.says(say.finished(10));
    const { usage } = await next.result;
    expect(usage).toMatchObject({ outputTokens: 1 });
    expect(usage?.inexact).toBeUndefined();
  });

  test("a sub-agent's `Finished` does not count, so the next usage is an upper bound", async () => {
    const { made } = await failed();
    made.says(say.finished(9, 1), say.pong);
    const next = made.client.prompt("two");
    made.says(say.finished(10));
    expect((await next.result).usage).toMatchObject({ outputTokens: 10, inexact: true });
  });

  test("a further Error is emitted as `serverError`", async () => {
    const { made } = await failed();
    const errors = told(made, "serverError");
    made.says(say.error("two"), say.pong, say.error("three"));
    expect(errors).toMatchObject([{ message: "two" }, { message: "three" }]);
  });
});

describe("an approval request that comes too late is denied once", () => {
  test("between Cancel and Pong", async () => {
    const { made } = await stopping();
    made.says(say.asks("c1"), say.asks("c1"), say.pong, say.asks("c1"));
    expect(made.sent.slice(3)).toEqual(["ToolDecision c1 false"]);
  });

  test("while no turn runs", async () => {
    const made = await fakePair({ onToolApproval: () => true });
    const stray = told(made, "stray");
    made.says(say.asks("c1"), say.asks("c1"));
    expect(made.sent).toEqual(["ToolDecision c1 false"]);
    expect(stray).toHaveLength(2);
  });

  test("for each of two requested calls with the same id", async () => {
    const made = await fakePair();
    const turn = made.client.prompt("one");
    made.says(say.request(["x", "x"]));
    void turn.cancel();
    made.says(say.asks("x"), say.asks("x"), say.asks("x"));
    expect(made.sent.slice(3)).toEqual(["ToolDecision x false", "ToolDecision x false"]);
  });

  test.each(["cancel", "error"] as const)(
    "for each of two new calls with an id that was used before, after a %s",
    async (end) => {
      const made = await fakePair({ onToolApproval: () => true });
      const turn = made.client.prompt("one");
      made.says(say.request(["x"]), say.asks("x"));
      await made.settle();
      made.says(say.completed("x"));
      if (end === "cancel") void turn.cancel();
      else made.says(say.error());
      made.says(say.request(["x", "x"]), say.asks("x"), say.asks("x"), say.asks("x"));
      expect(made.sent.slice(2)).toEqual(["Cancel", "Ping", "ToolDecision x false", "ToolDecision x false"]);
    },
  );

  test("while no turn runs; the next turn asks for the same id", async () => {
    const made = await fakePair({ onToolApproval: "manual" });
    made.says(say.asks("c1"));
    const turn = made.client.prompt("one");
    made.says(say.asks("c1"));
    expect(turn.pending).toHaveLength(1);
  });

  test("but after the Pong, an abandoned id and its results belong to the next turn", async () => {
    const made = await fakePair({ onToolApproval: "manual" });
    const turn = made.client.prompt("one");
    made.says(say.request(["x"]), say.asks("x"));
    void turn.cancel();
    made.says(say.pong);
    const next = made.client.prompt("two");
    const late = told(made, "late");
    made.says(say.completed("x", "old"), say.asks("x"));
    expect(late).toMatchObject([{ type: "ToolCompleted" }]);
    expect(next.pending).toMatchObject([{ id: "x~2" }]);
    made.client.decide("x~2", true);
    made.says(say.completed("x", "new"));
    expect(next.toolCalls).toMatchObject([{ id: "x~2", state: "done", output: "new" }]);
    expect(made.sent.slice(-2)).toEqual(["SendMessage two", "ToolDecision x true"]);
  });

  test("but an abandoned id that the next turn requests belongs to the next turn", async () => {
    const made = await fakePair();
    const turn = made.client.prompt("one");
    made.says(say.request(["x"]));
    void turn.cancel();
    made.says(say.pong);
    const next = made.client.prompt("two");
    made.says(say.request(["x"]), say.started("x"), say.completed("x", "new"));
    expect(next.toolCalls).toMatchObject([{ id: "x~2", state: "done", output: "new" }]);
  });

  test("but the next turn asks for an id that was denied before", async () => {
    const made = await fakePair({ onToolApproval: "manual" });
    const turn = made.client.prompt("one");
    made.says(say.asks("c1"));
    made.client.decide("c1", false);
    made.says(say.toolError("c1"), say.finished());
    await turn.result;
    const next = made.client.prompt("two");
    made.says(say.asks("c1"));
    expect(next.pending).toMatchObject([{ id: "c1~2" }]);
    made.client.decide("c1~2", true);
    expect(made.sent.slice(-2)).toEqual(["SendMessage two", "ToolDecision c1 true"]);
  });
});

describe("an unreadable approval request", () => {
  const unreadable = { ...say.asks("c1"), agent_id: "zero" };

  test("is denied, with or without a running turn", async () => {
    const made = await fakePair({ onToolApproval: () => true });
    made.says(unreadable);
    expect(made.sent).toEqual(["ToolDecision c1 false"]);
    made.client.prompt("one");
    made.says(say.request(["c1"]), unreadable);
    expect(made.sent).toEqual(["ToolDecision c1 false", "SendMessage one", "ToolDecision c1 false"]);
  });

  test("is ignored while its call awaits a decision, and is a new call after that", async () => {
    const made = await fakePair({ onToolApproval: "manual" });
    const turn = made.client.prompt("one");
    made.says(say.asks("c1"), unreadable);
    expect(made.sent).toEqual(["SendMessage one"]);
    made.client.decide("c1", true);
    made.says(unreadable);
    expect(made.sent.slice(1)).toEqual(["ToolDecision c1 true", "ToolDecision c1 false"]);
    expect(turn.toolCalls).toMatchObject([
      { id: "c1", state: "running" },
      { id: "c1~2", state: "denied", deniedBy: "policy", reason: "its question cannot be read" },
    ]);
  });

  test("is denied only after the decision on an older request with the same id", async () => {
    const made = await fakePair({ onToolApproval: "manual" });
    made.client.prompt("one");
    made.says(say.request(["x", "x"]), say.asks("x"), { ...unreadable, call_id: "x" });
    expect(made.sent).toEqual(["SendMessage one"]);
    made.client.decide("x", true);
    expect(made.sent.slice(1)).toEqual(["ToolDecision x true", "ToolDecision x false"]);
  });
});

test("a turn whose end throws waits only for its first Pong, and takes no Pong of another turn", async () => {
  const made = await fakePair();
  using _ = vi.spyOn(LiveTurn.prototype, "push").mockImplementationOnce(() => {
    throw new RangeError("broken");
  });
  const turn = made.client.prompt("one");
  made.says(say.finished());
  expect(made.sent.slice(1)).toEqual(["Cancel", "Ping", "Ping"]);
  const next = made.client.prompt("two");
  made.client.prompt("three");
  made.says(say.pong);
  expect((await turn.outcome).status).toBe("failed");
  void next.cancel();
  made.says(say.pong);
  expect(made.sent.slice(4)).toEqual(["SendMessage two", "Cancel", "Ping"]);
  made.says(say.pong);
  expect((await next.outcome).status).toBe("cancelled");
  expect(made.sent.at(-1)).toBe("SendMessage three");
});

test("calls of two agents with the same id are decided separately", async () => {
  const made = await fakePair({ onToolApproval: "manual" });
  const turn = made.client.prompt("one");
  made.says(say.text("a"), say.asks("c1", 0), say.asks("c1", 1));
  expect(turn.pending.map(({ id }) => id)).toEqual(["c1", "c1~2"]);
  made.client.decide("c1~2", false);
  expect(turn.toolCalls.map(({ state }) => state)).toEqual(["awaiting", "denied"]);
  made.client.decide("c1", true);
  expect(turn.toolCalls.map(({ state }) => state)).toEqual(["running", "denied"]);
  expect(made.sent.slice(1)).toEqual(["ToolDecision c1 false", "ToolDecision c1 true"]);
});

test("an unrequested Pong does not keep the connection alive", async () => {
  const made = await fakePair({ keepalive: { interval: 20_000, timeout: 10_000 } });
  await made.clock.advance(20_000);
  made.says(say.pong); // the one that was asked for
  await made.clock.advance(10_000);
  expect(made.client.status).toBe("ready");
  made.says(say.pong);
  await made.clock.advance(10_000);
  made.says(say.text("a"));
  await made.clock.advance(10_000);
  expect(made.client.status).toBe("closed");
});

test("a repeated message restarts the idle timeout", async () => {
  const made = await fakePair({ idleTimeout: 100 });
  const turn = made.client.prompt("one");
  made.says(say.started("c1"));
  await made.clock.advance(60);
  made.says(say.started("c1"));
  await made.clock.advance(60);
  expect(turn.status).toBe("streaming");
  await made.clock.advance(40);
  expect(turn.status).toBe("cancelling");
});

test("queued turns of a lost conversation are handed back, each with its own input", async () => {
  const made = await fakePair({ reconnect: {} });
  const conversation = made.client.conversation();
  const turns = ["one", "two", "three"].map((text) => conversation.prompt(text));
  made.socket.ends(1006);
  const errors = await Promise.all(turns.map(({ result }) => result.catch((error: unknown) => error)));
  expect(errors).toMatchObject([
    { code: "connection-lost", delivery: "unknown" },
    { code: "context-lost", delivery: "not-sent", input: "two" },
    { code: "context-lost", delivery: "not-sent", input: "three" },
  ]);
  expect(() => conversation.prompt("four")).toThrow(expect.objectContaining({ code: "context-lost" }));
});

test("a conversation keeps its session id when the client has another session", async () => {
  const made = await fakePair({ reconnect: {} });
  const conversation = made.client.conversation();
  made.socket.ends(1006);
  await made.clock.advance(30_000);
  await made.greet("session-2");
  expect(conversation.state).toEqual({ protocol: "codey", version: 1, sessionId: "session-1" });
  expect(made.client.conversation().state).toMatchObject({ sessionId: "session-2" });
});

test("a conversation's messages stay in order if a listener of the turn's end prompts", async () => {
  const made = await fakePair();
  const conversation = made.client.conversation();
  const turn = made.client.prompt("one");
  turn.on("status", (status) => {
    if (status === "completed") made.client.prompt("two");
  });
  made.says(say.text("a"), say.finished());
  expect(conversation.messages.map(({ content }) => content)).toEqual(["one", "a", "two"]);
});
