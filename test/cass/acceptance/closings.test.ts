import { cassStep } from "agentwire/testing";
import { expect } from "vitest";
import {
  asked,
  drain,
  failureOf,
  heard,
  link,
  once,
  rejection,
  saw,
  says,
  thrown,
  walkBackoff,
  works,
} from "../../helpers/cass.ts";
import { browserLike, onEach } from "./each.ts";
import { kept } from "./made.ts";

// --- what the connection ends with ---

for (const failure of ["drop", "zombie", "close1000"] as const) {
  onEach(`8 exception: by ${failure}`, { mock: { failure } }, async (scene) => {
    const { client, server, clock } = scene;
    walkBackoff(scene);
    server.answer = ({ message }) => (message === "go" ? [cassStep.fail()] : ["yes"]);
    const turn = client.prompt("go");
    if (failure === "zombie") {
      await heard(client, "Generating");
      await server.waitFor(() => link(server).state === "zombie");
      await clock.advance(120_000);
    }
    const code = { drop: 1006, close1000: 1000, zombie: undefined }[failure];
    expect(await failureOf(turn)).toMatchObject({
      delivery: "unknown",
      ...(code === undefined ? { code: "turn-timeout" } : { code: "connection-lost", closeCode: code }),
    });
    expect(await works(client)).toBe("yes");
  });
}

onEach(
  "8 exception: a user who was deleted is found out by a turn without an id, and not asked for ever",
  { mock: { deletedUser: true, withoutConversation: "continuousOrNew" } },
  async (scene) => {
    const { client, server } = scene;
    walkBackoff(scene);
    const turns = ["one", "two", "three", "four"].map((message) => client.prompt(message));
    const outcomes = await Promise.all(turns.map(({ outcome }) => outcome));
    const deliveries = outcomes.map((outcome) =>
      outcome.status === "failed" ? outcome.error.delivery : "none",
    );
    expect(deliveries).toEqual(["unknown", "unknown", "unknown", "not-sent"]);
    expect(await client.prompt({ message: "five", conversationId: kept(scene) }).outcome).toMatchObject({
      status: "completed",
    });
    expect(server.turns.length).toBe(4);
  },
);

for (const busy of [false, true]) {
  onEach(`8 restart: ${busy ? "in the middle of a turn" : "while idle"}`, async (scene) => {
    const { client, server } = scene;
    walkBackoff(scene);
    says(server, cassStep.hang());
    const turn = busy ? client.prompt("go") : undefined;
    if (turn) await saw(turn, "thinking", 2);
    const back = once(client, "reconnected");
    const lost = once(client, "disconnected");
    server.restart();
    expect(await lost).toMatchObject({ closeCode: 1012 });
    if (turn) expect(await failureOf(turn)).toMatchObject({ closeCode: 1012, delivery: "unknown" });
    await back;
  });
}

onEach(
  "8 wrong path: the upgrade is refused, and the status told where the platform tells it",
  { connected: false, client: ({ server }) => ({ url: `${server.url}/nowhere` }) },
  async ({ client }) => {
    const error = await rejection(client.connect());
    expect(error).toMatchObject({
      code: "connect-failed",
      // A wrong path gets the same 403 as wrong credentials.
      ...(browserLike ? { retryable: true } : { status: 403, retryable: false }),
    });
  },
);

// --- the errors ---

onEach(
  "8 ConnectError: it says where, and that it may be tried again",
  { connected: false, mock: { refuseUpgrade: 503 } },
  async ({ client, server }) => {
    const error = await rejection(client.connect());
    expect(error).toMatchObject({
      name: "ConnectError [connect-failed]",
      code: "connect-failed",
      retryable: true,
      message: expect.stringContaining(server.url),
    });
  },
);

onEach(
  "8 ServerInitializingError & 8 still initializing & E5: it is tried again, also behind `GET /status`",
  { mock: { perConnection: ({ number }) => ({ initializing: number === 1 }) }, connected: false },
  async ({ client, server, clock }) => {
    const connected = client.connect();
    const { error, delay } = await once(client, "reconnecting");
    expect(error).toMatchObject({
      name: "HandshakeError [handshake-refused]",
      reason: "initializing",
      retryable: true,
      message: expect.stringContaining("still initializing"),
    });
    expect(await client.rest.getStatus()).toMatchObject({ online: true });
    await clock.advance(delay);
    await connected;
    expect(server.connections.length).toBe(2);
  },
);

onEach(
  "8 RequestRejectedError: an error frame is the turn's, and the connection stays",
  async ({ client, server }) => {
    says(server, cassStep.say({ type: "error", message: "User not found" }), cassStep.hang());
    const error = await failureOf(client.prompt("go"));
    expect(error).toMatchObject({
      name: "CassTurnError [turn-failed]",
      code: "turn-failed",
      kind: "user-not-found",
      serverMessage: "User not found",
    });
    expect(client.status).toBe("ready");
  },
);

