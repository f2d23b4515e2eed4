import { expect } from "vitest";
import { TEXT } from "./fixture.ts";
import { promise } from "./promise.ts";
import {
  countingController,
  drain,
  failureOf,
  hold,
  rejection,
  STAGES,
  staged,
  statesOf,
  status,
  within,
  works,
} from "./support.ts";

const ONE = { oneAtATime: true } as const;

for (const stage of STAGES) {
  promise(
    `abort: a turn that ${stage} throws its signal's reason at the reader, once`,
    ONE,
    async (scene) => {
      const { client } = scene;
      const { controller, listeners } = countingController();
      const { turn, text, delivery, goOn } = await staged(stage, scene, { signal: controller.signal });
      const reason = new Error("the page was left");
      controller.abort(reason);
      const events = turn.textStream[Symbol.asyncIterator]();
      const { values, thrown } = await drain({ [Symbol.asyncIterator]: () => events });
      const cancelled = { code: "turn-cancelled", by: "signal", cause: reason, delivery, partial: { text } };
      expect(values.join("")).toBe(text);
      expect(thrown).toMatchObject(cancelled);
      expect(await events.next()).toEqual({ done: true, value: undefined });
      goOn();
      expect(await turn.outcome).toMatchObject({ status: "cancelled", by: "signal", partial: { text } });
      expect(await rejection(turn.result)).toMatchObject(cancelled);
      expect(await works(client)).toBe(TEXT);
      expect(listeners()).toBe(0);
    },
  );

  promise(
    `abort: a turn that ${stage} settles in time even if the backend falls silent`,
    ONE,
    async (scene) => {
      const { backend, clock, facts } = scene;
      const controller = new AbortController();
      const { turn } = await staged(stage, scene, { signal: controller.signal });
      backend.fallSilent();
      controller.abort();
      const outcome = await within(clock, facts.within.cancel, turn.outcome);
      expect(outcome).toMatchObject({ status: "cancelled", by: "signal" });
    },
  );
}

promise("abort: a turn with an already aborted signal is not sent", async ({ client, backend }) => {
  const reason = new Error("too late");
  const turn = client.prompt("hello", { signal: AbortSignal.abort(reason) });
  expect(await drain(turn)).toMatchObject({
    values: [],
    thrown: { code: "turn-cancelled", by: "signal", cause: reason, delivery: "not-sent", input: "hello" },
  });
  expect((await turn.outcome).status).toBe("cancelled");
  await works(client);
  expect(backend.prompts.map(({ text }) => text)).toEqual(["are you there?"]);
});

promise("abort: a signal has no effect after the end of its turn", async ({ client }) => {
  const { controller, listeners } = countingController();
  const turn = client.prompt("hello", { signal: controller.signal });
  expect(listeners()).toBe(1);
  const outcome = await turn.outcome;
  expect(listeners()).toBe(0);
  controller.abort();
  expect(await turn.outcome).toBe(outcome);
  expect(turn.status).toBe("completed");
});

promise("abort: one signal ends all its turns and no others", ONE, async ({ client, backend }) => {
  const goOn = hold(backend);
  const controller = new AbortController();
  const { signal } = controller;
  const ended = [client.prompt("one", { signal }), client.prompt("two", { signal })];
  const other = client.prompt("three");
  await backend.received(1);
  controller.abort();
  goOn();
  const outcomes = await Promise.all(ended.map(({ outcome }) => outcome));
  expect(outcomes.map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
  expect((await other.result).text).toBe(TEXT);
  expect(backend.prompts.map(({ text }) => text)).toEqual(["one", "three"]);
});

promise("abort: a turn that is being cancelled stays cancelled by the user", ONE, async (scene) => {
  const controller = new AbortController();
  const { turn, goOn } = await staged("streams", scene, { signal: controller.signal });
  const states = statesOf(turn);
  const cancelled = turn.cancel();
  controller.abort();
  goOn();
  expect(await cancelled).toMatchObject({ status: "cancelled", by: "user" });
  expect(states.filter((state) => state === "cancelled")).toHaveLength(1);
});

promise("abort: the client's own signal closes the client", async ({ another, backend, clock, facts }) => {
  const { controller, listeners } = countingController();
  const client = another({ signal: controller.signal });
  await client.connect();
  expect(listeners()).toBe(1);
  hold(backend);
  const turn = client.prompt("hello");
  await backend.received(1);
  controller.abort(new Error("shutting down"));
  await within(clock, facts.within.close, status(client, "closed"));
  expect(await failureOf(turn)).toMatchObject({ code: "closed" });
  expect(listeners()).toBe(0);
});

promise("abort: a client with an already aborted signal is closed", async ({ another, backend }) => {
  const calls = backend.calls;
  const client = another({ signal: AbortSignal.abort() });
  expect(client.status).toBe("closed");
  expect(() => client.prompt("hello")).toThrow(expect.objectContaining({ code: "closed" }));
  expect(await rejection(client.connect())).toMatchObject({ code: "closed" });
  expect(backend.calls).toBe(calls);
});
