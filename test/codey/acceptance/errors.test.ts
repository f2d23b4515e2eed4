import { CodeyTurnError } from "agentwire/codey";
import { codeyStep } from "agentwire/testing";
import { expect } from "vitest";
import { asked, failureOf, link, once, rejection, shown, thrown, works } from "../../helpers/codey.ts";
import { browserLike, onBoth, type SceneOptions } from "./both.ts";
import { read } from "./calls.ts";

const approving: SceneOptions = { client: { onToolApproval: () => true } };

// --- kinds ---

onBoth(
  "7 ConnectFailed: a port where nobody listens is an error that may be tried again",
  { connected: false },
  async ({ client, server }) => {
    await server.stop();
    expect(await rejection(client.connect())).toMatchObject({ code: "connect-failed", retryable: true });
    expect(client.status).toBe("idle");
  },
);

onBoth(
  "7 ConnectFailed: a prompt fails with it, and is handed back",
  { connected: false },
  async ({ client, server }) => {
    server.refuseUpgrades(503);
    expect(await failureOf(client.prompt("hello"))).toMatchObject({
      code: "connect-failed",
      delivery: "not-sent",
      input: "hello",
      ...(browserLike ? {} : { status: 503 }),
    });
    server.refuseUpgrades(undefined);
    await works(client);
  },
);

onBoth(
  "7 ConnectTimeout: no `Connected` in time",
  { connected: false, mock: { frozen: "noConnected" } },
  async ({ client, server, clock }) => {
    const connecting = rejection(client.connect());
    await server.nextConnection();
    await clock.advance(10_000);
    expect(await connecting).toMatchObject({ code: "connect-timeout", retryable: true });
  },
);

onBoth("7 ConnectionLost: a close says its code and reason", async ({ client, server }) => {
  server.answer = () => ["one", codeyStep.close(1011, "out of memory")];
  const gone = once(client, "disconnected");
  const turn = client.prompt("go");
  expect(await gone).toMatchObject({
    code: "connection-lost",
    closeCode: 1011,
    closeReason: "out of memory",
  });
  expect(await failureOf(turn)).toMatchObject({
    code: "connection-lost",
    closeCode: 1011,
    closeReason: "out of memory",
    retryable: true,
    partial: { text: "one" },
  });
});

onBoth(
  "7 TurnError: it is the class of the protocol, and keeps the raw message",
  async ({ client, server }) => {
    server.answer = () => [codeyStep.error("something new")];
    const error = await failureOf(client.prompt("go"));
    expect(error).toBeInstanceOf(CodeyTurnError);
    expect(error).toMatchObject({
      code: "turn-failed",
      origin: "error",
      kind: "other",
      serverMessage: "something new",
      fatal: false,
      retryable: false,
    });
  },
);

onBoth(
  "7 ServerMisconfigured: a flood of Retrying, told with its cause",
  { mock: { retrying: "flood" } },
  async ({ client, server }) => {
    server.answer = ({ content }) =>
      content === "go" ? [codeyStep.retrying("API key is missing")] : ["yes"];
    expect(await failureOf(client.prompt("go"))).toMatchObject({
      code: "turn-failed",
      origin: "retrying",
      kind: "misconfigured",
      serverMessage: expect.stringContaining("API key is missing"),
      retryable: false,
    });
    expect(await works(client)).toBe("yes");
  },
);

onBoth("7 TurnCancelled: by the caller, and by a signal", async ({ client, server }) => {
  server.answer = () => ["one", codeyStep.hang()];
  const turn = client.prompt("go");
  await shown(turn, "one");
  void turn.cancel("enough");
  expect(await rejection(turn.result)).toMatchObject({
    code: "turn-cancelled",
    by: "user",
    cause: "enough",
    partial: { text: "one" },
  });
  const controller = new AbortController();
  const second = client.prompt("go", { signal: controller.signal });
  await shown(second, "one");
  controller.abort();
  expect(await rejection(second.result)).toMatchObject({ code: "turn-cancelled", by: "signal" });
});

onBoth("7 ToolFailed: it fails the call and not the turn", approving, async ({ client, server }) => {
  server.answer = () => [codeyStep.calls(read({ result: { error: "boom" } })), "I could not."];
  const { text, toolCalls } = await client.prompt("go").result;
  expect([text, toolCalls[0]?.state, toolCalls[0]?.error]).toEqual(["I could not.", "failed", "boom"]);
});

onBoth("7 ToolFailed: a denial is told apart from a failure", async ({ client, server }) => {
  server.answer = () => [codeyStep.calls(read({ filter: "deny" })), "As you like."];
  const { toolCalls } = await client.prompt("go").result;
  expect(toolCalls).toMatchObject([{ state: "denied", deniedBy: "server", error: "Denied by user" }]);
});

onBoth(
  "7 ProtocolWarning: what cannot be read or is out of place is a warning, and the turn goes on",
  { warns: ["unknown-message", "unreadable-frame", "invalid-message"] },
  async ({ client, server }) => {
    const unknown = once(client, "unknownMessage");
    server.answer = () => [
      "one",
      codeyStep.raw('{"type":"AgentSpawned","id":7}'),
      codeyStep.raw("not json"),
      codeyStep.raw('{"type":"TextDelta","agent_id":-1,"content":"x"}'),
      codeyStep.raw('{"type":"ToolStarted","agent_id":0}'),
      " two",
    ];
    expect((await client.prompt("go").result).text).toBe("one two");
    expect(await unknown).toEqual({ type: "AgentSpawned", id: 7 });
  },
);

onBoth("7 InvalidInput: it is thrown by the call", async ({ client }) => {
  expect(thrown(() => client.prompt(" "))).toMatchObject({
    code: "invalid-input",
    hint: expect.stringContaining("not blank"),
  });
});

