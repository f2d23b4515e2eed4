import type { Backoff } from "agentwire";
import { expect } from "vitest";
import { type AnyClient, TEXT } from "./fixture.ts";
import { promise } from "./promise.ts";
import {
  collect,
  failureOf,
  hold,
  next,
  rejection,
  shows,
  status,
  thrown,
  within,
  works,
} from "./support.ts";

const BACK = { reconnect: {} } as const;

promise(
  "reconnect: after a lost link a client reconnects or closes, as its protocol defines",
  async ({ client, link, facts }) => {
    await works(client);
    const settled = next(client, "status", (state) => state === "ready" || state === "closed");
    link.end("cut");
    expect(await settled).toBe(facts.comesBack ? "ready" : "closed");
  },
);

promise(
  "reconnect: the events of a lost link are emitted in order",
  BACK,
  async ({ client, link, facts }) => {
    await works(client);
    const told: string[] = [];
    for (const name of ["status", "disconnected", "reconnecting", "reconnected"] as const)
      client.on(name, (...values: readonly unknown[]) => {
        told.push(name === "status" ? String(values[0]) : name);
      });
    const back = next(client, "reconnected");
    link.end("cut");
    await back;
    expect(told.filter((name) => name !== "reconnected" && name !== "ready")).toEqual([
      "disconnected",
      "reconnecting",
      "reconnecting", // the state, and the event with its details
      ...facts.opening.filter((state) => state !== "ready"),
    ]);
    expect(told.slice(-2).sort()).toEqual(["ready", "reconnected"]);
    expect(await works(client)).toBe(TEXT);
  },
);

promise(
  "reconnect: each wait is random, and its ceiling doubles up to `maxDelay`",
  {
    reconnect: { minDelay: 100, maxDelay: 1_000, maxAttempts: 6 },
  },
  async ({ client, backend }) => {
    await works(client);
    const waits = collect(client, "reconnecting");
    await backend.stop();
    await status(client, "closed");
    // The clock's random number is a half: each wait is half of its ceiling.
    expect(waits.map(({ delay }) => delay)).toEqual([50, 100, 200, 400, 500, 500]);
    expect(waits.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6]);
  },
);

promise(
  "reconnect: the first wait is half a second at most, and nothing happens before its end",
  {
    ...BACK,
    walksBackoff: false,
  },
  async ({ client, link, clock, backend }) => {
    await works(client);
    const waiting: Promise<Backoff> = next(client, "reconnecting");
    link.end("cut");
    const { delay, attempt, error } = await waiting;
    expect({ delay, attempt }).toEqual({ delay: 250, attempt: 1 });
    expect(error).toMatchObject({ code: "connection-lost" });
    await clock.advance(249);
    expect(client.status).toBe("reconnecting");
    expect(backend.calls).toBe(1);
    const ready = status(client, "ready");
    await clock.advance(1);
    await ready;
    expect(backend.calls).toBe(2);
  },
);

promise(
  "reconnect: a backend that restarts is found, even at another address",
  BACK,
  async ({ client, backend }) => {
    await works(client);
    const waits = new Promise<void>((resolve) => {
      client.on("reconnecting", ({ attempt }) => attempt === 3 && resolve());
    });
    await backend.stop();
    await waits;
    await backend.start();
    await status(client, "ready");
    expect(await works(client)).toBe(TEXT);
  },
);

promise(
  "reconnect: `false` closes the client for good at the first lost link",
  { reconnect: false },
  async ({ client, link, backend }) => {
    await works(client);
    const gone = next(client, "disconnected");
    link.end("cut");
    const error = await gone;
    await status(client, "closed");
    expect(await rejection(client.connect())).toMatchObject({ code: "closed", cause: error });
    expect(thrown(() => client.prompt("hello"))).toMatchObject({ code: "closed", cause: error });
    expect(backend.calls).toBe(1);
  },
);

