import { setImmediate } from "node:timers/promises";
import { step } from "agentwire/testing";
import { expect, test } from "vitest";
import { gate, once, pair, readyPair, sentTo, status } from "../helpers/codebuff.ts";
import { errorSaying } from "../helpers/errors.ts";
import { heard } from "../helpers/turns.ts";

// What happens when the user's own code acts at the worst moment. Each of these once hung, leaked or lost something.

test("`close()` in the same tick rejects `subscribe()` and leaves no timer", async () => {
  await using made = await readyPair();
  const subscribed = made.client.subscribe(["a"]);
  const failed = expect(subscribed).rejects.toMatchObject({ code: "closed" });
  await made.client.close();
  await failed;
  expect(made.clock.pending).toBe(0);
});

test("`close()` in the same tick rejects `init()`", async () => {
  await using made = await readyPair({ client: { authToken: async () => "token-1" } });
  const reply = made.client.init({ fileContext: {} });
  const failed = expect(reply).rejects.toMatchObject({ code: "closed" });
  await made.client.close();
  await failed;
});

test("an init whose token arrives after a reconnect goes to the new session", async () => {
  const token = gate();
  await using made = await readyPair({
    client: {
      authToken: async () => {
        await token.passed;
        return "token-1";
      },
    },
  });
  const reply = made.client.init({ fileContext: {} });
  const back = once(made.client, "reconnected");
  made.server.dropAll();
  await back;
  token.open();
  expect(await reply).toMatchObject({ usage: 0 });
  expect(sentTo(made.server, "action")).toHaveLength(1);
});

test("a forced `close()` in a `sent` listener ends the turn as closed at once", async () => {
  await using made = await readyPair();
  const turn = made.client.prompt("warm up");
  await turn.result;
  const hold = gate();
  made.server.answer = async function* () {
    await hold.passed;
    yield "late";
  };
  await using other = await pair({ mock: { answer: () => [step.hang()] } });
  const next = other.client.prompt("hello");
  next.on("status", (now) => {
    if (now === "sent") void other.client.close({ force: true });
  });
  expect(await next.outcome).toMatchObject({ status: "failed", error: { code: "closed" } });
  hold.open();
});

test("a prompt made in a `frame` listener goes out after that frame, with the next txid", async () => {
  await using made = await readyPair();
  const { client, server } = made;
  let inner: ReturnType<typeof client.prompt> | undefined;
  client.on("frame", ({ direction, text }) => {
    if (direction === "out" && text.includes("outer") && !inner) inner = client.prompt("inner");
  });
  const outer = await client.prompt("outer").outcome;
  expect(outer.status).toBe("completed");
  expect((await inner?.outcome)?.status).toBe("completed");
  expect(sentTo(server, "action").map(({ txid }) => txid)).toEqual([1, 2]);
});

test("a prompt made when the first connection fails starts a new attempt", async () => {
  await using made = await pair();
  const { client, server } = made;
  server.refuseUpgrades(503);
  let again: ReturnType<typeof client.prompt> | undefined;
  client.on("status", (now) => {
    if (now !== "idle" || again) return;
    server.refuseUpgrades(undefined);
    again = client.prompt("again");
  });
  await expect(client.connect()).rejects.toMatchObject({ code: "connect-failed" });
  expect((await again?.outcome)?.status).toBe("completed");
});

test("a listener that throws an unprintable value does not affect the turn", async () => {
  await using made = await readyPair();
  made.client.on("event", () => {
    throw Object.create(null);
  });
  expect((await made.client.prompt("hello").outcome).status).toBe("completed");
});

test("the waiting prompts of a conversation are limited, and `close()` hands them back at once", async () => {
  const hold = gate();
  await using made = await readyPair({
    client: { maxQueuedTurns: 2 },
    mock: {
      async *answer() {
        await hold.passed;
        yield "ok";
      },
    },
  });
  const chat = made.client.conversation();
  const running = chat.prompt("one");
  const waiting = [chat.prompt("two"), chat.prompt("three")];
  expect(() => chat.prompt("four")).toThrow(errorSaying("queue-full", /^3 turns/));
  await made.server.nextPrompt();
  const closed = made.client.close();
  const outcomes = await Promise.all(waiting.map((turn) => turn.outcome));
  expect(outcomes).toMatchObject([
    { error: { code: "closed", delivery: "not-sent", input: "two" } },
    { error: { code: "closed", delivery: "not-sent", input: "three" } },
  ]);
  expect(running.status).toBe("sent");
  hold.open();
  await closed;
  expect((await running.outcome).status).toBe("completed");
});

