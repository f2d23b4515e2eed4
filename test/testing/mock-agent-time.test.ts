import { agentStep, ManualClock, MockAgent } from "agentwire/testing";
import { expect, test } from "vitest";

test("with `pace` each event waits for the clock", async () => {
  const clock = new ManualClock();
  const agent = new MockAgent({ clock, pace: 100 }).script(["one two three"]);
  const turn = agent.client().prompt("hello");
  await clock.advance(0);
  const texts: string[] = [turn.text];
  for (let step = 0; step < 3; step++) {
    await clock.advance(100);
    texts.push(turn.text);
  }
  expect(texts).toEqual(["one ", "one two ", "one two three", "one two three"]);
  expect((await turn.outcome).status).toBe("completed");
  expect(clock.now()).toBe(300);
});

test("without `pace` and delays, an answer needs no timer", async () => {
  const clock = new ManualClock();
  const client = new MockAgent({ clock }).client();
  expect((await client.prompt("hello").outcome).status).toBe("completed");
  expect([clock.now(), clock.pending]).toEqual([0, 0]);
});

test("a reader sees each event before the next one is emitted", async () => {
  const turn = new MockAgent().script(["one two three"]).client().prompt("hello");
  const seen: string[] = [];
  for await (const _ of turn.textStream) seen.push(turn.text);
  expect(seen).toEqual(["one ", "one two ", "one two three"]);
});

test("a delay waits for a number of ms on the clock", async () => {
  const clock = new ManualClock();
  const turn = new MockAgent({ clock })
    .script([["a", agentStep.delay(500), "b"]])
    .client()
    .prompt("hello");
  await clock.advance(499);
  expect(turn.text).toBe("a");
  await clock.advance(1);
  expect((await turn.result).text).toBe("ab");
});

test("a gate holds each script until the gate is released permanently", async () => {
  const agent = new MockAgent({ turnsAtOnce: 2 }).script([["a", agentStep.wait("gate"), "b"]]);
  const client = agent.client();
  const turns = [client.prompt("1"), client.prompt("2")];
  await agent.waitFor(({ prompts }) => prompts.length === 2);
  await new Promise<void>((resolve) => void turns[1]?.on("event", () => resolve()));
  expect(turns.map(({ status }) => status)).toEqual(["streaming", "streaming"]);
  agent.release("gate");
  for (const turn of [...turns, client.prompt("3")]) expect((await turn.result).text).toBe("ab");
});

test("a turn that hangs lasts until it is stopped", async () => {
  const clock = new ManualClock();
  const agent = new MockAgent({ clock }).script([["a", agentStep.hang(), "never"]]);
  const turn = agent.client().prompt("hello", { timeout: 5_000 });
  await clock.advance(4_999);
  expect(turn.status).toBe("streaming");
  await clock.advance(1);
  expect(await turn.outcome).toMatchObject({
    status: "failed",
    error: { code: "turn-timeout", kind: "total" },
    partial: { text: "a" },
  });
  expect(agent.cancels).toEqual([{ turnId: turn.id, by: "timeout" }]);
});

test("a cancel takes `cancelDelay`, and the next turn waits for it", async () => {
  const clock = new ManualClock();
  const agent = new MockAgent({ clock, cancelDelay: 1_000 }).script([["a", agentStep.hang()], "next"]);
  const client = agent.client();
  const turn = client.prompt("hello");
  await clock.advance(0);
  const ends: unknown[] = [];
  turn.on("end", ({ status }) => ends.push(status));
  const cancelled = turn.cancel();
  const next = client.prompt("more");
  await clock.advance(999);
  expect([turn.status, next.status, ends]).toEqual(["cancelling", "queued", ["cancelled"]]);
  await clock.advance(1);
  expect(await cancelled).toMatchObject({ status: "cancelled", by: "user", partial: { text: "a" } });
  expect((await next.result).text).toBe("next");
});

test("close() ends a running cancel, and leaves no timer", async () => {
  const clock = new ManualClock();
  const agent = new MockAgent({ clock, cancelDelay: 1_000 }).script([["a", agentStep.hang()]]);
  const client = agent.client();
  const turn = client.prompt("hello");
  await clock.advance(0);
  const cancelled = turn.cancel();
  await client.close();
  expect((await cancelled).status).toBe("cancelled");
  expect(clock.pending).toBe(0);
});

test("a backend that receives no cancels plays the script to its end, without events", async () => {
  const agent = new MockAgent({ answersAfterCancel: true });
  const played = new Promise<void>((resolve) => {
    agent.script(function* ({ n }) {
      yield "part ";
      if (n > 1) return;
      yield agentStep.wait("rest");
      yield "and rest";
      resolve();
    });
  });
  const client = agent.client();
  const turn = client.prompt("hello");
  await new Promise<void>((resolve) => void turn.on("event", () => resolve()));
  const told: unknown[] = [];
  turn.on("event", (event) => told.push(event));
  expect((await turn.cancel()).status).toBe("cancelled");
  expect((await client.prompt("more").result).text).toBe("part ");
  agent.release("rest");
  await played;
  expect([told, turn.text]).toEqual([[], "part "]);
});
