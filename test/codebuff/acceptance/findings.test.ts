import { CodebuffClient } from "agentwire/codebuff";
import { ManualClock, step } from "agentwire/testing";
import { expect } from "vitest";
import { gate, once, sentTo, status } from "../../helpers/codebuff.ts";
import { browserLike, onBoth, READING, TOKEN } from "./both.ts";
import {
  actionsTo,
  eventsOf,
  failureOf,
  heard,
  INIT,
  link,
  lose,
  rejection,
  sentOn,
  shown,
  works,
} from "./wire.ts";

onBoth(
  "finding 1: a balance that is written as the bare token Infinity is read as a number",
  { mock: { balance: Number.POSITIVE_INFINITY } },
  async ({ client, server }) => {
    const { remainingBalance } = await client.init(INIT);
    expect(remainingBalance).toBe(Number.POSITIVE_INFINITY);
    const frame = server.frames.find(({ raw }) => raw.includes("init-response"));
    expect(() => JSON.parse(frame?.raw ?? "{}"), "what was sent is no JSON").toThrow();
  },
);

onBoth(
  "finding 1: Infinity is a number wherever credits are told",
  { mock: { init: "ack-only" } },
  async ({ client, server }) => {
    const acked = heard(client, '"ack"');
    const init = client.init(INIT);
    await acked;
    link(server).send(
      '{"type":"action","data":{"type":"init-response","usage":Infinity,"remainingBalance":-Infinity}}',
    );
    expect(await init).toMatchObject({
      usage: Number.POSITIVE_INFINITY,
      remainingBalance: Number.NEGATIVE_INFINITY,
    });
  },
);

for (const nulls of ["mixed", "omit", "keep"] as const) {
  onBoth(
    `finding 2: absent and null are the same thing, also to a server that says "${nulls}"`,
    {
      mock: {
        nulls,
        answer: ({ data }) =>
          data.prompt === "fail"
            ? [step.promptError({ message: "no", error: null, remainingBalance: null })]
            : ["a", step.respond({ toolCalls: null, toolResults: null, output: null })],
      },
    },
    async ({ client }) => {
      expect(await client.init(INIT)).toMatchObject({ type: "init-response" });
      const { text, toolCalls, toolResults, output } = await client.prompt("hello").result;
      expect({ text, toolCalls, toolResults, output }).toEqual({
        text: "a",
        toolCalls: [],
        toolResults: [],
        output: null,
      });
      const failure = await failureOf(client.prompt("fail"));
      expect(failure).toMatchObject({ code: "turn-failed", serverMessage: "no" });
      expect(failure).not.toHaveProperty("balance");
      expect(failure).not.toHaveProperty("serverError");
    },
  );
}

onBoth(
  "finding 3: identify is the first frame, and one server's refusal of it is no failure",
  { connected: false },
  async ({ client, server, profile }) => {
    await client.prompt("hello").result;
    expect(sentOn(server, 1)).toEqual(["identify", "prompt"]);
    expect(client.server).toBe(profile);
    expect(server.connections).toHaveLength(1);
  },
);

onBoth(
  "finding 4: the ack of an identify is no proof of registration",
  { client: { clientSessionId: "dup" }, mistakes: ["txid-restarted"] }, // two clients count under one id
  async ({ server, profile }) => {
    const clock = new ManualClock();
    const rival = new CodebuffClient({ url: server.url, clock, clientSessionId: "dup", authToken: TOKEN });
    const refused = once(rival, "reconnecting");
    const turn = rival.prompt("hello");
    if (profile === "proxy") {
      expect((await refused).error).toMatchObject({ code: "handshake-refused", reason: "duplicate" });
      expect(server.prompts, "sent to a server that had refused the session").toEqual([]);
    } else {
      await turn.result; // this server has no sessions that could be in use
    }
    await rival.close({ force: true });
  },
);

