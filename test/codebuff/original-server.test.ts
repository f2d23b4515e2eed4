import {
  type CodebuffClientOptions,
  type CodebuffEvent,
  type ContentPart,
  newSessionState,
  UnsupportedError,
} from "agentwire/codebuff";
import { type MockCodebuffOptions, type ReceivedPrompt, type Step, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { drain, gate, once, type Pair, pair, readyPair, sentTo, status } from "../helpers/codebuff.ts";

const TOKEN = "token-1234";

type Script = (prompt: ReceivedPrompt) => Iterable<Step> | AsyncIterable<Step>;

function original(
  answer: Script,
  options: { readonly mock?: MockCodebuffOptions; readonly client?: Partial<CodebuffClientOptions> } = {},
) {
  return readyPair({
    mock: { profile: "codebuff", answer, ...options.mock },
    client: { authToken: TOKEN, ...options.client },
  });
}

describe("a client of the original server", () => {
  test("detects the server from the refusal of `identify`", async () => {
    await using it = await original(() => ["Hello ", "there"]);
    expect(it.client.server).toBe("codebuff");
    const turn = it.client.prompt("hi");
    expect((await drain(turn.textStream)).values.join("")).toBe("Hello there");
    expect(it.server.violations).toEqual([]);
  });

  test("with `profile` set is ready when the socket opens, and sends no `identify`", async () => {
    await using it = await original(() => ["Hello"], { client: { profile: "codebuff" } });
    await it.client.prompt("hi").result;
    expect(sentTo(it.server, "identify")).toEqual([]);
    expect(it.server.violations).toEqual([]);
  });

  test("sends a complete session state, and continues a conversation from the server's state", async () => {
    await using it = await original(() => ["yes"]);
    const chat = it.client.conversation();
    const { sessionState } = await chat.prompt("one").result;
    await chat.prompt("two").result;
    const [first, second] = it.server.prompts;
    expect(first?.data.sessionState).toEqual(JSON.parse(JSON.stringify(newSessionState())));
    expect(second?.data.sessionState).toEqual(sessionState);
    expect(second?.data).toMatchObject({ prompt: "two" });
    expect(chat.state.sessionState).not.toEqual(sessionState);

    const resumed = it.client.conversation({ from: JSON.parse(JSON.stringify(chat.state)) });
    await resumed.prompt("three").result;
    expect(it.server.prompts[2]?.data.sessionState).toEqual(chat.state.sessionState);
    expect(it.server.violations).toEqual([]);
  });

  test("sends content parts in the server's own form", async () => {
    await using it = await original(() => ["a cat"]);
    const content = [{ type: "image", image: new Uint8Array([1, 2, 3]), mediaType: "image/png" }] as const;
    await it.client.prompt({ prompt: "What is this?", content }).result;
    expect(it.server.prompts[0]?.data).toMatchObject({
      prompt: "What is this?",
      content: [{ type: "image", image: "AQID", mediaType: "image/png" }],
    });
  });

  test("refuses unsupported messages at the call, or in the turn if the server is still unknown", async () => {
    const content = [{ role: "system", content: "be brief" }] as const;
    await using it = await pair({ mock: { profile: "codebuff" } });
    const early = it.client.prompt({ content });
    await expect(early.result).rejects.toMatchObject({ code: "unsupported", delivery: "not-sent" });
    expect(() => it.client.prompt({ content })).toThrow(expect.objectContaining({ code: "unsupported" }));
  });
});

test.each<readonly [name: string, message: object]>([
  ["a message that only the proxy reads", { text: "hi" }],
  ["an image without a URL", { role: "user", content: [{ type: "image_url" }] }],
])("%s fails its turn as unsupported, and the next prompt goes out", async (_, message) => {
  const content = JSON.parse(JSON.stringify([message]));
  await using it = await pair({ mock: { profile: "codebuff" } });
  const [turn, next] = [it.client.prompt({ content }), it.client.prompt("next")];
  await expect(turn.result).rejects.toMatchObject({ code: "unsupported", delivery: "not-sent" });
  await next.result;
  expect(() => it.client.prompt({ content })).toThrow(UnsupportedError);
  expect(() => it.client.conversation().prompt({ content })).toThrow(UnsupportedError);
});

test("changes to the input after the call have no effect", async () => {
  await using it = await pair({ mock: { profile: "codebuff" } });
  const part = { type: "text" as const, text: "as it was" };
  const content: ContentPart[] = [part];
  const turn = it.client.prompt({ content });
  part.text = "changed";
  content.push({ type: "text", text: "too late" });
  await turn.result;
  expect(it.server.prompts[0]?.data.content).toEqual([{ type: "text", text: "as it was" }]);
});

test("a conversation begun on the proxy continues on the original server with all its messages", async () => {
  await using proxy = await readyPair({ mock: { answer: () => ["yes"] } });
  const begun = proxy.client.conversation();
  await begun.prompt({ prompt: "one", content: [{ type: "image", image: "iVBOR" }] }).result;
  await using it = await original(() => ["also"]);
  await it.client.conversation({ from: begun.state }).prompt("two").result;
  expect(it.server.prompts[0]?.data).toMatchObject({
    prompt: "two",
    sessionState: {
      mainAgentState: {
        messageHistory: [
          {
            role: "user",
            content: [
              { type: "image", image: "iVBOR", mediaType: "image/png" },
              { type: "text", text: "one" },
            ],
          },
          { role: "assistant", content: "yes" },
        ],
      },
    },
  });
  expect(it.server.violations).toEqual([]);
});

describe("the events of the original server", () => {
  test("include sub-agents, costs and logs, none of which is text", async () => {
    await using it = await original(function* ({ promptId }) {
      yield step.chunk({ type: "start", agentId: "base" });
      yield "answer";
      yield step.subAgentChunk({ agentId: "a7", agentType: "picker", chunk: "look" });
      yield step.subAgent("base-7", "from below");
      yield step.log({ agentId: "a7", level: "info", data: { n: 1 }, message: "step" });
      yield step.cost(3, "a7");
      yield step.cost(2);
      yield step.subAgent("async-1", step.promptError({ message: "a sub-agent failed" }));
      yield step.chunk({ type: "later", of: promptId });
    });
    const turn = it.client.prompt("hi");
    const { values } = await drain<CodebuffEvent>(turn);
    expect(turn.text).toBe("answer");
    expect(values.map(({ type }) => type)).toEqual(
      expect.arrayContaining([
        "subagent-response-chunk",
        "handlesteps-log-chunk",
        "message-cost-response",
        "prompt-error",
        "prompt-response",
      ]),
    );
    const below = values.find((event) => "userInputId" in event && event.userInputId === `${turn.id}-base-7`);
    expect(below).toMatchObject({ type: "response-chunk", chunk: "from below", text: "" });
    expect(values.at(-1)?.type).toBe("prompt-response");
  });

  test("give the cost of a turn: the server's total, or else the sum of its steps", async () => {
    const scripts: readonly (readonly Step[])[] = [
      ["a", step.cost(3), step.cost(2), step.chunk({ type: "finish", totalCost: 7 }), step.respond()],
      ["a", step.cost(3), step.cost(2), step.respond()],
      ["a", step.respond()],
      ["a", step.cost(4), step.promptError({ message: "no" })],
    ];
    let at = 0;
    await using it = await original(() => scripts[at++] ?? [], { mock: { chunks: "text" } });
    const ends = [];
    for (const _ of scripts) ends.push(await it.client.prompt("hi").outcome);
    const costs = ends.map((end) => (end.status === "completed" ? end.result.cost : end.partial.cost));
    expect(costs).toEqual([
      { amount: 7, unit: "credits" },
      { amount: 5, unit: "credits" },
      undefined,
      { amount: 4, unit: "credits" },
    ]);
  });

  test("add the cost of a sub-agent to that of its prompt", async () => {
    const answer: Script = ({ promptId }) => [
      step.cost(3),
      step.action({ type: "message-cost-response", promptId: `${promptId}-base-1`, credits: 4 }),
      step.respond(),
    ];
    await using it = await original(answer, { mock: { chunks: "text" } });
    const turn = it.client.prompt("hi");
    expect((await turn.result).cost).toEqual({ amount: 7, unit: "credits" });
  });

  test("include `usage` on the client, at any time", async () => {
    await using it = await original(() => ["a"]);
    const usage = once(it.client, "usage");
    it.server.connections[0]?.send(
      '{"type":"action","data":{"type":"usage-response","usage":12,"remainingBalance":488,"next_quota_reset":null}}',
    );
    expect(await usage).toMatchObject({ usage: 12, remainingBalance: 488 });
  });

  test("of a sub-agent after the answer are `late`, and those of an unknown id are `orphan`", async () => {
    await using it = await original(() => ["a"]);
    const turn = it.client.prompt("hi");
    await turn.result;
    const like = once(it.client, "orphan", (message) => "userInputId" in message);
    it.server.connections[0]?.send(
      JSON.stringify({
        type: "action",
        data: { type: "response-chunk", userInputId: `${turn.id}x-1`, chunk: "x" },
      }),
    );
    expect(await like).toMatchObject({ userInputId: `${turn.id}x-1` }); // no more than an id that begins alike
    const [late, orphan] = [once(it.client, "late"), once(it.client, "orphan")];
    const chunk = (userInputId: string) =>
      JSON.stringify({ type: "action", data: { type: "response-chunk", userInputId, chunk: "x" } });
    it.server.connections[0]?.send(chunk(`${turn.id}-async-1`));
    it.server.connections[0]?.send(chunk("nobodys-1"));
    expect(await late).toMatchObject({ userInputId: `${turn.id}-async-1` });
    expect(await orphan).toMatchObject({ userInputId: "nobodys-1" });
  });

  test("of a prompt whose id extends another prompt's id do not belong to that other prompt", async () => {
    const first = gate();
    await using it = await original(async function* ({ promptId }) {
      if (promptId === "p") await first.passed;
      yield promptId;
    });
    const outer = it.client.prompt({ prompt: "a", promptId: "p" });
    const inner = it.client.prompt({ prompt: "b", promptId: "p-1" });
    expect((await inner.result).text).toBe("p-1");
    it.server.connections[0]?.send(
      '{"type":"action","data":{"type":"response-chunk","userInputId":"p-1","chunk":"late"}}',
    );
    await once(it.client, "late");
    first.open();
    expect((await outer.result).text).toBe("p");
  });
});

describe("an answer whose output is an error", () => {
  test("fails the turn with its message, and a prompt-error after it is `late`", async () => {
    await using it = await original(function* () {
      yield "half";
      yield step.respond({ output: { type: "error", message: `out of steps, ${TOKEN}` } });
      yield step.promptError({ message: "out of steps" });
    });
    const late = once(it.client, "late");
    const { values, thrown } = await drain<CodebuffEvent>(it.client.prompt("hi"));
    expect(values.at(-1)?.type).toBe("prompt-response");
    expect(thrown).toMatchObject({
      code: "turn-failed",
      origin: "output",
      serverMessage: "out of steps, [redacted]",
    });
    expect(await late).toMatchObject({ type: "prompt-error" });
  });

  test("fails the turn even without a message, unlike other outputs", async () => {
    const outputs = [{ type: "error" }, { type: "lastMessage", value: "x" }, { type: "later", message: "x" }];
    let at = 0;
    await using it = await original(() => [step.respond({ output: outputs[at++] })]);
    const ends = [];
    for (const _ of outputs) ends.push((await it.client.prompt("hi").outcome).status);
    expect(ends).toEqual(["failed", "completed", "completed"]);
  });
});

describe("a cancel", () => {
  const endless: Script = function* () {
    yield "begun";
    yield step.hang();
  };
  const cancels = ({ server }: Pair) =>
    server.cancels.map(({ promptId, authToken }) => ({ promptId, authToken }));

  const begun = async (it: Pair, options = {}) => {
    const turn = it.client.prompt("hi", options);
    for await (const text of turn.textStream) if (text === "begun") break;
    return turn;
  };

  test("by leaving the loop is sent with the token, and `close()` does not wait for the prompt", async () => {
    await using it = await original(endless);
    const turn = await begun(it);
    expect(await turn.outcome).toMatchObject({ status: "cancelled" });
    await it.server.waitFor(({ cancels }) => cancels.length === 1);
    expect(cancels(it)).toEqual([{ promptId: turn.id, authToken: TOKEN }]);
    await it.client.close(); // does not drain for a prompt that was told to stop
    expect(it.server.violations).toEqual([]);
  });

  test.each(["timeout", "idleTimeout"] as const)("is sent after `%s` too", async (limit) => {
    await using it = await original(endless, { client: { keepalive: false } });
    const seen = once(it.client, "event");
    const turn = it.client.prompt("hi", { [limit]: 1_000 });
    await seen;
    await it.clock.advance(1_000);
    await expect(turn.result).rejects.toMatchObject({ code: "turn-timeout" });
    await it.server.waitFor(({ cancels }) => cancels.length === 1);
  });

  test("has the token of its prompt, whether its own or from the token function", async () => {
    let asked = 0;
    await using it = await original(endless, { client: { authToken: async () => `token-${++asked}` } });
    await (await begun(it)).cancel();
    await it.server.waitFor(({ cancels }) => cancels.length === 1);
    const own = it.client.prompt({ prompt: "hi", authToken: "own-token" });
    for await (const _ of own) break;
    await it.server.waitFor(({ cancels }) => cancels.length === 2);
    expect(cancels(it).map(({ authToken }) => authToken)).toEqual(["token-1", "own-token"]);
  });

  test("has the prompt's own token even if the client has a fixed token", async () => {
    await using it = await original(endless);
    for await (const _ of it.client.prompt({ prompt: "hi", authToken: "own-token" })) break;
    await it.server.waitFor(({ cancels }) => cancels.length === 1);
    expect(cancels(it)).toMatchObject([{ authToken: "own-token" }]);
  });

  test("just before `close()` is sent before the connection closes", async () => {
    await using it = await original(endless);
    const turn = it.client.prompt("hi");
    await once(it.client, "event", (event) => event.type === "response-chunk" && event.text === "begun");
    void turn.cancel();
    await it.client.close();
    await it.server.waitFor(({ connections }) => connections[0]?.closed);
    expect(cancels(it)).toHaveLength(1);
    expect(it.server.violations).toEqual([]);
  });

  test("lets the next queued prompt go out", async () => {
    await using it = await original(({ data }) => (data.prompt === "hi" ? ["begun", step.hang()] : ["b"]), {
      client: { maxConcurrentPrompts: 1 },
    });
    const turn = it.client.prompt("hi");
    const next = it.client.prompt("next");
    for await (const text of turn.textStream) if (text === "begun") break;
    expect((await next.result).text).toBe("b");
  });

  test("is not sent without a token, or on the proxy", async () => {
    await using it = await readyPair({ mock: { profile: "codebuff", answer: endless } });
    const turn = await begun(it);
    await turn.outcome;
    await using proxy = await readyPair({
      mock: { answer: endless },
      client: { authToken: TOKEN },
    });
    await (await begun(proxy)).outcome;
    await proxy.client.close({ force: true });
    await it.client.close();
    for (const { server } of [it, proxy]) {
      expect(JSON.stringify(server.frames.map(({ raw }) => raw))).not.toContain("cancel-user-input");
    }
  });

  test("makes later messages of its prompt `late` events", async () => {
    await using it = await original(endless, { mock: { cancel: { lateTerminal: 0 } } });
    const late = once(it.client, "late", ({ type }) => type === "prompt-response");
    const turn = await begun(it);
    expect((await turn.outcome).status).toBe("cancelled");
    await late;
    expect(turn.status).toBe("cancelled");
  });
});

describe("missing acks and refusals without a txid", () => {
  test("a prompt without an ack does not block the next, and is cancelled on the server", async () => {
    await using it = await original(({ data }) => (data.prompt === "stuck" ? [step.hang()] : ["a"]), {
      mock: { ackOrder: "late", chunks: "text", usage: "none" },
      client: { maxConcurrentPrompts: 1, keepalive: false },
    });
    const stuck = it.client.prompt("stuck");
    const next = it.client.prompt("next");
    await it.server.nextPrompt();
    await it.clock.advance(30_000);
    await expect(stuck.result).rejects.toMatchObject({ code: "request-timeout" });
    expect((await next.result).text).toBe("a");
    await it.server.waitFor(({ cancels }) => cancels.length === 1);
    await it.client.close();
    expect(it.clock.pending).toBe(0);
  });

  test("an action-error after a cancel may be about the cancel, so it fails no other prompt", async () => {
    await using it = await original(() => [step.hang()], { mock: { usage: "none", chunks: "text" } });
    const [first, second] = [it.client.prompt("one"), it.client.prompt("two")];
    await it.server.waitFor(({ prompts }) => prompts.length === 2);
    await first.cancel();
    const told = once(it.client, "actionError");
    it.server.connections[0]?.send(
      '{"type":"action","data":{"type":"action-error","message":"who are you"}}',
    );
    await told;
    expect(second.status).toBe("sent");
  });

  test("an action-error after a cancel fails no newer prompt that is still unacknowledged", async () => {
    const mock = { ackOrder: "late", usage: "none", chunks: "text" } as const;
    await using it = await original(() => [step.hang()], { mock });
    const first = it.client.prompt("one");
    await it.server.waitFor(({ prompts }) => prompts.length === 1);
    await first.cancel();
    const second = it.client.prompt("two");
    await it.server.waitFor(({ prompts }) => prompts.length === 2);
    const told = once(it.client, "actionError");
    it.server.connections[0]?.send(
      '{"type":"action","data":{"type":"action-error","message":"who are you"}}',
    );
    await told;
    expect(second.status).toBe("sent");
  });

  test("a refusal without a txid is only a warning while a ping is open", async () => {
    await using it = await original(() => ["a"]);
    const warning = once(it.client, "protocolWarning", ({ kind }) => kind === "unattributed-refusal");
    it.server.connections[0]?.pause();
    await it.clock.advance(25_000);
    it.server.connections[0]?.resume();
    it.server.connections[0]?.send('{"type":"ack","success":false,"error":"Internal error: what now"}');
    expect(await warning).toMatchObject({ raw: "Internal error: what now" });
  });
});

test("the detected server outlives the link: a large prompt made while it is down is sent", async () => {
  await using it = await original(() => ["a"]);
  const down = once(it.client, "disconnected");
  it.server.dropAll();
  await down;
  expect(it.client.server).toBe("codebuff");
  const turn = it.client.prompt("x".repeat(1_500_000));
  expect((await turn.result).text).toBe("a");
});

describe("request-reconnect", () => {
  test("waits for running prompts, holds back new calls, then reconnects", async () => {
    const goOn = gate();
    await using it = await original(async function* ({ data }) {
      if (data.prompt === "first") {
        yield step.requestReconnect();
        await goOn.passed;
      }
      yield `answer to ${data.prompt}`;
    });
    const asked = once(it.client, "reconnectRequested");
    const first = it.client.prompt("first");
    await asked;
    const second = it.client.prompt("second");
    const topics = it.client.subscribe(["updates"]);
    const back = once(it.client, "reconnected");
    expect([it.client.status, second.status]).toEqual(["ready", "queued"]);
    goOn.open();
    expect((await first.result).text).toBe("answer to first");
    await back;
    await topics;
    expect((await second.result).text).toBe("answer to second");
    const [before, after] = it.server.connections;
    expect(before?.closed).toMatchObject({ by: "client", code: 1000 });
    expect(it.server.prompts.map(({ connection }) => connection)).toEqual([before, after]);
    expect(it.server.violations).toEqual([]);
  });

  test("is followed when the last prompt is cancelled, even if no cancel can be sent", async () => {
    await using it = await readyPair({
      mock: { profile: "codebuff", answer: () => [step.requestReconnect(), step.hang()] },
      client: { keepalive: false },
    });
    const [asked, back] = [once(it.client, "reconnectRequested"), once(it.client, "reconnected")];
    const turn = it.client.prompt("hi");
    await asked;
    await turn.cancel();
    await back;
    expect(it.server.cancels).toEqual([]);
  });

  test("on an idle connection is followed at once and reported", async () => {
    await using it = await original(() => ["a"]);
    const [gone, back] = [once(it.client, "disconnected"), once(it.client, "reconnected")];
    it.server.shutdown();
    expect((await gone).message).toMatch(/the server asked for a new connection/);
    await back;
    expect((await it.client.prompt("hi").result).text).toBe("a");
  });

  test("waits for a handler that still runs", async () => {
    const working = gate();
    const done = gate();
    await using it = await original(
      function* () {
        yield step.toolCall({ toolName: "act", input: {}, wait: false, requestId: "r1" });
        yield step.requestReconnect();
        yield step.respond();
      },
      {
        client: {
          tools: {
            act: async () => {
              working.open();
              await done.passed;
              return [{ type: "json", value: 1 }];
            },
          },
        },
      },
    );
    const asked = once(it.client, "reconnectRequested");
    await it.client.prompt("hi").result;
    await Promise.all([asked, working.passed]);
    expect(it.client.status).toBe("ready");
    const back = once(it.client, "reconnected");
    done.open();
    await back;
    expect(it.server.answers).toMatchObject([{ requestId: "r1", outcome: "taken" }]);
  });

  test("does not wait for a tool without a time limit once its prompt is over", async () => {
    const working = gate();
    await using it = await original(
      function* () {
        yield step.toolCall({ toolName: "act", input: {}, timeout: -1, wait: false });
        yield step.respond();
      },
      {
        client: {
          tools: {
            act: () => {
              working.open();
              return new Promise(() => {});
            },
          },
        },
      },
    );
    await it.client.prompt("hi").result;
    await working.passed;
    const back = once(it.client, "reconnected");
    it.server.shutdown();
    await back;
  });

  test("is followed even if `shouldReconnect` returns false", async () => {
    await using it = await original(() => ["a"], { client: { reconnect: { shouldReconnect: () => false } } });
    const back = once(it.client, "reconnected");
    it.server.shutdown();
    await back;
    expect((await it.client.prompt("hi").result).text).toBe("a");
  });

  test("is only an event with `reconnect: false`", async () => {
    await using it = await original(() => ["a"], { client: { reconnect: false } });
    const asked = once(it.client, "reconnectRequested");
    it.server.connections[0]?.send('{"type":"action","data":{"type":"request-reconnect"}}');
    await asked;
    expect((await it.client.prompt("hi").result).text).toBe("a");
    expect(it.server.connections).toHaveLength(1);
  });

  test("drops the connection if the server does not answer the close within a second", async () => {
    await using it = await original(() => ["a"], {
      mock: { closeReply: false },
      client: { keepalive: false },
    });
    const asked = once(it.client, "reconnectRequested");
    it.server.connections[0]?.send('{"type":"action","data":{"type":"request-reconnect"}}');
    await asked;
    await it.server.waitFor(({ connections }) => connections[0]?.state === "closed");
    const back = once(it.client, "reconnected");
    await it.clock.advance(1_000);
    await back;
    expect(it.client.status).toBe("ready");
  });

  test("lets `close()` close the client while it waits", async () => {
    const goOn = gate();
    await using it = await original(async function* () {
      yield step.requestReconnect();
      await goOn.passed;
      yield "a";
    });
    const asked = once(it.client, "reconnectRequested");
    const turn = it.client.prompt("hi");
    await asked;
    const closed = it.client.close();
    goOn.open();
    expect((await turn.result).text).toBe("a");
    await closed;
    await status(it.client, "closed");
    expect(it.server.connections).toHaveLength(1);
  });
});
