import { CodeyClient } from "agentwire/codey";
import { codeyStep, ManualClock } from "agentwire/testing";
import { expect } from "vitest";
import {
  collect,
  eventsOf,
  failureOf,
  frame,
  gate,
  link,
  once,
  rejection,
  sent,
  shown,
  works,
} from "../../helpers/codey.ts";
import { onFakeSocket } from "../../helpers/codey-sockets.ts";
import { FakeSocket } from "../../helpers/fake-socket.ts";
import { forBoth, onBoth, type Scene, type SceneOptions } from "./both.ts";

const endless: SceneOptions = {
  mock: { answer: ({ content }) => (content === "go" ? ["one", codeyStep.hang()] : ["yes"]) },
};

onBoth(
  "6.1 connecting, open: the connect timer runs on through the opening of the socket",
  { connected: false, mock: { frozen: "noConnected" } },
  async ({ server, profile }) => {
    const clock = new ManualClock();
    const hold = gate();
    const url = async (): Promise<string> => {
      await hold.passed;
      return server.url;
    };
    const client = new CodeyClient({ url, clock });
    const connecting = rejection(client.connect());
    await clock.advance(6_000);
    hold.open();
    const connection = await server.nextConnection();
    await clock.advance(3_999);
    expect([client.status, connection.state, profile]).toEqual(["connecting", "open", profile]);
    await clock.advance(1);
    expect(await connecting).toMatchObject({ code: "connect-timeout", timeout: 10_000 });
    await client.close();
  },
);

onBoth(
  "6.1 handshaking, Connected: connect() resolves, the session has its id, and the keepalive starts",
  { connected: false, mock: { sessionId: () => "550e8400-e29b-41d4-a716-446655440000" } },
  async ({ client, server, clock }) => {
    const started = once(client, "sessionStarted");
    await client.connect();
    const sessionId = "550e8400-e29b-41d4-a716-446655440000";
    expect(await started).toEqual({ sessionId, contextLost: false });
    expect([client.status, client.sessionId]).toEqual(["ready", sessionId]);
    await clock.advance(20_000);
    await server.waitFor(() => sent(server).includes("Ping"));
  },
);

/** A client on a socket of which the test is the other side, open and not greeted yet. */
async function greeting(): Promise<{
  socket: FakeSocket;
  client: CodeyClient;
  connecting: Promise<unknown>;
}> {
  const socket = new FakeSocket();
  const clock = new ManualClock();
  const client = new CodeyClient({ url: "ws://127.0.0.1:9999", clock, createWebSocket: () => socket });
  const connecting = rejection(client.connect());
  await clock.advance(0);
  socket.accepts();
  return { socket, client, connecting };
}

for (const [what, raw, says] of [
  ["another message", frame.text("hello"), "`TextDelta` instead of `Connected`"],
  ["an Error", frame.error("server is full"), "server is full"],
  ["a Pong", frame.pong, "`Pong` instead of `Connected`"],
] as const) {
  forBoth(
    `6.1 handshaking, other: ${what} in place of the greeting rejects, and cuts the socket`,
    async () => {
      const { socket, client, connecting } = await greeting();
      socket.receives(raw);
      expect(await connecting).toMatchObject({
        code: "handshake-refused",
        message: expect.stringContaining(says),
      });
      expect([client.status, socket.abandoned]).toEqual(["closed", true]);
    },
  );
}

forBoth("6.1 handshaking, other: a close before the greeting rejects", async () => {
  const { socket, client, connecting } = await greeting();
  socket.ends(1011);
  expect(await connecting).toMatchObject({ code: "connect-failed", retryable: true });
  await client.close();
});

onBoth(
  "6.1 idle, stray: a message of a turn is nobody's",
  { warns: ["stray-message"] },
  async ({ client, server }) => {
    const stray = collect(client, "stray");
    for (const raw of [frame.text("ghost"), frame.started("x"), frame.finished(99)]) link(server).send(raw);
    await client.ping();
    expect(stray.map(({ type }) => type)).toEqual(["TextDelta", "ToolStarted", "Finished"]);
    const turn = client.prompt("hello");
    const events = eventsOf(turn);
    const { text, usage } = await turn.result;
    expect(text).toBe("Hello! You said: hello");
    expect(usage).toMatchObject({ outputTokens: 10 });
    expect(events.map(({ type }) => type)).toEqual(["TextDelta", "TextDelta", "TextDelta", "Finished"]);
  },
);

