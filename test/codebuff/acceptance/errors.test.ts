import { type AgentwireError, isAgentwireError } from "agentwire/codebuff";
import { type MockConnection, step } from "agentwire/testing";
import { expect } from "vitest";
import { once, sentTo, status } from "../../helpers/codebuff.ts";
import { browserLike, onBoth, READING, TOKEN } from "./both.ts";
import { action, failureOf, heard, INIT, link, lose, nack, rejection, works } from "./wire.ts";

onBoth(
  "error ConnectError: connect-failed, with the status of a refused upgrade where the runtime tells it",
  { connected: false },
  async ({ client, server }) => {
    server.refuseUpgrades(503);
    const error = await rejection(client.connect());
    expect(isAgentwireError(error, "connect-failed")).toBe(true);
    expect(error).toMatchObject({ retryable: true, ...(browserLike ? {} : { status: 503 }) });
  },
);

for (const [reason, retryable, refuse] of [
  ["nack", false, (connection) => connection.send(nack("clientSessionId is too long", 0))],
  ["policy", false, (connection) => connection.close(1008, "Expected identify message")],
  ["duplicate", true, (connection) => connection.send(nack("Session ID dup is already in use"))],
  ["full", true, (connection) => connection.send(nack("Maximum connections (10000) reached"))],
] satisfies [string, boolean, (connection: MockConnection) => void][]) {
  onBoth(
    `error IdentifyError: handshake-refused, because of "${reason}", ${retryable ? "is tried again" : "is final"}`,
    { connected: false, mock: { identify: "silent" } },
    async ({ client, server }) => {
      const again = once(client, "reconnecting");
      const connecting = rejection(client.connect());
      await server.waitFor(() => sentTo(server, "identify").length === 1);
      refuse(link(server));
      const error = retryable ? (await again).error : await connecting;
      expect(error).toMatchObject({ code: "handshake-refused", reason, retryable });
      if (!retryable) expect(client.status).toBe("closed");
    },
  );
}

onBoth(
  "error ConnectionLost: connection-lost, with code and reason, for each prompt and request that was sent",
  { ...READING, mock: { ...READING.mock, idRelease: { midPrompt: 0 } } },
  async ({ client, server, profile }) => {
    server.answer = () => [step.hang()];
    const turns = [client.prompt("one"), client.prompt("two")];
    const topics = profile === "proxy" ? rejection(client.subscribe(["updates"])) : undefined;
    await server.nextPrompt();
    await lose(client, () => link(server).close(1011, "crashed"));
    const errors: unknown[] = await Promise.all(turns.map((turn) => failureOf(turn)));
    if (topics) errors.push(await topics); // the other server has acked it
    for (const error of errors) {
      const how = { closeCode: 1011, closeReason: "crashed", delivery: "unknown" };
      expect(error).toMatchObject({ code: "connection-lost", ...how });
    }
    expect(new Set(errors).size).toBe(errors.length);
  },
);

onBoth(
  "error AckTimeout: request-timeout, with the txid",
  { client: { ackTimeout: 1_000, keepalive: false } },
  async ({ client, clock, server }) => {
    link(server).pause();
    const topics = rejection(client.subscribe(["updates"]));
    await clock.advance(1_000);
    expect(await topics).toMatchObject({ code: "request-timeout", txid: 1, timeout: 1_000 });
    link(server).resume();
    expect(await works(client)).not.toBe("");
  },
);

onBoth(
  "error PromptError: turn-failed, with all that a prompt-error says",
  {
    mock: {
      answer: () => [
        "part",
        step.promptError({ message: "No more", error: "Insufficient credits", remainingBalance: -2 }),
      ],
    },
  },
  async ({ client }) => {
    const turn = client.prompt("hello");
    expect(await failureOf(turn)).toMatchObject({
      code: "turn-failed",
      origin: "action",
      promptId: turn.id,
      serverMessage: "No more",
      serverError: "Insufficient credits",
      balance: -2,
      partial: { text: "part" },
    });
  },
);

onBoth(
  "error PromptError: an error inside the stream has the origin `stream`",
  { mock: { answer: () => ["part", step.sseError({ message: "too busy", status: 529, retryable: true })] } },
  async ({ client }) => {
    expect(await failureOf(client.prompt("hello"))).toMatchObject({
      code: "turn-failed",
      origin: "stream",
      serverMessage: "too busy",
      status: 529,
      retryable: true,
    });
  },
);