test("a server that acks a ping before a prompt's first chunk fails one prompt at most", async () => {
  const hold = gate();
  await using made = await readyPair({
    mock: {
      scheduling: "concurrent",
      async *answer() {
        await hold.passed;
        yield "one";
      },
    },
    client: { maxConcurrentPrompts: 2 },
  });
  const { client, clock, server } = made;
  const taken = heard(client, '"ack"');
  const first = client.prompt("first");
  await taken;
  await clock.advance(25_000);
  expect(await first.outcome).toMatchObject({ error: { origin: "silent-end" } });
  const late = once(client, "late");
  hold.open();
  await late;
  const holdAgain = gate();
  server.answer = async function* () {
    yield "three";
    await holdAgain.passed;
  };
  const second = client.prompt("second");
  await once(client, "event");
  const acked = once(client, "frame", ({ direction, text }) => direction === "in" && text.includes('"ack"'));
  await clock.advance(25_000);
  await acked;
  expect(second.status).toBe("streaming");
  holdAgain.open();
  expect((await second.result).text).toBe("three");
});

test("a refusal of 200,000 backslashes is read in linear time", async () => {
  const cost = async (length: number): Promise<number> => {
    await using made = await readyPair();
    const warned = once(made.client, "protocolWarning");
    const started = process.cpuUsage();
    made.server.connections[0]?.send(
      JSON.stringify({ type: "ack", success: false, error: "\\".repeat(length) }),
    );
    await warned;
    return process.cpuUsage(started).user;
  };
  await cost(1_000); // warms up
  const small = await cost(12_500);
  const large = await cost(200_000);
  expect(large).toBeLessThan(100 * Math.max(small, 2_000)); // 16 times the length; squared it would be 256 times the cost
});

test("calls on a session are sent in their order", async () => {
  await using made = await pair({ client: { authToken: "token-1" } });
  const { client, server } = made;
  const all = [
    client.subscribe(["a"]),
    client.init({ fileContext: {} }),
    client.subscribe(["b"]),
    client.prompt("hello").result,
  ];
  await Promise.all(all);
  const more = [client.init({ fileContext: {} }), client.prompt("again").result];
  await Promise.all(more);
  const order = server.frames
    .filter(({ direction }) => direction === "c2s")
    .map(({ raw }) => JSON.parse(raw))
    .map(({ type, data }) => data?.type ?? type);
  expect(order).toEqual(["identify", "subscribe", "init", "subscribe", "prompt", "init", "prompt"]);
});

test("an init that the server refused is not repeated after a reconnect", async () => {
  await using made = await readyPair({ mock: { init: { error: "disk full" } } });
  await made.client.init({ fileContext: {} }).catch(() => {});
  const back = once(made.client, "reconnected");
  made.server.dropAll();
  await back;
  await made.client.prompt("hello").result;
  expect(sentTo(made.server, "action")).toHaveLength(2);
});

test("a token function that never resolves fails the prompt after 30 s", async () => {
  await using made = await readyPair({ client: { authToken: () => new Promise(() => {}) } });
  const turn = made.client.prompt("hello");
  await made.clock.advance(30_000);
  expect(await turn.outcome).toMatchObject({
    error: {
      code: "handshake-refused",
      reason: "refresh-failed",
      delivery: "not-sent",
      cause: { code: "request-timeout" },
    },
  });
});

test("`connect()` and `prompt()` in a `disconnected` listener cause one event and one prompt", async () => {
  await using made = await readyPair();
  const { client, server } = made;
  await client.prompt("warm up").result;
  const errors: unknown[] = [];
  const turns: ReturnType<typeof client.prompt>[] = [];
  client.on("disconnected", (error) => {
    errors.push(error);
    client.connect().catch(() => {});
    turns.push(client.prompt("resume"));
  });
  server.dropAll();
  await status(client, "reconnecting");
  await Promise.all(turns.map((turn) => turn.result));
  expect(errors).toMatchObject([{ code: "connection-lost", closeCode: 1006 }]);
  expect(server.prompts.map(({ data }) => data.prompt)).toEqual(["warm up", "resume"]);
});

test("a prompt made in a listener of a final close does not reopen the client", async () => {
  await using made = await readyPair({
    mock: { answer: () => [step.close(1008, "Expected identify message")] },
  });
  const { client } = made;
  const turn = client.prompt("hello");
  turn.on("status", (now) => {
    if (now === "failed") client.prompt("again");
  });
  await status(client, "closed");
  expect(await turn.outcome).toMatchObject({
    status: "failed",
    error: { code: "connection-lost", closeCode: 1008 },
  });
});

