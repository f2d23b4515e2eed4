import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { agentWith, json, runWorld } from "./world.ts";

// Many runs on one client: none disturbs another, and nothing of them stays.

test("50 runs at once each get their own answer, tool result and cost", async () => {
  const glob = ({ input }: { input: { readonly pattern?: unknown } }) => json(`found ${input.pattern}`);
  const answer = ({
    request,
    call,
  }: {
    request: { messages: readonly { text: string }[] };
    call: number;
  }) => {
    const mine = /<user_message>(.*)<\/user_message>/.exec(request.messages[0]?.text ?? "")?.[1] ?? "";
    if (call === 1)
      return { toolCalls: [{ name: "glob", arguments: { pattern: mine } }], usage: { cost: 0.05 } };
    return `${mine}: ${request.messages.at(-1)?.text}`;
  };
  await using at = await runWorld({ answer }, { agent: agentWith("glob"), overrideTools: { glob } });
  const names = Array.from({ length: 50 }, (_, index) => `run-${index}`);
  const results = await Promise.all(names.map((name) => at.client.prompt(name).result));
  expect(results.map(({ text }) => text)).toEqual(names.map((name) => `${name}: "found ${name}"`));
  expect(new Set(results.map(({ runId }) => runId)).size).toBe(50);
  expect(new Set(at.chats().map(({ codebuff_metadata }) => codebuff_metadata["client_id"])).size).toBe(50);
  for (const { cost, toolCalls } of results) expect([cost?.amount, toolCalls.length]).toEqual([5, 1]);
  expect(at.backend.runs().every(({ status }) => status === "completed")).toBe(true);
  expect(at.clock.pending).toBe(0);
});

test("300 runs on one client and one signal leave no listener and no timer", async () => {
  const stop = new AbortController();
  await using at = await runWorld(
    { answer: () => "Hello" },
    { signal: stop.signal, maxRuns: 10, maxQueuedTurns: 1_000, toolTimeout: 100 },
  );
  const before = getEventListeners(stop.signal, "abort").length;
  for (let round = 0; round < 20; round++) {
    const turns = Array.from({ length: 15 }, () =>
      at.client.prompt("hi", { signal: stop.signal, timeout: 1_000, idleTimeout: 1_000 }),
    );
    for (const outcome of await Promise.all(turns.map((turn) => turn.outcome)))
      expect(outcome.status).toBe("completed");
    expect(at.clock.pending).toBe(0);
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(before);
    at.backend.reset();
  }
});

test("`maxRuns` queues further prompts, and `close()` hands them back as not sent", async () => {
  await using at = await runWorld({ answer: () => ({ text: ["a", new Promise(() => {})] }) }, { maxRuns: 1 });
  const [running, waiting] = [at.client.prompt("one"), at.client.prompt("two")];
  await new Promise<void>((resolve) => running.on("event", ({ type }) => type === "chunk" && resolve()));
  expect([running.status, waiting.status]).toEqual(["streaming", "queued"]);
  await at.client.close();
  await expect(waiting.result).rejects.toMatchObject({ code: "closed", delivery: "not-sent", input: "two" });
  await expect(running.result).rejects.toMatchObject({ code: "closed", delivery: "unknown" });
  expect(() => at.client.prompt("three")).toThrow(expect.objectContaining({ code: "closed" }));
});

test("`close({ drainTimeout })` waits for running turns, at most for this time", async () => {
  let goOn = (): void => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  await using at = await runWorld({ answer: [{ text: ["a", held, "b"] }] });
  const turn = at.client.prompt("hi");
  await new Promise<void>((resolve) => turn.on("event", ({ type }) => type === "chunk" && resolve()));
  const closed = at.client.close({ drainTimeout: 5_000 });
  goOn();
  expect((await turn.result).text).toBe("ab");
  await closed;
  const late = at.another();
  at.backend.answer = () => ({ text: [new Promise(() => {})] });
  const stuck = late.prompt("hi");
  await at.backend.waitFor(() => at.chats().length === 2);
  const over = late.close({ drainTimeout: 4_000 });
  await at.pass(4_000);
  await over;
  await expect(stuck.result).rejects.toMatchObject({ code: "closed" });
});
