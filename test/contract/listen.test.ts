import { expect, vi } from "vitest";
import { EventBuffer } from "../../src/core/turn/event-buffer.ts";
import { TEXT } from "./fixture.ts";
import { promise } from "./promise.ts";
import { collect, drain, eventsOf, hold, shows, statesOf, thrown, works } from "./support.ts";

promise(
  "listen: a late listener gets the current status and later events only",
  async ({ client, backend }) => {
    const goOn = hold(backend);
    const turn = client.prompt("hello");
    const early = eventsOf(turn);
    await shows(client, turn, "part");
    const seen = early.length;
    const states = statesOf(turn);
    const late = eventsOf(turn);
    goOn();
    await turn.outcome;
    expect(states).toEqual(["streaming", "completed"]);
    expect(late).toEqual(early.slice(early.length - late.length));
    expect(late.length).toBeLessThanOrEqual(early.length - seen);
  },
);

promise("listen: a listener added to a settled turn gets its final status", async ({ client }) => {
  const turn = client.prompt("hello");
  await turn.outcome;
  const states = statesOf(turn);
  await turn.outcome;
  await Promise.resolve();
  expect(states).toEqual(["completed"]);
});

promise("listen: a removed listener gets nothing more", async ({ client }) => {
  const told: string[] = [];
  const controller = new AbortController();
  const turn = client.prompt("hello");
  const offs = [
    turn.on("event", () => told.push("event")),
    turn.on("status", () => told.push("status")),
    client.on("event", () => told.push("client event")),
  ];
  turn.on("event", () => told.push("by signal"), { signal: controller.signal });
  client.on("event", () => told.push("by signal"), { signal: controller.signal });
  turn.on("event", () => told.push("aborted before"), { signal: AbortSignal.abort() });
  for (const off of [...offs, ...offs]) off();
  controller.abort();
  await turn.outcome;
  expect(told).toEqual([]);
});

promise("listen: any number of listeners can watch while one reader reads", async ({ client }) => {
  const turn = client.prompt("hello");
  const others = [eventsOf(turn), eventsOf(turn), eventsOf(turn)];
  const { values } = await drain(turn);
  expect(others).toEqual([values, values, values]);
});

promise("listen: a listener that throws affects nothing, and causes a warning", async ({ client }) => {
  const warnings = collect(client, "protocolWarning");
  const oops = (): never => {
    throw new Error("oops");
  };
  const turn = client.prompt("hello");
  turn.on("status", oops);
  turn.on("event", oops);
  client.on("event", oops);
  const behind = eventsOf(turn);
  const { values } = await drain(turn);
  expect((await turn.result).text).toBe(TEXT);
  expect(behind).toEqual(values);
  expect(warnings.length).toBeGreaterThanOrEqual(3);
  for (const warning of warnings)
    expect(warning).toMatchObject({ kind: "listener-threw", message: expect.stringContaining("oops") });
});

promise(
  "listen: an async listener that rejects causes a warning, not an unhandled rejection",
  async ({ client }) => {
    const warnings = collect(client, "protocolWarning");
    const turn = client.prompt("hello");
    turn.on("event", async () => {
      throw new Error("later");
    });
    await turn.outcome;
    await works(client);
    expect(warnings[0]).toMatchObject({ kind: "listener-threw", message: expect.stringContaining("later") });
  },
);

promise("listen: a listener can make a prompt and cancel a turn", async ({ client, backend }) => {
  backend.answer = (prompt) => ["to ", prompt];
  const first = client.prompt("first");
  const second = new Promise<string>((resolve) => {
    const off = first.on("event", () => {
      off();
      resolve(client.prompt("second").result.then(({ text }) => text));
      void first.cancel();
    });
  });
  expect((await first.outcome).status).toBe("cancelled");
  expect(await second).toBe("to second");
});

promise(
  "listen: a turn with `read: false` emits every event, keeps none, and cannot be iterated",
  async ({ client }) => {
    using kept = vi.spyOn(EventBuffer.prototype, "push");
    const prompts = [
      () => client.prompt("hello", { read: false }),
      () => client.conversation().prompt("hello", { read: false }),
    ];
    for (const prompt of prompts) {
      const turn = prompt();
      const events = eventsOf(turn);
      expect(thrown(() => turn[Symbol.asyncIterator]())).toMatchObject({ code: "already-consumed" });
      expect(thrown(() => turn.textStream[Symbol.asyncIterator]())).toMatchObject({
        code: "already-consumed",
      });
      expect((await turn.result).text).toBe(TEXT);
      expect(events.length).toBeGreaterThan(0);
    }
    expect(kept).not.toHaveBeenCalled();
    expect(thrown(() => client.prompt("hello", { read: "no" as never }))).toMatchObject({
      code: "invalid-input",
    });
  },
);
