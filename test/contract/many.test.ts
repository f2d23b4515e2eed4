import { expect } from "vitest";
import { share } from "../helpers/runs.ts";
import { TEXT } from "./fixture.ts";
import { promise } from "./promise.ts";
import { countingController, drain, hold, rejection, staged } from "./support.ts";

/** ms of being ready after which no client watches its link for a first failure any more. */
const STABLE = 30_000;

promise("many: turns in a row come in order, and leave no listener and no timer", async (scene) => {
  const { client, backend, clock, facts } = scene;
  const { controller, listeners } = countingController();
  backend.answer = (prompt) => ["to ", prompt];
  await clock.advance(STABLE);
  const idle = clock.pending;
  const count = share(facts.turnsInARow);
  for (let turn = 0; turn < count; turn++) {
    const asked = client.prompt(`turn ${turn}`, {
      signal: controller.signal,
      timeout: 600_000,
      idleTimeout: 600_000,
    });
    const { values } = await drain(asked.textStream);
    expect(values.join("")).toBe(`to turn ${turn}`);
  }
  expect(listeners()).toBe(0);
  expect(clock.pending).toBe(idle);
  expect(backend.prompts.map(({ text }) => text)).toEqual(
    Array.from({ length: count }, (_, turn) => `turn ${turn}`),
  );
});

promise(
  "many: a hundred turns made at once complete in order",
  { maxQueuedTurns: 100 },
  async ({ client, backend }) => {
    backend.answer = (prompt) => ["to ", prompt];
    const asked = Array.from({ length: 100 }, (_, turn) => `turn ${turn}`);
    const ended: string[] = [];
    const turns = asked.map((text) => {
      const turn = client.prompt(text);
      turn.on("status", (state) => state === "completed" && ended.push(text));
      return turn;
    });
    const results = await Promise.all(turns.map(({ result }) => result));
    expect(results.map(({ text }) => text)).toEqual(asked.map((text) => `to ${text}`));
    expect(ended).toEqual(asked);
  },
);

promise("many: cancelled, aborted and failed turns leave no listener and no timer", async (scene) => {
  const { client, backend, clock } = scene;
  await clock.advance(STABLE);
  const idle = clock.pending;
  const { controller, listeners } = countingController();
  const { signal } = controller;
  for (let round = 0; round < 20; round++) {
    const cancelled = await staged("streams", scene, { signal, timeout: 600_000 });
    const settled = cancelled.turn.cancel();
    cancelled.goOn();
    expect((await settled).status).toBe("cancelled");
    const own = countingController();
    const aborted = await staged("streams", scene, { signal: own.controller.signal, timeout: 600_000 });
    own.controller.abort();
    aborted.goOn();
    expect((await aborted.turn.outcome).status).toBe("cancelled");
    expect(own.listeners()).toBe(0);
    backend.answer = () => [{ fails: "broke" }];
    const failed = client.prompt("hello", { signal, timeout: 600_000, idleTimeout: 600_000 });
    expect(await rejection(failed.result)).toMatchObject({ code: "turn-failed" });
  }
  hold(backend)();
  expect((await client.prompt("last").result).text).toBe("part and rest");
  expect((await client.prompt("usual").result).text).toBe(TEXT);
  expect(listeners()).toBe(0);
  expect(clock.pending).toBe(idle);
});

promise(
  "many: thirty lost links leave no timer, and no listener on the client's own signal",
  async (scene) => {
    const { another, link, clock } = scene;
    const { controller, listeners } = countingController();
    const client = another({ reconnect: {}, signal: controller.signal });
    await client.connect();
    await clock.advance(STABLE);
    const idle = clock.pending;
    for (let loss = 0; loss < 30; loss++) {
      const back = new Promise<void>((resolve) => {
        const off = client.on("reconnected", () => {
          off();
          resolve();
        });
      });
      link.end("cut");
      await back;
      expect((await client.prompt("hello").result).text).toBe(TEXT);
    }
    await clock.advance(STABLE);
    expect(clock.pending).toBe(idle);
    expect(listeners()).toBe(1);
  },
);