promise(
  "reconnect: after the last attempt the client closes, and waiting turns are handed back",
  {
    reconnect: { maxAttempts: 2 },
    walksBackoff: false,
  },
  async ({ client, backend, clock }) => {
    await works(client);
    const gone = next(client, "reconnecting");
    await backend.stop();
    await gone;
    const turn = client.prompt("hello");
    const again = next(client, "reconnecting");
    await clock.advance(250);
    await again;
    await within(clock, 500, status(client, "closed"));
    expect(await failureOf(turn)).toMatchObject({
      delivery: "not-sent",
      input: "hello",
      partial: { text: "" },
    });
    expect(clock.pending).toBe(0);
  },
);

promise("reconnect: `shouldReconnect` decides, and gets the error", async ({ another, link }) => {
  const asked: unknown[] = [];
  const client = another({
    reconnect: {
      shouldReconnect: (error, attempt) => {
        asked.push([error.code, attempt]);
        return false;
      },
    },
  });
  await works(client);
  link.end("cut");
  await status(client, "closed");
  expect(asked).toEqual([["connection-lost", 1]]);
});

promise("reconnect: a running turn is never sent again", BACK, async ({ client, backend, link }) => {
  hold(backend);
  const turn = client.prompt("hello");
  await shows(client, turn, "part");
  link.end("cut");
  const error = await failureOf(turn);
  expect(error).toMatchObject({ code: "connection-lost", delivery: "unknown" });
  expect(error).not.toHaveProperty("input");
  await status(client, "ready");
  expect(await works(client)).toBe(TEXT);
  expect(backend.prompts.map(({ text }) => text)).toEqual(["hello", "are you there?"]);
});

promise(
  "reconnect: waiting turns are sent or handed back in order, as the protocol defines",
  {
    ...BACK,
    oneAtATime: true,
  },
  async ({ client, backend, link, facts }) => {
    hold(backend);
    const running = client.prompt("hello");
    await shows(client, running, "part");
    const waiting = ["a", "b", "c"].map((text) => client.prompt(text));
    const ended: string[] = [];
    for (const [index, turn] of waiting.entries())
      turn.on("status", (state) => ["completed", "failed"].includes(state) && ended.push(String(index)));
    link.end("cut");
    const outcomes = await Promise.all(waiting.map(({ outcome }) => outcome));
    const ends = outcomes.map((outcome) =>
      outcome.status === "failed" ? outcome.error.code : outcome.status,
    );
    expect(ends).toEqual(Array(3).fill(facts.waiting));
    expect(ended).toEqual(["0", "1", "2"]);
    for (const [index, outcome] of outcomes.entries())
      if (outcome.status === "failed")
        expect(outcome.error).toMatchObject({ delivery: "not-sent", input: ["a", "b", "c"][index] });
    const arrived = backend.prompts.map(({ text }) => text);
    expect(arrived).toEqual(["hello", ...(facts.waiting === "completed" ? ["a", "b", "c"] : [])]);
  },
);

promise(
  "reconnect: a prompt made during the wait starts the next attempt at once",
  { ...BACK, walksBackoff: false },
  async ({ client, link, backend }) => {
    await works(client);
    const gone = next(client, "reconnecting");
    link.end("cut");
    await gone;
    const turn = client.prompt("hello");
    expect(turn.status).toBe("queued");
    expect((await turn.result).text).toBe(TEXT); // and the clock stands still
    expect(backend.calls).toBe(2);
  },
);

promise(
  "reconnect: refused credentials end the attempts, and the error says what to check",
  BACK,
  async ({ another, link, backend }) => {
    for (const refusal of [401, 403]) {
      const client = another(BACK);
      await works(client);
      const { calls } = backend;
      link.refuse(refusal);
      const told = collect(client, "reconnecting");
      link.end("cut");
      await status(client, "closed");
      expect(await rejection(client.connect())).toMatchObject({
        cause: {
          code: "connect-failed",
          status: refusal,
          retryable: false,
          message: expect.stringMatching(/check the credentials/),
        },
      });
      expect([told.length, backend.calls]).toEqual([1, calls]);
      link.refuse(undefined);
    }
  },
);

