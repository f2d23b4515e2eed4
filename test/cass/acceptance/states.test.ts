import { cassStep } from "agentwire/testing";
import { expect } from "vitest";
import {
  asked,
  failureOf,
  heard,
  link,
  once,
  rejection,
  saw,
  says,
  status,
  walkBackoff,
  works,
} from "../../helpers/cass.ts";
import { onEach } from "./each.ts";
import { nobody, refreshes, renewable } from "./made.ts";

const message = { auth: "message" } as const;

onEach(
  "7.1 idle or backoff, connect: the token is fresh when the dial is made",
  { connected: false, client: renewable },
  async (scene) => {
    const { client, server } = scene;
    expect([client.status, server.upgrades.length]).toEqual(["idle", 0]);
    const connecting = status(client, "connecting");
    const connected = client.connect();
    await connecting;
    await connected;
    expect(refreshes(scene)).toBe(1);
    expect(server.connections.length).toBe(1);
  },
);

onEach(
  "7.1 connecting, open: it waits for the greeting",
  { connected: false, mock: { connectedDelay: 50 } },
  async ({ client, clock }) => {
    const waits = clock.timer(50);
    const connected = client.connect();
    await status(client, "handshaking");
    await waits;
    await clock.advance(50);
    await connected;
    expect(client.status).toBe("ready");
  },
);

onEach(
  "7.1 connecting, failure: the first is told at once; later ones are waited for",
  { connected: false, mock: { refuseUpgrade: 503 } },
  async ({ client, server, clock }) => {
    expect(await rejection(client.connect())).toMatchObject({ code: "connect-failed", retryable: true });
    expect(client.status).toBe("idle");
    server.refuseUpgrades(undefined);
    await client.connect();
    server.refuseUpgrades(503);
    const first = once(client, "reconnecting");
    link(server).drop();
    await first;
    const second = once(client, "reconnecting");
    await clock.advance(250);
    expect(await second).toMatchObject({ attempt: 2, delay: 500, error: { code: "connect-failed" } });
    server.refuseUpgrades(undefined);
    const back = once(client, "reconnected");
    await clock.advance(500);
    await back;
  },
);

onEach(
  "7.1 greeting, connected: without a token it is nobody's",
  { client: nobody },
  async ({ client, server }) => {
    expect(client.identity).toEqual({ userId: null, verified: false, sdkMode: true });
    expect(asked(server)).toEqual([]);
  },
);

const FIRST_ERRORS = [
  {
    text: "Server is still initializing. Please try again.",
    code: "handshake-refused",
    reason: "initializing",
  },
  { text: "Not authenticated", code: "handshake-refused", reason: "rejected" },
  { text: "Token has expired", code: "handshake-refused", reason: "rejected" },
  { text: "Out of memory", code: "connect-failed" },
] as const;
for (const { text, code, ...more } of FIRST_ERRORS) {
  onEach(
    `7.1 greeting, error first: ${text}`,
    { connected: false, mock: { connected: "none" } },
    async ({ client, server }) => {
      const first =
        "reason" in more && more.reason === "initializing" ? once(client, "reconnecting") : undefined;
      const failed = rejection(client.connect());
      const connection = await server.nextConnection();
      connection.push({ type: "error", message: text });
      const error = first ? (await first).error : await failed;
      expect(error).toMatchObject({ code, ...more, message: expect.stringContaining(text) });
      if (first) await client.close();
    },
  );
}

onEach(
  "7.1 greeting, auth_error first: the token is refused",
  { connected: false, mock: { connected: "none" } },
  async ({ client, server }) => {
    const failed = rejection(client.connect());
    (await server.nextConnection()).push({ type: "auth_error", message: "Invalid token" });
    expect(await failed).toMatchObject({
      reason: "rejected",
      message: expect.stringContaining("Invalid token"),
    });
  },
);

onEach(
  "7.1 greeting, auth_error first: and a fresh one is tried on another connection",
  { connected: false, mock: { badQueryToken: "refused" }, client: renewable },
  async (scene) => {
    await scene.client.connect();
    expect(refreshes(scene)).toBe(1);
  },
);

onEach(
  "7.1 greeting, silence: with `requireConnected: false` an open socket is ready",
  { mock: { connected: "none" }, client: { requireConnected: false } },
  async ({ client }) => {
    expect(client.identity).toEqual({ userId: null, verified: false });
    expect(await works(client)).toBe("Hello!");
  },
);

onEach(
  "7.1 authenticating, auth_success: it is ready",
  { connected: false, mock: { auth: "checked" }, client: message },
  async ({ client }) => {
    const told = once(client, "authenticated");
    await client.connect();
    expect((await told).verified).toBe(true);
  },
);

