import { CodeyClient } from "agentwire/codey";
import { codeyStep, ManualClock } from "agentwire/testing";
import { expect } from "vitest";
import {
  asked,
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
  walkBackoff,
  works,
} from "../../helpers/codey.ts";
import { FakeSocket } from "../../helpers/fake-socket.ts";
import { browserLike, forBoth, onBoth, type Scene, type SceneOptions } from "./both.ts";
import { read } from "./calls.ts";

const manual: SceneOptions = { client: { onToolApproval: "manual" } };
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
  "6.1 handshaking, other: without a greeting in time it rejects, and cuts the socket",
  { connected: false, mock: { frozen: "noConnected" } },
  async ({ client, server, clock }) => {
    const connecting = rejection(client.connect());
    const connection = await server.nextConnection();
    await clock.advance(10_000);
    expect(await connecting).toMatchObject({ code: "connect-timeout", retryable: true });
    await server.waitFor(() => connection.closed);
  },
);

onBoth("6.1 idle, user send: it is sent at once", async ({ client, server }) => {
  const turn = client.prompt("hello");
  expect(turn.status).toBe("sent");
  expect((await server.nextSend()).content).toBe("hello");
  await turn.result;
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
  "6.1 idle, stray: an Error that is not fatal is told, and the session goes on",
  { warns: ["server-error"] },
  async ({ client, server }) => {
    const told = once(client, "serverError");
    link(server).send(frame.error("out of order"));
    expect(await told).toEqual({ type: "Error", message: "out of order", fatal: false });
    await works(client);
    expect(sent(server)).toEqual(["SendMessage are you there?"]);
  },
);

onBoth("6.1 turn, Finished: the turn settles, and the next one is sent", async ({ client, server }) => {
  const turn = client.prompt("one");
  const next = client.prompt("two");
  expect((await turn.result).text).toBe("Hello! You said: one");
  expect((await next.result).text).toBe("Hello! You said: two");
  expect(sent(server)).toEqual(["SendMessage one", "SendMessage two"]);
});

onBoth(
  "6.1 turn, Error: the turn fails at once, and what is said until the Pong is nobody's",
  endless,
  async ({ client, server }) => {
    const turn = client.prompt("go");
    await shown(turn, "one");
    const late = collect(client, "late");
    link(server).send(frame.error("no"));
    link(server).send(frame.text("two"));
    expect(await failureOf(turn)).toMatchObject({ code: "turn-failed" });
    expect(await works(client)).toBe("yes");
    expect(turn.text).toBe("one");
    expect(late[0]).toMatchObject({ type: "TextDelta", content: "two" });
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
    `6.1 turn, cancel: ${what} begins the procedure, and the turn settles at its Pong`,
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
  "6.1 cancelling, messages: tool events and deltas are told as late, and change nothing of the turn",
  { ...manual, mock: { cancelReply: "none" } },
  async ({ client, server }) => {
    server.answer = () => ["one", codeyStep.calls(read())];
    const turn = client.prompt("go");
    await asked(turn);
    const late = collect(client, "late");
    const outcome = turn.cancel();
    for (const raw of [
      frame.text("two"),
      frame.thinking("hm"),
      frame.delta("toolu_1", "al"),
      frame.completed("toolu_1", "alpha"),
    ])
      link(server).send(raw);
    expect(await outcome).toMatchObject({ status: "cancelled", partial: { text: "one" } });
    expect(late.map(({ type }) => type)).toEqual([
      "TextDelta",
      "ThinkingDelta",
      "ToolDelta",
      "ToolCompleted",
    ]);
    expect(turn.toolCalls).toMatchObject([{ state: "abandoned" }]);
  },
);

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

onBoth(
  "6.1 cancelling, barrier timer: the connection is cut, whether or not the turn had settled",
  endless,
  async ({ client, server, clock }) => {
    const turn = client.prompt("go");
    await shown(turn, "one");
    const gone = once(client, "disconnected");
    link(server).send(frame.error("no"));
    expect(await failureOf(turn)).toMatchObject({ code: "turn-failed" });
    server.set({ frozen: "midSession" });
    // The Pong may be on its way already: another Cancel has none yet.
    const second = client.prompt("go").cancel();
    await clock.advance(5_000);
    expect(await gone).toMatchObject({ code: "connection-lost", sideEffectsPossible: true });
    expect((await second).status).toBe("cancelled");
  },
);

onBoth(
  "6.1 any, fatal: while idle it closes the client",
  { warns: ["server-error"] },
  async ({ client, server }) => {
    const gone = once(client, "disconnected");
    link(server).send(frame.error("gone", true));
    expect(await gone).toMatchObject({ code: "connection-lost", retryable: false });
    expect(client.status).toBe("closed");
  },
);

onBoth(
  "6.1 any, fatal: in a turn it fails the turn, then closes the client",
  endless,
  async ({ client, server }) => {
    const turn = client.prompt("go");
    await shown(turn, "one");
    link(server).send(frame.error("gone", true));
    expect(await failureOf(turn)).toMatchObject({ code: "turn-failed", fatal: true, retryable: false });
    expect(client.status).toBe("closed");
  },
);

onBoth(
  "6.1 any, fatal: behind a Cancel the turn is cancelled, and the client closed",
  { ...endless, mock: { ...endless.mock, cancelReply: "none" } },
  async ({ client, server }) => {
    const turn = client.prompt("go");
    await shown(turn, "one");
    const outcome = turn.cancel();
    link(server).send(frame.error("gone", true));
    expect(await outcome).toMatchObject({ status: "cancelled", partial: { endedBy: { fatal: true } } });
    expect(client.status).toBe("closed");
  },
);

onBoth(
  "6.1 any, fatal: a client that reconnects does not, for the server has had enough",
  { client: { reconnect: {} }, warns: ["server-error"] },
  async (scene) => {
    walkBackoff(scene);
    link(scene.server).send(frame.error("gone", true));
    await once(scene.client, "disconnected");
    expect(scene.client.status).toBe("closed");
  },
);

const LOSSES: readonly (readonly [string, (scene: Scene) => unknown])[] = [
  ["a close", ({ server }) => link(server).close(1001)],
  ["a socket error", ({ server }) => link(server).faults.malformed("bad-utf8")],
  ["a broken link", ({ server }) => link(server).drop()],
  ["the pong deadline", ({ clock }) => clock.advance(30_000)],
];

for (const [what, lose] of LOSSES) {
  onBoth(
    `6.1 any, lost: ${what} rejects the turn, its approvals and every request; nothing stays pending`,
    // A socket that breaks the protocol is answered with a Close by the platform, which asks nobody before.
    { client: { onToolApproval: "manual", requestTimeout: 0 }, mistakes: ["left-mid-turn"] },
    async (scene) => {
      const { client, server } = scene;
      server.answer = () => [codeyStep.calls(read())];
      const turn = client.prompt("go");
      const next = client.prompt("next");
      await asked(turn);
      server.set({ frozen: "midSession" });
      const requests = [client.ping(), client.getState(), client.getHistory()].map(rejection);
      await server.waitFor(() => sent(server).includes("GetHistory"));
      lose(scene);
      expect(await failureOf(turn)).toMatchObject({
        code: "connection-lost",
        delivery: "unknown",
        sideEffectsPossible: true,
      });
      expect(turn.pending).toEqual([]);
      for (const request of requests) expect(await request).toMatchObject({ code: "connection-lost" });
      expect(await failureOf(next)).toMatchObject({
        code: "context-lost",
        delivery: "not-sent",
        input: "next",
      });
      expect(client.status).toBe("closed");
    },
  );
}

onBoth(
  "6.1 any, close(): while idle it says Close 1000, and resolves after a second at most",
  async ({ client, server, clock, profile }) => {
    const closed = client.close();
    const connection = link(server);
    if (profile === "real") {
      await server.waitFor(() => connection.state === "closed");
      expect(client.status).toBe("draining");
      await clock.advance(1_000);
    }
    await closed;
    expect(client.status).toBe("closed");
    expect(sent(server)).toEqual([]);
    if (browserLike && profile === "real") await server.stop(); // such a socket stays open until the server goes
    expect(await server.waitFor(() => connection.closed)).toMatchObject({ code: 1000, by: "client" });
  },
);

onBoth(
  "6.1 any, close(): in a turn with open approvals it says Cancel and denies them first",
  manual,
  async ({ client, server, clock, profile }) => {
    server.answer = () => [codeyStep.calls(read(), read({ background: true, callId: "b" }))];
    const turn = client.prompt("go");
    const next = client.prompt("next");
    await Promise.all([asked(turn, (id) => id !== "b"), asked(turn, (id) => id === "b")]);
    const closed = client.close();
    expect(await failureOf(turn)).toMatchObject({ code: "closed", delivery: "unknown" });
    expect(await failureOf(next)).toMatchObject({ code: "closed", delivery: "not-sent", input: "next" });
    const connection = link(server);
    await server.waitFor(() => connection.state === "closed");
    if (profile === "real") await clock.advance(1_000);
    await closed;
    const [, cancel, ...denials] = sent(server);
    expect(cancel).toBe("Cancel");
    expect([...denials].sort()).toEqual(["ToolDecision b false", "ToolDecision toolu_1 false"]);
  },
);
