import { step } from "agentwire/testing";
import { expect, test } from "vitest";
import { countingController, gate, once, readyPair } from "../helpers/codebuff.ts";

const TIMES = 1_000;

test("a thousand cancelled turns leave no listener and no timer", async () => {
  await using made = await readyPair({
    mock: { answer: () => ["a"], scheduling: "concurrent" },
    client: { maxConcurrentPrompts: TIMES + 1 },
  });
  const { client, clock, server } = made;
  const { controller, listeners } = countingController();
  await clock.advance(5_000); // the stability timer
  const idle = clock.pending;
  for (let turn = 0; turn < TIMES; turn++) {
    const outcome = await client.prompt("hello", { signal: controller.signal, timeout: 60_000 }).cancel();
    expect(outcome.status).toBe("cancelled");
  }
  await server.waitFor(() => server.prompts.length === TIMES);
  await client.prompt("last").result;
  expect(listeners()).toBe(0);
  expect(clock.pending).toBe(idle);
});

test("a thousand failed turns leave no listener and no timer", async () => {
  await using made = await readyPair({ mock: { answer: () => ["a", step.failMidStream("broke")] } });
  const { client, clock } = made;
  const { controller, listeners } = countingController();
  await clock.advance(5_000);
  const idle = clock.pending;
  for (let turn = 0; turn < TIMES; turn++) {
    const outcome = await client.prompt("hello", { signal: controller.signal, timeout: 60_000 }).outcome;
    expect(outcome).toMatchObject({ status: "failed", error: { code: "turn-failed" } });
  }
  expect(listeners()).toBe(0);
  expect(clock.pending).toBe(idle);
});

test("a hundred lost connections leave no timer and no listener on the client's own signal", async () => {
  const { controller, listeners } = countingController();
  await using made = await readyPair({ client: { signal: controller.signal } });
  const { client, clock, server } = made;
  for (let loss = 0; loss < 100; loss++) {
    const back = once(client, "reconnected");
    server.dropAll();
    await back;
  }
  expect(listeners()).toBe(1);
  await client.close();
  expect(listeners()).toBe(0);
  expect(clock.pending).toBe(0);
});

test("a failed turn that nobody reads causes no unhandled rejection", async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  try {
    await using made = await readyPair({ mock: { answer: () => [step.failBeforeStream("broke")] } });
    const ended = gate();
    const turn = made.client.prompt("hello");
    turn.on("status", (status) => {
      if (status === "failed") ended.open();
    });
    await ended.passed;
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off("unhandledRejection", note);
  }
  expect(unhandled).toEqual([]);
});