test("calls made while the session resumes are sent, with and without a token function", async () => {
  for (const authToken of [undefined, "token-1", async () => "token-1"]) {
    await using made = await pair({ client: authToken === undefined ? {} : { authToken } });
    const { client } = made;
    const first = client.init({ fileContext: {} });
    await client.connect();
    await client.subscribe(["late"]);
    await first;
    let again: Promise<void> | undefined;
    client.on("frame", ({ direction, text }) => {
      if (direction === "out" && text.includes("subscribe") && !again)
        again = client.subscribe(["later still"]);
    });
    const back = once(client, "reconnected");
    made.server.dropAll();
    await back;
    await made.server.waitFor(() => sentTo(made.server, "subscribe").length === 3);
    await again;
    await client.prompt("hello").result;
  }
});

test("calls keep their order with a token function too", async () => {
  let slow = true;
  await using made = await readyPair({
    client: {
      authToken: async () => {
        if (slow) await setImmediate();
        slow = false;
        return "token-1";
      },
    },
  });
  const { client, server } = made;
  await Promise.all([
    client.init({ fileContext: {} }),
    client.subscribe(["a"]),
    client.prompt("hello").result,
  ]);
  const order = server.frames
    .filter(({ direction }) => direction === "c2s")
    .map(({ raw }) => JSON.parse(raw))
    .map(({ type, data }) => data?.type ?? type);
  expect(order).toEqual(["identify", "init", "subscribe", "prompt"]);
});

test("a repeated init is sent once, even if links break while it waits for its token", async () => {
  let gated = false;
  const token = gate();
  await using made = await readyPair({
    client: {
      authToken: async () => {
        if (gated) await token.passed;
        return "token-1";
      },
    },
  });
  const { client, server } = made;
  await client.init({ fileContext: {} });
  gated = true;
  for (let loss = 0; loss < 3; loss++) {
    const back = once(client, "reconnected");
    server.dropAll();
    await back;
  }
  token.open();
  await client.prompt("hello").result;
  expect(sentTo(server, "action").map(({ data }) => (data as { type: string }).type)).toEqual([
    "init",
    "init",
    "prompt",
  ]);
});

test("`close()` rejects an init that waits for its token, and leaves no timer", async () => {
  await using made = await readyPair({ client: { authToken: () => new Promise(() => {}) } });
  const reply = made.client.init({ fileContext: {} });
  const failed = expect(reply).rejects.toMatchObject({ code: "closed" });
  await made.client.close();
  await failed;
  await setImmediate();
  expect(made.clock.pending).toBe(0);
});

test("a late status listener or a `shouldReconnect` that rejects causes only a warning", async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  try {
    const shouldReconnect = (async () => {
      throw new Error("not at once");
    }) as unknown as () => boolean;
    await using made = await readyPair({ client: { reconnect: { shouldReconnect } } });
    const warnings: string[] = [];
    made.client.on("protocolWarning", ({ message }) => warnings.push(message));
    const turn = made.client.prompt("hello");
    await turn.result;
    turn.on("status", async () => {
      throw new Error("late listener");
    });
    const back = once(made.client, "reconnected");
    made.server.dropAll();
    await back;
    await setImmediate();
    expect(warnings.join()).toContain("late listener");
    expect(warnings.join()).toContain("it must return true or false, at once");
  } finally {
    process.off("unhandledRejection", note);
  }
  expect(unhandled).toEqual([]);
});

test("a prompt with its own token does not overtake an init that waits for its token", async () => {
  const token = gate();
  await using made = await readyPair({
    client: {
      authToken: async () => {
        await token.passed;
        return "token-1";
      },
    },
  });
  const { client, server } = made;
  const init = client.init({ fileContext: {} });
  const turn = client.prompt({ prompt: "hello", authToken: "its-own" });
  await setImmediate();
  expect(sentTo(server, "action")).toEqual([]);
  token.open();
  await Promise.all([init, turn.result]);
  expect(sentTo(server, "action")).toMatchObject([{ data: { type: "init" } }, { data: { type: "prompt" } }]);
});

test("a server that acks out of order must answer pings even while a prompt runs", async () => {
  const hold = gate();
  await using made = await readyPair({
    mock: {
      scheduling: "concurrent",
      async *answer() {
        await hold.passed;
        yield "one";
        yield step.hang();
      },
    },
    client: { idleTimeout: 0, maxConcurrentPrompts: 2 },
  });
  const { client, clock, server } = made;
  const taken = heard(client, '"ack"');
  const first = client.prompt("first");
  await taken;
  await clock.advance(25_000);
  expect(await first.outcome).toMatchObject({ error: { origin: "silent-end" } });
  const late = once(client, "late");
  hold.open();
  await late;
  client.prompt("second");
  await once(client, "event");
  const gone = once(client, "disconnected");
  for (const connection of server.connections) connection.pause();
  await clock.advance(40_000);
  expect((await gone).message).toContain("no sign of life");
});