const AUTH_ANSWERS = [
  { frame: { type: "auth_success", user_id: "somebody" }, reason: "identity-mismatch" },
  { frame: { type: "auth_success" }, reason: "rejected" },
  { frame: { type: "auth_success", user_id: null }, reason: "rejected" },
  { frame: { type: "auth_error", message: "No" }, reason: "rejected" },
  { frame: { type: "error", message: "No" }, reason: "rejected" },
] as const;
for (const { frame, reason } of AUTH_ANSWERS) {
  onEach(
    `7.1 authenticating, anything else: ${JSON.stringify(frame)}`,
    { connected: false, mock: { auth: "silence" }, client: message },
    async ({ client, server }) => {
      const failed = rejection(client.connect());
      const { connection } = await server.nextAuth();
      connection.push({ type: "title_updated", conversation_id: "c", title: "t" }); // is somebody else's
      connection.push(frame);
      expect(await failed).toMatchObject({ name: "CassAuthError [handshake-refused]", reason });
    },
  );
}

onEach(
  "7.1 ready and busy: the limit on silence runs while a turn is under way, and only then",
  { client: { keepalive: false } },
  async ({ client, server, clock }) => {
    await clock.advance(300_000);
    says(server, cassStep.delay(100_000), "one");
    const one = client.prompt("one");
    await saw(one, "thinking", 2);
    await clock.advance(100_000);
    await one.result;
    await clock.advance(300_000);
    expect(client.status).toBe("ready");
    says(server, "two");
    expect(await works(client)).toBe("two");
  },
);

onEach(
  "7.1 any open state, close or terminate: not with `reconnect: false`",
  { client: { reconnect: false } },
  async ({ client, server }) => {
    const closed = status(client, "closed");
    link(server).drop();
    await closed;
  },
);

onEach(
  "7.1 any, caller closes: everything is rejected, 1000 is said, and it never comes back",
  async ({ client, server, clock }) => {
    says(server, cassStep.hang());
    const turn = client.prompt("go");
    await saw(turn, "thinking", 2);
    const connection = link(server);
    await client.close();
    expect(await failureOf(turn)).toMatchObject({ code: "closed", delivery: "unknown" });
    await server.waitFor(() => connection.closed);
    expect(connection.closed?.code).toBe(1000);
    await clock.advance(120_000);
    expect(server.connections.length).toBe(1);
  },
);

onEach(
  "7.1 any, caller closes: a server that does not answer is cut within 2 s",
  async ({ client, server, clock }) => {
    const connection = link(server);
    connection.pause();
    const closing = client.close();
    await clock.advance(2_000);
    await closing;
    expect(client.status).toBe("closed");
    connection.resume();
    await server.waitFor(() => connection.state === "closed");
  },
);

// --- the timers ---

onEach(
  "7.2 connect: 10 s, or what the option says",
  { connected: false, mock: { refuseUpgrade: "never-answered" }, client: { connectTimeout: 500 } },
  async ({ client, server, clock }) => {
    const failed = rejection(client.connect());
    await server.waitFor(() => server.upgrades.length === 1);
    await clock.advance(500);
    expect(await failed).toMatchObject({ code: "connect-timeout", timeout: 500 });
  },
);

onEach(
  "7.2 greeting: 10 s from the open socket, or what the option says",
  { connected: false, mock: { connected: "none" }, client: { connectTimeout: 500 } },
  async ({ client, clock }) => {
    const failed = rejection(client.connect());
    await status(client, "handshaking");
    await clock.advance(499);
    expect(client.status).toBe("handshaking");
    await clock.advance(1);
    expect(await failed).toMatchObject({ code: "connect-timeout", timeout: 500 });
  },
);

onEach(
  "7.2 auth: 10 s from the auth, or what the option says",
  {
    connected: false,
    mock: { auth: "silence", connectedDelay: 300 },
    client: { ...message, connectTimeout: 500 },
  },
  async ({ client, server, clock }) => {
    const greeting = clock.timer(300);
    const failed = rejection(client.connect());
    await greeting;
    await status(client, "handshaking");
    await clock.advance(300);
    await server.nextAuth();
    await clock.advance(499);
    expect(client.status).toBe("handshaking");
    await clock.advance(1);
    expect(await failed).toMatchObject({ reason: "timeout", message: expect.stringContaining("500 ms") });
  },
);