onBoth(
  "error PromptError: a prompt that ends without a word has the origin `silent-end`, where that can be known",
  {
    client: { ...READING.client, stallTimeout: 0 },
    mock: { ...READING.mock, failure: "silent" },
    mistakes: ["left-mid-prompt"],
  },
  async ({ client, clock, profile }) => {
    const acked = heard(client, '"ack"');
    const turn = client.prompt("hello");
    await acked;
    if (profile === "proxy") {
      await client.subscribe(["updates"]); // its answer proves that the prompt is over
      expect(await failureOf(turn)).toMatchObject({ code: "turn-failed", origin: "silent-end" });
      return;
    }
    await client.subscribe(["updates"]);
    expect(turn.status).toBe("sent"); // this server answers at once, which proves nothing
    for (let waited = 0; waited < 100_000; waited += 25_000) {
      const pinged = heard(client, '"ack"');
      await clock.advance(25_000);
      await pinged;
    }
    await clock.advance(20_000);
    expect(await failureOf(turn)).toMatchObject({ code: "turn-timeout", kind: "idle" });
  },
);

onBoth(
  "error ActionError & edge case 9: turn-failed of the kind `action-error`, with its error and balance",
  {
    mock: {
      answer: () => [
        step.actionError({ message: "Log in again.", error: "bad token", remainingBalance: 0 }),
        step.silent(),
      ],
    },
  },
  async ({ client }) => {
    expect(await failureOf(client.prompt("hello"))).toMatchObject({
      code: "turn-failed",
      kind: "action-error",
      serverMessage: "Log in again.",
      serverError: "bad token",
      balance: 0,
    });
  },
);

onBoth("error Aborted: turn-cancelled, with the signal's reason as its cause", async ({ client, server }) => {
  const reason = new Error("the user left");
  const turn = client.prompt("hello", { signal: AbortSignal.abort(reason) });
  const error = await rejection(turn.result);
  expect(error).toMatchObject({ code: "turn-cancelled", by: "signal", cause: reason, delivery: "not-sent" });
  await works(client);
  expect(server.prompts).toHaveLength(1);
});

onBoth(
  "error ClosedByUser: closed, for what close() leaves undone and for every later call",
  { connected: false, mock: { identify: "silent" } },
  async ({ client }) => {
    const turn = client.prompt("hello");
    const waiting = [rejection(client.connect()), rejection(client.init(INIT))];
    await client.close();
    expect(await failureOf(turn)).toMatchObject({ code: "closed", delivery: "not-sent", input: "hello" });
    for (const error of await Promise.all(waiting)) expect(error).toMatchObject({ code: "closed" });
    expect(() => client.prompt("more")).toThrow(expect.objectContaining({ code: "closed" }));
    expect(() => client.subscribe(["updates"])).toThrow(expect.objectContaining({ code: "closed" }));
  },
);

onBoth(
  "error QueueFull: queue-full, thrown by the call, when as much waits as may wait",
  { connected: false, mock: { identify: "silent" }, client: { maxQueuedTurns: 2 } },
  async ({ client }) => {
    const turns = [client.prompt("one"), client.prompt("two")];
    expect(() => client.prompt("three")).toThrow(expect.objectContaining({ code: "queue-full", limit: 2 }));
    expect(turns.map((turn) => turn.status)).toEqual(["queued", "queued"]);
  },
);

onBoth(
  "error ProtocolError: a warning that quotes the start of the frame, without credentials, and hits no pending call",
  { mock: { init: "ack-only" } },
  async ({ client, server }) => {
    const acked = heard(client, '"ack"');
    const init = client.init(INIT);
    await acked;
    const warned = once(client, "protocolWarning");
    link(server).send(`${TOKEN} ${"x".repeat(10_000)}`);
    const { kind, raw = "" } = await warned;
    expect(kind).toBe("unreadable-frame");
    expect(raw).toMatch(/^\[redacted\] x+$/);
    expect(raw.length).toBeLessThan(1_000);
    link(server).send(action({ type: "init-response", usage: 1, remainingBalance: 2 }));
    expect(await init).toMatchObject({ usage: 1 });
  },
);

onBoth(
  "error ProtocolError: a known message that lacks a field is a warning that quotes it",
  async ({ client, server }) => {
    const warned = once(client, "protocolWarning");
    const frame = action({ type: "prompt-response", promptId: 5 });
    link(server).send(frame);
    expect(await warned).toMatchObject({ kind: "invalid-message", raw: frame });
    expect(await works(client)).not.toBe("");
  },
);

onBoth(
  "error ConnectError: says by itself whether a retry makes sense, and shows its code",
  { connected: false },
  async ({ client, server }) => {
    server.refuseUpgrades(503);
    const error = (await failureOf(client.prompt("hello"))) as AgentwireError;
    expect(String(error)).toContain(`[${error.code}]: ${error.message}`);
    expect(error.retryable).toBe(true);
    await status(client, "idle");
  },
);