onEach(
  "8 ConnectionLostError: delivery says whether it may be sent again",
  { client: { reconnect: false } },
  async ({ client, server }) => {
    says(server, cassStep.hang());
    const sentOne = client.prompt("sent");
    const queued = client.prompt("queued");
    await saw(sentOne, "thinking", 2);
    link(server).drop();
    expect(await failureOf(sentOne)).toMatchObject({
      code: "connection-lost",
      delivery: "unknown",
      closeCode: 1006,
    });
    expect(await failureOf(queued)).toMatchObject({ delivery: "not-sent", input: "queued" });
  },
);

onEach(
  "8 ConnectionLostError: a status that was asked for is lost too",
  { client: { maxTurnsInFlight: 2 }, mock: { unreadFrame: "queue" } },
  async ({ client, server }) => {
    says(server, cassStep.hang());
    const turn = client.prompt("go");
    await saw(turn, "thinking", 2);
    const failed = rejection(client.getStatus());
    await server.waitFor(() => asked(server).length === 2);
    link(server).drop();
    expect(await failed).toMatchObject({ code: "connection-lost" });
    expect(await failureOf(turn)).toMatchObject({ code: "connection-lost", delivery: "unknown" });
  },
);

onEach(
  "8 TurnTimeoutError: the connection is cut, and the next one takes what waits",
  { client: { idleTimeout: 1_000 } },
  async (scene) => {
    const { client, server, clock } = scene;
    walkBackoff(scene);
    server.answer = ({ message }) => (message === "go" ? [cassStep.hang()] : ["yes"]);
    const turn = client.prompt("go");
    const next = client.prompt("next");
    await saw(turn, "thinking", 2);
    await clock.advance(1_000);
    expect(await failureOf(turn)).toMatchObject({
      name: "TurnTimeoutError [turn-timeout]",
      kind: "idle",
      delivery: "unknown",
    });
    expect((await next.result).text).toBe("yes");
    expect(server.connections.length).toBe(2);
  },
);

onEach("8 PayloadTooLargeError: it has the size and the limit", async ({ client }) => {
  const error = thrown(() => client.prompt("x".repeat(17_000_000)));
  expect(error).toMatchObject({
    name: "PayloadTooLargeError [payload-too-large]",
    limit: 16_777_216,
    retryable: false,
  });
  expect(error).toHaveProperty("bytes", expect.any(Number));
});

onEach("8 InvalidArgumentError: it says what to do instead", async ({ client }) => {
  expect(thrown(() => client.prompt(" "))).toMatchObject({
    name: "InvalidInputError [invalid-input]",
    code: "invalid-input",
    hint: expect.stringContaining("allowEmpty"),
  });
});

onEach("8 AbortedError: it carries the reason", async ({ client, server }) => {
  says(server, cassStep.hang());
  const controller = new AbortController();
  const turn = client.prompt("go", { signal: controller.signal });
  const reading = drain(turn);
  await saw(turn, "thinking", 2);
  controller.abort("enough");
  expect((await reading).thrown).toMatchObject({ code: "turn-cancelled", by: "signal", cause: "enough" });
});

onEach(
  "8 ApiError: it has the status and the detail; 401 renews the token, 5xx backs off",
  { client: ({ user }) => ({ refreshToken: user.refreshToken }) },
  async ({ client, server, clock, user }) => {
    expect(await rejection(client.rest.getConversation("nowhere"))).toMatchObject({
      name: "CassApiError [request-refused]",
      code: "request-refused",
      status: 404,
      detail: "Conversation not found",
      retryable: false,
    });
    server.set({ restStatus: { "GET /auth/me": 401 } });
    expect(await rejection(client.rest.me())).toMatchObject({ status: 401 });
    expect(server.requests.filter(({ route }) => route === "POST /auth/refresh").length).toBe(1);
    server.set({ restStatus: { "GET /auth/me": 503 } });
    const asking = client.rest.me();
    const waits = clock.timer(250);
    await waits;
    server.set({ restStatus: {} });
    await clock.advance(250);
    expect(await asking).toMatchObject({ user_id: user.userId });
  },
);

onEach(
  "8 ProtocolWarning: it goes on",
  {
    warns: ["unreadable-frame", "invalid-message", "unknown-message", "stray-message", "unexpected-response"],
  },
  async ({ client, server }) => {
    const kinds: string[] = [];
    client.on("protocolWarning", ({ kind }) => void kinds.push(kind));
    await works(client);
    for (const raw of [
      "not json",
      "[]",
      '{"type":7}',
      '{"type":"dream"}',
      '{"type":"pong"}',
      '{"type":"thinking","status":"x"}',
      '{"type":"response","text":"x"}',
      '{"type":"thinking"}',
    ]) {
      const warned = once(client, "protocolWarning");
      link(server).send(raw);
      await warned;
    }
    expect(kinds).toEqual([
      "unreadable-frame",
      "invalid-message",
      "invalid-message",
      "unknown-message",
      "stray-message",
      "stray-message",
      "unexpected-response",
      "invalid-message",
    ]);
    expect(await works(client)).toBe("Hello!");
  },
);