onBoth(
  "finding 5: a prompt that runs for minutes, with pings and a second prompt behind it, times nothing out",
  { ...READING, client: { ...READING.client, idleTimeout: 0, stallTimeout: 0 } },
  async ({ client, server, clock, profile }) => {
    const hold = gate();
    server.answer = async function* ({ data }) {
      yield "begun";
      if (data.prompt === "long") await hold.passed;
    };
    const long = client.prompt("long");
    await shown(long, "begun");
    const second = client.prompt("second");
    if (profile === "codebuff") await second.result;
    for (let pings = 1; pings <= 12; pings++) {
      const acked = profile === "codebuff" ? heard(client, '"ack"') : undefined;
      await clock.advance(25_000);
      await acked;
    }
    expect([client.status, long.status]).toEqual(["ready", "streaming"]);
    expect(second.status).toBe(profile === "proxy" ? "sent" : "completed");
    hold.open();
    expect((await Promise.all([long.result, second.result])).map(({ text }) => text)).toEqual([
      "begun",
      "begun",
    ]);
    expect(server.connections).toHaveLength(1);
  },
);

onBoth(
  "finding 6: a server that hangs up because it counted no ping costs what was under way, and nothing else",
  { serverClock: true, mock: { idRelease: { midPrompt: 0 } } },
  async ({ client, server, serverClock, profile }) => {
    server.answer = () => ["part", step.hang()];
    const turn = client.prompt("long");
    await shown(turn, "part");
    const back = once(client, "reconnected");
    await serverClock.advance(121_000);
    expect(await failureOf(turn)).toMatchObject({
      code: "connection-lost",
      delivery: "unknown",
      closeCode: profile === "proxy" ? 1000 : 1006,
      partial: { text: "part" },
    });
    const advice = "raise its heartbeat timeout, or set `maxConcurrentPrompts` above 1";
    expect(String(await failureOf(turn)).includes(advice)).toBe(profile === "proxy");
    await back;
    server.answer = () => ["again"];
    expect(await works(client)).toBe("again");
  },
);

onBoth(
  "finding 6a: a prompt of 75 s is answered by a server that stops reading behind one frame that it has not read",
  { serverClock: true, mock: { heartbeat: { timeout: 300_000 } } },
  async ({ client, server, clock, serverClock, profile }) => {
    const hold = gate();
    server.answer = async function* () {
      yield "begun";
      await hold.passed;
      yield " and done";
    };
    const turn = client.prompt("long");
    await shown(turn, "begun");
    for (let waited = 0; waited < 75_000; waited += 25_000) {
      const pong = profile === "codebuff" ? heard(client, '"ack"') : undefined;
      await clock.advance(25_000);
      await pong;
      await serverClock.advance(25_000);
    }
    expect(sentOn(server, 1)).toEqual(
      profile === "proxy" ? ["identify", "prompt"] : ["identify", "prompt", "ping", "ping", "ping"],
    );
    hold.open();
    expect((await turn.result).text).toBe("begun and done");
    expect(await works(client)).not.toBe("");
    expect(server.connections).toHaveLength(1);
  },
);

onBoth(
  "finding 6a: above one prompt at once the client sends all the same, and learns why the link was closed",
  {
    client: { maxConcurrentPrompts: 2 },
    serverClock: true,
    mock: { heartbeat: { timeout: 300_000 }, idRelease: { midPrompt: 0 } },
    mistakes: ["frame-mid-prompt", "left-mid-prompt"],
  },
  async ({ client, server, clock, serverClock, profile }) => {
    const hold = gate();
    server.answer = async function* () {
      yield "begun";
      await hold.passed;
    };
    const turn = client.prompt("long");
    await shown(turn, "begun");
    await clock.advance(25_000);
    await server.waitFor(() => sentTo(server, "ping").length === 1);
    for (let waited = 0; waited < 45_000; waited += 5_000) await serverClock.advance(5_000);
    if (profile === "proxy") {
      const error = await failureOf(turn);
      expect(error).toMatchObject({ code: "connection-lost", closeCode: 1011 });
      expect(String(error)).toContain("leave `maxConcurrentPrompts` at 1");
    }
    hold.open();
    if (profile === "codebuff") expect((await turn.result).text).toBe("begun");
  },
);