onEach(
  "7.2 idle ping: every 25 s, and not in a turn",
  { mock: { ping: "pong" } },
  async ({ client, server, clock }) => {
    for (let count = 1; count <= 3; count++) {
      const pong = heard(client, "pong");
      await clock.advance(24_999);
      expect(server.received.length).toBe(count - 1);
      await clock.advance(1);
      await pong;
    }
    says(server, cassStep.delay(60_000), "done");
    const turn = client.prompt("go");
    await saw(turn, "thinking", 2);
    await clock.advance(60_000);
    await turn.result;
    expect(server.received.length).toBe(4);
  },
);

onEach(
  "7.2 idle ping: other times by the option, or none at all",
  { mock: { ping: "pong" }, client: { keepalive: false } },
  async ({ server, clock }) => {
    await clock.advance(600_000);
    expect(server.received).toEqual([]);
  },
);

onEach(
  "7.2 pong verdict: 10 s, once a pong was seen",
  { mock: { ping: "ignored" } },
  async ({ client, server, clock }) => {
    await clock.advance(60_000);
    await server.waitFor(() => server.received.length === 1);
    expect(client.status).toBe("ready");
    const seen = heard(client, "pong");
    link(server).push({ type: "pong" });
    await seen;
    const lost = once(client, "disconnected");
    await clock.advance(15_000); // the next ping
    await server.waitFor(() => server.received.length === 2);
    await clock.advance(9_999);
    expect(client.status).toBe("ready");
    await clock.advance(1);
    expect((await lost).message).toContain("no sign of life");
  },
);

onEach("7.2 turn inactivity: any frame counts", async ({ client, server, clock }) => {
  const steps = Array.from({ length: 5 }, (_, index) => [
    cassStep.delay(119_000),
    index % 2 === 0 ? cassStep.debug("still there") : cassStep.system("still there", "info"),
  ]).flat();
  says(server, ...steps, "done");
  const turn = client.prompt("go");
  await saw(turn, "thinking", 2);
  for (let index = 0; index < 5; index++) {
    const frame = heard(client, "still there");
    await clock.advance(119_000);
    await frame;
  }
  expect((await turn.result).text).toBe("done");
});

onEach(
  "7.2 turn inactivity: 120 s, or what the options say; and a limit on the whole, by default none",
  { client: { idleTimeout: 1_000 } },
  async (scene) => {
    const { client, server, clock } = scene;
    walkBackoff(scene);
    says(server, cassStep.hang());
    const one = client.prompt("one", { idleTimeout: 500 });
    await saw(one, "thinking", 2);
    await clock.advance(500);
    expect(await failureOf(one)).toMatchObject({ code: "turn-timeout", kind: "idle", timeout: 500 });
    const two = client.prompt("two");
    await saw(two, "thinking", 2);
    await clock.advance(999);
    expect(two.status).toBe("streaming");
    await clock.advance(1);
    expect(await failureOf(two)).toMatchObject({ timeout: 1_000 });
    const three = client.prompt("three", { idleTimeout: 0, timeout: 2_000 });
    await saw(three, "thinking", 2);
    await clock.advance(2_000);
    expect(await failureOf(three)).toMatchObject({ kind: "total", timeout: 2_000 });
  },
);

onEach("7.2 stable period: after 30 s earlier failures are forgotten", async ({ client, server, clock }) => {
  const lose = async (): Promise<number> => {
    const waits = once(client, "reconnecting");
    const back = once(client, "reconnected");
    link(server).drop();
    const { delay } = await waits;
    await clock.advance(delay);
    await back;
    return delay;
  };
  expect([await lose(), await lose()]).toEqual([250, 500]);
  await clock.advance(29_000);
  expect(await lose()).toBe(1_000);
  await clock.advance(30_000);
  expect(await lose()).toBe(250);
});

onEach(
  "7.2 ping during a turn: one that was pending when it began has its time from its end",
  { mock: { ping: "pong" }, warns: ["out-of-order"] },
  async ({ client, server, clock }) => {
    const pong = heard(client, "pong");
    await clock.advance(25_000);
    await pong;
    server.set({ ping: "ignored" });
    await clock.advance(25_000); // a ping that is never answered
    await server.waitFor(() => server.received.length === 2);
    await clock.advance(9_000);
    says(server, cassStep.delay(60_000), "done");
    const turn = client.prompt("go");
    await saw(turn, "thinking", 2);
    await clock.advance(60_000);
    await turn.result;
    const lost = once(client, "disconnected");
    await clock.advance(9_999);
    expect(client.status).toBe("ready");
    await clock.advance(1);
    expect((await lost).message).toContain("no sign of life");
  },
);