onBoth(
  "7 TurnBusy: a second turn waits, up to a limit above which it is refused",
  { client: { maxQueuedTurns: 1 } },
  async ({ client, server }) => {
    server.answer = () => ["one", codeyStep.hang()];
    const turn = client.prompt("go");
    const next = client.prompt("next");
    expect(thrown(() => client.prompt("too much"))).toMatchObject({ code: "queue-full", limit: 1 });
    expect(next.status).toBe("queued");
    void next.cancel();
    await turn.cancel();
  },
);

// --- what an `Error` says ---

const escaped = '{"type":"error","error":{"message":"say \\"no\\"\n"}}';

const PATTERNS: readonly (readonly [
  string,
  string,
  { readonly kind: string; readonly status?: number; readonly retryable: boolean },
])[] = [
  ...[408, 429, 500, 503, 529].map(
    (status) =>
      [
        "HTTP status",
        `Stream error: ApiError { status: ${status}, body: "${JSON.stringify(escaped).slice(1, -1)}" }`,
        { kind: "http", status, retryable: true },
      ] as const,
  ),
  ...[400, 401, 403, 413].map(
    (status) =>
      [
        "HTTP status",
        `Stream error: ApiError { status: ${status}, body: "" }`,
        { kind: "http", status, retryable: false },
      ] as const,
  ),
  [
    "Transport",
    "Stream error: ReqwestEventSource(Transport(reqwest::Error { kind: Request }))",
    { kind: "transport", retryable: true },
  ],
  ["StreamEnded", "Stream error: ReqwestEventSource(StreamEnded)", { kind: "truncated", retryable: true }],
  [
    "InvalidContentType",
    'Stream error: ReqwestEventSource(InvalidContentType("text/html", Response { status: 200 }))',
    { kind: "misconfigured", retryable: false },
  ],
  ["other Stream error", 'Stream error: StreamParse("bad data")', { kind: "other", retryable: false }],
  [
    "other Stream error",
    'Stream error: SerdeJson(Error("EOF", line: 1))',
    { kind: "other", retryable: false },
  ],
  ["other Stream error", "Stream error: whatever", { kind: "other", retryable: false }],
  ["API error", "API error (claude-sonnet-4): missing API key", { kind: "misconfigured", retryable: false }],
  ["no pattern", "", { kind: "other", retryable: false }],
  ["no pattern", "the moon is full", { kind: "other", retryable: false }],
  ["no pattern", "Stream error: ApiError { status: many }", { kind: "other", retryable: false }],
];

for (const [pattern, text, means] of PATTERNS) {
  const { status } = means;
  onBoth(
    `7 pattern ${pattern}: ${JSON.stringify(text.slice(0, 50))} is \`${means.kind}\`${status ? ` with status ${status}` : ""}, and the words are kept`,
    async ({ client, server }) => {
      server.answer = ({ content }) => (content === "go" ? ["half", codeyStep.error(text)] : ["yes"]);
      const error = await failureOf(client.prompt("go"));
      expect(error).toMatchObject({ ...means, serverMessage: text, partial: { text: "half" } });
      if (status === undefined) expect(error).not.toHaveProperty("status");
      expect(await works(client)).toBe("yes");
    },
  );
}

onBoth("7 pattern HTTP status: a body escaped as in Rust is kept as it came", async ({ client, server }) => {
  server.answer = () => [codeyStep.apiError(529, '{"type":"error"}\n"')];
  expect(await failureOf(client.prompt("go"))).toMatchObject({
    status: 529,
    serverMessage: 'Stream error: ApiError { status: 529, body: "{\\"type\\":\\"error\\"}\\n\\"" }',
  });
});

// --- what a `ToolError` says ---

for (const text of [
  "Invalid params: missing field `path`",
  "File not found: a.txt",
  "Not a file: src",
  "Cannot access /secret: permission denied",
  "Command timed out after 120 seconds",
  "Delegation not supported over WebSocket",
  "Agent context not initialized",
  "Approval cancelled",
  "Handler channel dropped",
]) {
  onBoth(
    `7 tool error ${text.replace(/:.*/, "")}: a call that was asked about has failed with it`,
    approving,
    async ({ client, server }) => {
      server.answer = () => [codeyStep.calls(read({ result: { error: text } })), "after"];
      const { toolCalls } = await client.prompt("go").result;
      expect(toolCalls).toMatchObject([{ state: "failed", error: text }]);
      expect(toolCalls[0]).not.toHaveProperty("deniedBy");
    },
  );
}

onBoth(
  "7 tool error Denied by user: it is the client's denial where the client denied, and else the server's",
  { client: { onToolApproval: ({ id }) => id !== "mine" } },
  async ({ client, server }) => {
    server.answer = () => [
      codeyStep.calls(read({ callId: "mine" }), read({ callId: "theirs", filter: "deny" })),
    ];
    const { toolCalls } = await client.prompt("go").result;
    expect(toolCalls.map(({ state, deniedBy }) => [state, deniedBy])).toEqual([
      ["denied", "user"],
      ["denied", "server"],
    ]);
  },
);

onBoth(
  "7 tool error Denied by user: a call that the client had approved has failed, and was not denied",
  { client: { onToolApproval: "manual" } },
  async ({ client, server }) => {
    server.answer = () => [codeyStep.calls(read({ result: { error: "Denied by user" } }))];
    const turn = client.prompt("go");
    client.decide(await asked(turn), true);
    const { toolCalls } = await turn.result;
    expect(toolCalls).toMatchObject([{ state: "failed", error: "Denied by user" }]);
    expect(link(server).state).toBe("ready");
  },
);