onBoth(
  "6.1 idle, stray: a Pong that nobody asked for is a warning, and answers no later Ping",
  { warns: ["stray-message"] },
  async ({ client, server }) => {
    const warned = once(client, "protocolWarning");
    link(server).send(frame.pong);
    expect(await warned).toMatchObject({ kind: "stray-message" });
    const log: string[] = [];
    client.on("frame", ({ text }) => log.push(text));
    await client.ping();
    expect(log).toEqual(['{"type":"Ping"}', frame.pong]);
  },
);

onBoth(
  "6.1 idle, stray & 1.2 bad client message: an Error that is not fatal is told, and the session goes on",
  { warns: ["server-error"] },
  async ({ client, server }) => {
    const told = once(client, "serverError");
    link(server).send(frame.error("out of order"));
    expect(await told).toEqual({ type: "Error", message: "out of order", fatal: false });
    await works(client);
    expect(sent(server)).toEqual(["SendMessage are you there?"]);
  },
);

const STOPS: readonly (readonly [
  string,
  (scene: Scene, turn: ReturnType<CodeyClient["prompt"]>) => unknown,
  string,
])[] = [
  ["a cancel", (_, turn) => turn.cancel(), "cancelled"],
  ["an abort", (_, turn) => aborts.get(turn.id)?.abort(), "cancelled"],
  ["an early exit", async (_, turn) => void (await turn[Symbol.asyncIterator]().return?.()), "cancelled"],
  ["the idle timer", ({ clock }) => clock.advance(300), "failed"],
  [
    "the retry guard",
    ({ server }) => {
      const retrying = JSON.stringify({ type: "Retrying", agent_id: 0, attempt: 1, error: "no key" });
      for (let count = 0; count < 5; count++) link(server).send(retrying);
    },
    "failed",
  ],
];
/** The controllers of turns, by the turns' ids. */
const aborts = new Map<string, AbortController>();

for (const [what, stop, ends] of STOPS) {
  onBoth(
    `6.1 turn, cancel & acceptance 8: ${what} begins the procedure, and the turn settles at its Pong`,
    endless,
    async (scene) => {
      const { client, server } = scene;
      const controller = new AbortController();
      const turn = client.prompt("go", { signal: controller.signal, idleTimeout: 300 });
      aborts.set(turn.id, controller);
      await shown(turn, "one");
      const cancelling = new Promise<void>((resolve) =>
        turn.on("status", (status) => status === "cancelling" && resolve()),
      );
      stop(scene, turn);
      await cancelling;
      expect((await turn.outcome).status).toBe(ends);
      expect(sent(server)).toEqual(["SendMessage go", "Cancel", "Ping"]);
      expect(await works(client)).toBe("yes");
    },
  );
}

onBoth(
  "6.1 cancelling, Pong: a turn that had failed is not settled twice, and the queued one starts",
  endless,
  async ({ client, server }) => {
    const turn = client.prompt("go");
    const next = client.prompt("next");
    const ends: string[] = [];
    turn.on("status", (status) => ends.push(status));
    await shown(turn, "one");
    link(server).send(frame.error("no"));
    expect((await next.result).text).toBe("yes");
    expect(ends.filter((status) => status === "failed")).toHaveLength(1);
    expect((await turn.outcome).status).toBe("failed");
  },
);

forBoth(
  "6.1 cancelling, barrier timer: the connection is cut, also when the turn had settled before",
  async () => {
    const { client, socket, clock } = await onFakeSocket();
    const gone = once(client, "disconnected");
    const turn = client.prompt("go");
    const next = client.prompt("next");
    socket.receives(frame.error("no"));
    expect(await failureOf(turn)).toMatchObject({ code: "turn-failed" });
    await clock.advance(4_999);
    expect([client.status, next.status]).toEqual(["ready", "queued"]);
    await clock.advance(1);
    expect(await gone).toMatchObject({ code: "connection-lost" });
    expect(await failureOf(next)).toMatchObject({ code: "context-lost", delivery: "not-sent" });
    expect([client.status, socket.abandoned, clock.pending]).toEqual(["closed", true, 0]);
  },
);