promise(
  "reconnect: a busy server is tried again, and the error says to wait",
  { reconnect: { maxAttempts: 30 } },
  async ({ client, link }) => {
    await works(client);
    const waits = collect(client, "reconnecting");
    link.refuse(429);
    link.end("cut");
    await next(client, "reconnecting", ({ attempt }) => attempt === 3);
    link.refuse(503);
    await next(client, "reconnecting", ({ attempt }) => attempt === 20); // far more than a wrong address gets
    link.refuse(undefined);
    await status(client, "ready");
    for (const { error } of waits.slice(1))
      expect(error).toMatchObject({
        code: "connect-failed",
        retryable: true,
        message: expect.stringMatching(/wait, and try again/),
      });
  },
);

promise(
  "reconnect: `connect()` and a conversation's prompt start the next attempt at once too",
  { ...BACK, walksBackoff: false },
  async ({ another, link, backend }) => {
    for (const call of [
      (client: AnyClient) => client.connect(),
      (client: AnyClient) => client.conversation().prompt("hello").result,
    ]) {
      const client = another(BACK);
      await works(client);
      const gone = next(client, "reconnecting");
      const { calls } = backend;
      link.end("cut");
      await gone;
      await call(client);
      expect(backend.calls).toBe(calls + 1);
    }
  },
);

promise(
  "reconnect: prompts in a loop cause no loop of attempts",
  {
    reconnect: { minDelay: 100_000, maxDelay: 100_000 },
    walksBackoff: false,
    maxQueuedTurns: 1_000,
  },
  async ({ client, backend, clock }) => {
    await works(client);
    const waits = collect(client, "reconnecting");
    await backend.stop();
    await status(client, "reconnecting");
    for (let half = 0; half < 4; half++) {
      const failed = next(client, "reconnecting");
      for (let prompt = 0; prompt < 20; prompt++) client.prompt("hello");
      await clock.advance(half === 0 ? 0 : 500);
      await failed;
    }
    expect(waits.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
  },
);

promise(
  "reconnect: a waiting prompt of a conversation does not shorten the wait",
  { ...BACK, oneAtATime: true, walksBackoff: false },
  async ({ client, backend, link, clock }) => {
    hold(backend);
    const conversation = client.conversation();
    const running = conversation.prompt("hello");
    await shows(client, running, "part");
    const waiting = conversation.prompt("and then?");
    const gone = next(client, "reconnecting");
    link.end("cut");
    await gone;
    await failureOf(running);
    await clock.advance(249);
    expect([client.status, backend.calls]).toEqual(["reconnecting", 1]);
    await clock.advance(1);
    await status(client, "ready");
    await waiting.outcome;
    expect(backend.calls).toBe(2);
  },
);

promise(
  "reconnect: a prompt made in a `disconnected` listener waits for the next connection",
  BACK,
  async ({ client, link }) => {
    await works(client);
    const made = new Promise<ReturnType<typeof client.prompt>>((resolve) => {
      client.on("disconnected", () => resolve(client.prompt("hello")));
    });
    link.end("cut");
    expect((await (await made).result).text).toBe(TEXT);
  },
);

promise(
  "reconnect: pings detect a silent link and keep a live one",
  {
    ...BACK,
    keepalive: { interval: 1_000, timeout: 400 },
  },
  async ({ client, backend, clock }) => {
    await works(client);
    const gone = collect(client, "disconnected");
    for (let ping = 0; ping < 3; ping++) {
      const answered = next(client, "frame", ({ direction }) => direction === "in");
      await clock.advance(1_000);
      await answered;
    }
    expect(gone).toEqual([]);
    const back = next(client, "reconnected");
    backend.fallSilent();
    await clock.advance(1_000);
    expect(client.status).toBe("ready");
    await clock.advance(400);
    expect(gone).toMatchObject([{ code: "connection-lost" }]);
    await back;
    expect(await works(client)).toBe(TEXT);
  },
);