onBoth(
  "finding 7: a close with 1000 that the client did not ask for is a loss like any other",
  async ({ client, server }) => {
    await works(client);
    const error = await lose(client, () => link(server).close(1000, "Connection cleanup"));
    expect(error).toMatchObject({
      code: "connection-lost",
      closeCode: 1000,
      closeReason: "Connection cleanup",
      retryable: true,
    });
    expect(await works(client)).not.toBe("");
  },
);

onBoth(
  "finding 8: the client never leaves a prompt behind unasked: close() waits for it, and a cancel closes nothing",
  READING,
  async ({ client, server }) => {
    const hold = gate();
    server.answer = async function* () {
      yield "one";
      await hold.passed;
      yield " two";
    };
    const cancelled = client.prompt("first");
    await shown(cancelled, "one");
    await cancelled.cancel();
    const turn = client.prompt("second");
    const closed = client.close();
    expect(client.status).toBe("draining");
    hold.open();
    await closed;
    expect((await turn.result).text).toBe("one two");
    await server.waitFor(() => link(server).closed);
    expect(link(server).closed).toMatchObject({ code: 1000, by: "client", wasClean: true });
    expect(server.connections).toHaveLength(1);
  },
);

onBoth(
  "finding 9: raw SSE frames become text, a Python object becomes a warning, an object becomes an event",
  async ({ client, server }) => {
    server.answer = () => [
      step.chunk({ type: "start", agentId: "base" }),
      step.sseChunk("Hel"),
      step.repr(),
      step.sseChunk("lo"),
    ];
    const warned = once(client, "protocolWarning");
    const turn = client.prompt("hello");
    const events = eventsOf(turn);
    expect((await turn.result).text).toBe("Hello");
    expect(await warned).toMatchObject({ kind: "odd-chunk" });
    expect(events[0]).toMatchObject({ chunk: { type: "start", agentId: "base" }, text: "" });
  },
);

onBoth(
  "finding 10: an upstream error that comes as a chunk fails the prompt, although a prompt-response follows",
  { mock: { failure: "sse-error" } },
  async ({ client }) => {
    expect(await failureOf(client.prompt("hello"))).toMatchObject({
      code: "turn-failed",
      origin: "stream",
      kind: "BackendError",
      status: 404,
      serverMessage: "The model does not exist",
    });
  },
);

onBoth(
  "finding 11: the model sees the history before the new prompt, whoever keeps it",
  { mock: { answer: ({ messages }) => [`answer ${messages.length}`] } },
  async ({ client, server, profile }) => {
    const chat = client.conversation();
    await chat.prompt("one").result;
    await chat.prompt("two").result;
    expect(server.prompts[1]?.messages).toEqual([
      { role: "user", content: "one" },
      { role: "assistant", content: "answer 1" },
      { role: "user", content: "two" },
    ]);
    const sent = actionsTo(server, "prompt")[1];
    if (profile === "proxy") expect(sent).toMatchObject({ sessionState: {} });
    else expect(sent).toMatchObject({ prompt: "two", sessionState: { mainAgentState: { creditsUsed: 1 } } });
  },
);

onBoth(
  "finding 12: the URL is the user's, to the letter; a wrong path is an error that says so",
  { connected: false },
  async ({ server }) => {
    const options = { clock: new ManualClock(), settleWindow: 0 };
    const good = new CodebuffClient({ ...options, url: `${server.url}?room=1` });
    await good.connect();
    expect(server.upgrades[0]).toMatchObject({ url: "/ws?room=1", status: 101 });
    expect(server.upgrades[0]?.headers["sec-websocket-protocol"]).toBeUndefined();
    expect(server.upgrades[0]?.headers["authorization"]).toBeUndefined();
    await good.close();

    const wrong = new CodebuffClient({ ...options, url: server.url.replace(/ws$/, "other") });
    const error = await rejection(wrong.connect());
    expect(error).toMatchObject({ code: "connect-failed" });
    if (browserLike) expect(error).not.toHaveProperty("status");
    else expect(error).toMatchObject({ status: 403 });
    await wrong.close();
    await status(wrong, "closed");
    expect(sentTo(server, "identify")).toHaveLength(1);
  },
);
