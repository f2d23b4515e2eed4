import { agentStep, ManualClock, MockAgent, type MockAgentClient } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { failureOf, rejection, thrown } from "../helpers/turns.ts";

/** The states of a client from now on. */
function statesOf(client: MockAgentClient): readonly string[] {
  const states: string[] = [];
  client.on("status", (status) => states.push(status));
  return states;
}

/** Resolves once the client has the status. */
function status(client: MockAgentClient, wanted: MockAgentClient["status"]): Promise<void> {
  return new Promise((resolve) => {
    client.on("status", (now) => now === wanted && resolve());
    if (client.status === wanted) resolve();
  });
}

describe("a connection attempt", () => {
  test("takes `connectDelay` on the clock", async () => {
    const clock = new ManualClock();
    const client = new MockAgent({ clock, connectDelay: 2_000 }).client();
    const states = statesOf(client);
    const connected = client.connect();
    await clock.advance(1_999);
    expect(states).toEqual(["connecting"]);
    await clock.advance(1);
    await connected;
    expect(states).toEqual(["connecting", "handshaking", "ready"]);
    expect(clock.pending).toBe(0);
  });

  test("is refused a number of times, or always with a reason", async () => {
    const agent = new MockAgent({ refuseConnect: 2 });
    const client = agent.client();
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(await failureOf(client.prompt("hello"))).toMatchObject({
        code: "connect-failed",
        delivery: "not-sent",
        input: "hello",
        retryable: true,
      });
      expect(client.status).toBe("idle");
    }
    expect((await client.prompt("hello").outcome).status).toBe("completed");
    agent.set({ refuseConnect: "no room" });
    expect(await rejection(agent.client().connect())).toMatchObject({ message: "no room" });
    agent.set({ refuseConnect: false });
    await agent.client().connect();
    expect(agent.attempts).toBe(5);
  });
});

describe("a lost connection", () => {
  test("in a script fails the turn, and the client reconnects", async () => {
    const clock = new ManualClock();
    const agent = new MockAgent({ clock, reconnect: { delay: 3_000 } });
    agent.script([["part", agentStep.lose({ message: "the tunnel" }), "never"], "again"]);
    const client = agent.client();
    const states = statesOf(client);
    const turn = client.prompt("hello");
    const waiting = client.prompt("second");
    const backoffs: unknown[] = [];
    client.on("reconnecting", ({ attempt, delay }) => backoffs.push([attempt, delay]));
    const error = await failureOf(turn);
    expect(error).toMatchObject({
      code: "connection-lost",
      delivery: "unknown",
      message: "the tunnel",
      partial: { text: "part" },
    });
    expect([waiting.status, backoffs]).toEqual(["queued", [[1, 3_000]]]);
    await clock.advance(2_999);
    expect(client.status).toBe("reconnecting");
    const back = new Promise<void>((resolve) => void client.on("reconnected", resolve));
    await clock.advance(1);
    await back;
    expect((await waiting.result).text).toBe("again");
    expect(states).toEqual([
      "connecting",
      "handshaking",
      "ready",
      "reconnecting",
      "connecting",
      "handshaking",
      "ready",
    ]);
    expect(agent.prompts.map(({ text }) => text)).toEqual(["hello", "second"]);
  });

  test("with `recovers` continues the answer after the reconnect", async () => {
    const clock = new ManualClock();
    const agent = new MockAgent({ clock, reconnect: { delay: 1_000 } });
    agent.script([["before ", agentStep.lose({ recovers: true }), "and behind"]]);
    const client = agent.client();
    const turn = client.prompt("hello");
    const states: string[] = [];
    turn.on("status", (state) => states.push(state));
    await status(client, "reconnecting");
    await clock.advance(999);
    expect([turn.status, turn.text]).toEqual(["recovering", "before "]);
    await clock.advance(1);
    expect((await turn.result).text).toBe("before and behind");
    expect(states).toEqual(["queued", "sent", "streaming", "recovering", "completed"]);
    expect(agent.prompts).toHaveLength(1);
  });

  test("without a way back closes the client after the last attempt", async () => {
    const agent = new MockAgent({ reconnect: { maxAttempts: 3 } });
    agent.script([["part", agentStep.lose({ back: false, recovers: true }), "never"]]);
    const client = agent.client();
    const turn = client.prompt("hello");
    const waiting = client.prompt("second");
    const attempts: number[] = [];
    client.on("reconnecting", ({ attempt }) => attempts.push(attempt));
    await status(client, "closed");
    expect(attempts).toEqual([1, 2, 3]);
    expect(await failureOf(turn)).toMatchObject({
      code: "connection-lost",
      delivery: "unknown",
      partial: { text: "part" },
    });
    expect(await failureOf(waiting)).toMatchObject({ delivery: "not-sent", input: "second" });
    expect(client.closedBy).toMatchObject({ code: "connect-failed" });
    expect(thrown(() => client.prompt("more"))).toMatchObject({ code: "closed", cause: client.closedBy });
  });

  test("`forGood` closes the client, whatever `reconnect` says", async () => {
    const agent = new MockAgent().script([["part", agentStep.close("go away")]]);
    const client = agent.client();
    const turn = client.prompt("hello");
    await status(client, "closed");
    expect(await failureOf(turn)).toMatchObject({ code: "connection-lost", message: "go away" });
    expect(client.closedBy).toMatchObject({ code: "connection-lost", message: "go away" });
    expect((await agent.script(["new"]).client().prompt("hello").result).text).toBe("new");
  });

  test("with `forgets` ends the conversations, and new ones work", async () => {
    const agent = new MockAgent().script(["hi", [agentStep.forget()], "new"]);
    const client = agent.client();
    const talk = client.conversation();
    await talk.prompt("one").result;
    const turn = talk.prompt("two");
    const waiting = talk.prompt("three");
    expect(await failureOf(turn)).toMatchObject({ code: "context-lost", delivery: "unknown" });
    expect(await failureOf(waiting)).toMatchObject({
      code: "context-lost",
      delivery: "not-sent",
      input: "three",
    });
    const refused = { code: "context-lost", delivery: "not-sent", input: "four" };
    expect(thrown(() => talk.prompt("four"))).toMatchObject(refused);
    expect(talk.messages).toHaveLength(2);
    expect((await client.conversation().prompt("five").result).text).toBe("new");
  });

  test("by `disconnect()` affects the clients that are ready", async () => {
    const agent = new MockAgent();
    const [ready, idle] = [agent.client(), agent.client()];
    await ready.connect();
    const gone = new Promise((resolve) => void ready.on("disconnected", resolve));
    agent.disconnect({ message: "pulled" });
    expect(await gone).toMatchObject({ code: "connection-lost", message: "pulled" });
    await status(ready, "ready");
    expect(idle.status).toBe("idle");
  });
});

