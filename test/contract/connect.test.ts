import { isAgentwireError } from "agentwire";
import { expect } from "vitest";
import { TEXT } from "./fixture.ts";
import { promise } from "./promise.ts";
import { failureOf, next, rejection, status, works } from "./support.ts";

const APART = { connected: false } as const;

promise("connect: a new client does not call the backend", APART, async ({ client, backend }) => {
  client.on("status", () => {});
  client.conversation();
  expect(client.status).toBe("idle");
  expect(backend.calls).toBe(0);
});

promise("connect: several calls of `connect()` connect once", APART, async ({ client, backend }) => {
  await Promise.all([client.connect(), client.connect()]);
  await client.connect();
  expect(client.status).toBe("ready");
  expect(backend.calls).toBe(1);
});

promise("connect: a prompt connects by itself", APART, async ({ client, backend }) => {
  expect(await works(client)).toBe(TEXT);
  expect(client.status).toBe("ready");
  expect(backend.calls).toBe(1);
});

promise("connect: each state on the way is emitted as it is reached", APART, async ({ client, facts }) => {
  const told: string[] = [];
  client.on("status", (status) => {
    expect(client.status).toBe(status);
    told.push(status);
  });
  await client.connect();
  expect(told).toEqual(facts.opening);
});

promise(
  "connect: an aborted `connect()` rejects, but the client still connects",
  APART,
  async ({ client, backend }) => {
    const controller = new AbortController();
    const reason = new Error("the page was left");
    const waiting = rejection(client.connect({ signal: controller.signal }));
    controller.abort(reason);
    expect(await waiting).toMatchObject({ code: "connect-failed", cause: reason });
    await client.connect();
    expect(backend.calls).toBe(1);
  },
);

promise(
  "connect: an already aborted signal rejects without calling the backend",
  APART,
  async ({ client, backend }) => {
    const reason = new Error("too late");
    const error = await rejection(client.connect({ signal: AbortSignal.abort(reason) }));
    expect(error).toMatchObject({ code: "connect-failed", cause: reason });
    expect(client.status).toBe("idle");
    expect(backend.calls).toBe(0);
  },
);

promise(
  "connect: an unreachable backend rejects at once, and can be retried",
  APART,
  async ({ client, backend }) => {
    await backend.stop();
    expect(await rejection(client.connect())).toMatchObject({ code: "connect-failed", retryable: true });
    expect(client.status).toBe("idle");
    await backend.start();
    expect(await works(client)).toBe(TEXT);
  },
);

promise(
  "connect: a prompt to an unreachable backend is handed back",
  APART,
  async ({ client, backend, facts }) => {
    await backend.stop();
    const input = facts.input("hello");
    const turns = [client.prompt("hello"), client.prompt(input)];
    const errors = await Promise.all(turns.map(failureOf));
    expect(errors).toMatchObject([
      { code: "connect-failed", delivery: "not-sent", input: "hello", partial: { text: "" } },
      { code: "connect-failed", delivery: "not-sent", input, partial: { text: "" } },
    ]);
    expect(errors[0]).not.toBe(errors[1]);
  },
);

promise("connect: a refused upgrade rejects, and can be retried", APART, async ({ client, link }) => {
  link.refuse(503);
  expect(await rejection(client.connect())).toMatchObject({
    code: "connect-failed",
    status: 503,
    retryable: true,
  });
  link.refuse(undefined);
  expect(await works(client)).toBe(TEXT);
});

promise(
  "connect: a server that never answers fails after `connectTimeout`",
  { ...APART, connectTimeout: 7_000 },
  async ({ client, clock, link }) => {
    link.refuse("never-answered");
    const failed = rejection(client.connect());
    await link.tried(1);
    await clock.advance(6_999);
    expect(client.status).toBe("connecting");
    await clock.advance(1);
    expect(await failed).toMatchObject({ code: "connect-timeout", retryable: true, timeout: 7_000 });
    link.refuse(undefined);
    expect(await works(client)).toBe(TEXT);
  },
);

promise(
  "connect: a server that opens but stays silent is given up",
  APART,
  async ({ client, clock, link }) => {
    link.endNextBehind(0, "silence");
    const ended = Promise.race([
      client.connect().then(
        () => "ready",
        (error: unknown) => isAgentwireError(error) && error.code,
      ),
      next(client, "reconnecting").then(() => "reconnecting"),
    ]);
    await status(client, "handshaking");
    await clock.advance(10_000);
    expect(["reconnecting", "connect-timeout", "handshake-refused"]).toContain(await ended);
    expect(await works(client)).toBe(TEXT);
  },
);

promise("connect: `close()` ends a pending `connect()`", APART, async ({ client, link }) => {
  link.refuse("never-answered");
  const waiting = rejection(client.connect());
  const turn = client.prompt("hello");
  await link.tried(1);
  await client.close();
  expect(await waiting).toMatchObject({ code: "closed" });
  expect(await failureOf(turn)).toMatchObject({ code: "closed", delivery: "not-sent", input: "hello" });
  expect(client.status).toBe("closed");
});
