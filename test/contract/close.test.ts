import { expect } from "vitest";
import { asyncDispose } from "../../src/core/dispose.ts";
import { type AnyClient, type AnyTurn, TEXT } from "./fixture.ts";
import { promise } from "./promise.ts";
import {
  collect,
  countingController,
  drain,
  next,
  rejection,
  STAGES,
  staged,
  statesOf,
  within,
  works,
} from "./support.ts";

const ONE = { oneAtATime: true } as const;

promise(
  "close: an idle client closes once, however often `close()` is called",
  async ({ client, clock, facts }) => {
    const told = collect(client, "status");
    await within(clock, facts.within.force, Promise.all([client.close(), client.close(), client.close()]));
    expect(client.status).toBe("closed");
    expect(told.filter((state) => state === "closed")).toHaveLength(1);
    expect(told.at(-1)).toBe("closed");
    expect(clock.pending).toBe(0);
    await client.close();
  },
);

promise(
  "close: a client that never connected closes at once, without calling the backend",
  { connected: false },
  async ({ client, backend }) => {
    await client.close();
    expect(client.status).toBe("closed");
    expect(backend.calls).toBe(0);
  },
);

promise("close: a closing or closed client refuses new calls", async ({ client, clock, facts, backend }) => {
  const conversation = client.conversation();
  const closed = client.close();
  for (const state of ["closing", "closed"]) {
    const error = { code: "closed", delivery: "not-sent" };
    expect(() => client.prompt("hello"), state).toThrow(expect.objectContaining(error));
    expect(() => conversation.prompt("hello"), state).toThrow(expect.objectContaining(error));
    expect(await rejection(client.connect()), state).toMatchObject({ code: "closed" });
    await within(clock, facts.within.force, closed);
  }
  expect(backend.prompts).toEqual([]);
});

for (const stage of STAGES) {
  promise(`close: a turn that ${stage} ends in time even if the backend falls silent`, ONE, async (scene) => {
    const { client, backend, clock, facts } = scene;
    const { controller, listeners } = countingController();
    const { turn, text, delivery } = await staged(stage, scene, {
      signal: controller.signal,
      timeout: 600_000,
      idleTimeout: 600_000,
    });
    const states = statesOf(turn);
    const reading = drain(turn.textStream);
    backend.fallSilent();
    const closed = client.close();
    const { values, thrown } = await within(clock, facts.within.close, reading);
    await closed;
    expect(thrown).toBeUndefined();
    expect(text.startsWith(values.join(""))).toBe(true);
    const outcome = await turn.outcome;
    expect(outcome).toMatchObject({
      status: "failed",
      error: {
        code: "closed",
        delivery: delivery === "unknown" ? expect.toBeOneOf(facts.sent) : delivery,
        ...(delivery === "not-sent" ? { input: "hello" } : {}),
      },
      partial: { text },
    });
    expect(await rejection(turn.result)).toBe(outcome.status === "failed" && outcome.error);
    expect(states.at(-1)).toBe("failed");
    expect(client.status).toBe("closed");
    expect(clock.pending).toBe(0);
    expect(listeners()).toBe(0);
  });

  promise(`close: a forced close ends a turn that ${stage} at once`, ONE, async (scene) => {
    const { client, backend, clock, facts } = scene;
    const { turn, text } = await staged(stage, scene);
    backend.fallSilent();
    const closed = client.close({ force: true });
    expect(await turn.outcome).toMatchObject({
      status: "failed",
      error: { code: "closed" },
      partial: { text },
    });
    await within(clock, facts.within.force, closed);
    expect(client.status).toBe("closed");
    expect(clock.pending).toBe(0);
  });

  promise(`close: a turn that ${stage} and is being cancelled ends as cancelled`, ONE, async (scene) => {
    const { client, backend, clock, facts } = scene;
    const { turn } = await staged(stage, scene);
    backend.fallSilent();
    const cancelled = turn.cancel();
    const closed = client.close();
    expect(await within(clock, facts.within.close, cancelled)).toMatchObject({
      status: "cancelled",
      by: "user",
    });
    await closed;
    expect(clock.pending).toBe(0);
  });
}

promise(
  "close: waiting turns are handed back in order, and a running turn ends as the protocol defines",
  ONE,
  async (scene) => {
    const { client, backend, clock, facts } = scene;
    const { turn: running, goOn } = await staged("streams", scene);
    const ended: string[] = [];
    const waiting = ["a", "b", "c"].map((text) => {
      const turn = client.prompt(text);
      turn.on("status", (state) => state === "failed" && ended.push(text));
      return turn;
    });
    const closed = client.close();
    const outcomes = await Promise.all(waiting.map(({ outcome }) => outcome));
    expect(ended).toEqual(["a", "b", "c"]);
    expect(outcomes).toMatchObject(
      ["a", "b", "c"].map((input) => ({ error: { code: "closed", delivery: "not-sent", input } })),
    );
    goOn();
    const outcome = await running.outcome;
    expect(outcome.status === "failed" ? outcome.error.code : outcome.status).toBe(facts.atClose);
    await within(clock, facts.within.close, closed);
    expect(backend.prompts.map(({ text }) => text)).toEqual(["hello"]);
  },
);

promise("close: `drainTimeout` limits the wait for running turns", async (scene) => {
  const { client, clock, facts } = scene;
  const { turn } = await staged("streams", scene);
  await within(clock, 50 + facts.within.force, client.close({ drainTimeout: 50 }));
  expect(await turn.outcome).toMatchObject({ status: "failed", error: { code: "closed" } });
});

promise(
  "close: a client that waits for its next attempt closes",
  { reconnect: {}, walksBackoff: false },
  async ({ client, backend, clock }) => {
    const waiting = next(client, "reconnecting");
    await backend.stop();
    await waiting;
    const turn = client.prompt("hello");
    await client.close();
    expect(await turn.outcome).toMatchObject({ error: { code: "closed", delivery: "not-sent" } });
    expect(client.status).toBe("closed");
    expect(clock.pending).toBe(0);
  },
);

promise("close: the end of an `await using` scope closes the client", async ({ another, clock, facts }) => {
  const client = another();
  await client.connect();
  expect(await client.prompt("hello").result).toMatchObject({ text: TEXT });
  await within(clock, facts.within.close, Promise.resolve(client[asyncDispose]()));
  expect(client.status).toBe("closed");
});

/** Where a listener can stand that hears of a turn. */
const EARS: Readonly<Record<string, (client: AnyClient, turn: AnyTurn, told: () => void) => void>> = {
  "an event of the turn": (_, turn, told) => void turn.on("event", told),
  "a state of the turn": (_, turn, told) => void turn.on("status", told),
  "an event of the client": (client, _, told) => void client.on("event", told),
  "a message": (client, _, told) => void client.on("message", told),
  "a frame": (client, _, told) => void client.on("frame", told),
};

for (const [name, listen] of Object.entries(EARS)) {
  promise(`close: a listener of ${name} can close the client`, async ({ client, clock, facts }) => {
    const turn = client.prompt("hello");
    const { done } = await new Promise<{ readonly done: Promise<void> }>((resolve) => {
      listen(client, turn, () => resolve({ done: client.close({ force: true }) }));
    });
    await within(clock, facts.within.force, done);
    expect(await turn.outcome).toMatchObject({ status: "failed", error: { code: "closed" } });
    expect(clock.pending).toBe(0);
  });
}

promise("close: closing one client does not affect another", async ({ client, another, clock, facts }) => {
  const other = another();
  await other.connect();
  await within(clock, facts.within.close, client.close());
  expect(await works(other)).toBe(TEXT);
});