describe("close()", () => {
  test("waits for running turns with `drainTimeout`, and refuses new ones", async () => {
    const agent = new MockAgent().script([["part", agentStep.wait("end"), " and rest"]]);
    const client = agent.client();
    const turn = client.prompt("hello");
    await agent.waitFor(({ prompts }) => prompts.length === 1);
    const closed = client.close({ drainTimeout: 60_000 });
    expect(client.status).toBe("draining");
    expect(thrown(() => client.prompt("more"))).toMatchObject({ code: "closed" });
    agent.release("end");
    expect((await turn.result).text).toBe("part and rest");
    await closed;
    expect([client.status, client.closedBy?.code]).toEqual(["closed", "closed"]);
  });

  test("ends when the connection is lost meanwhile", async () => {
    const agent = new MockAgent().script([
      ["part", agentStep.wait("end"), agentStep.lose({ recovers: true })],
    ]);
    const client = agent.client();
    const turn = client.prompt("hello");
    await agent.waitFor(({ prompts }) => prompts.length === 1);
    const closed = client.close({ drainTimeout: 60_000 });
    agent.release("end");
    expect(await failureOf(turn)).toMatchObject({ code: "connection-lost", delivery: "unknown" });
    await closed;
    expect(client.closedBy).toMatchObject({ code: "closed" });
    expect(client.closedBy).toBe(client.closedBy);
  });

  test("with `force` ends a wait for running turns", async () => {
    const clock = new ManualClock();
    const agent = new MockAgent({ clock }).script([["part", agentStep.hang()]]);
    const client = agent.client();
    const turn = client.prompt("hello");
    await agent.waitFor(({ prompts }) => prompts.length === 1);
    const closed = client.close({ drainTimeout: 60_000 });
    await Promise.all([closed, client.close({ force: true })]);
    expect(await turn.outcome).toMatchObject({ status: "failed", error: { code: "closed" } });
    expect(clock.pending).toBe(0);
  });
});
