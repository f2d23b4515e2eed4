import { CodebuffClient } from "agentwire/codebuff";
import { ManualClock, step } from "agentwire/testing";
import { expect } from "vitest";
import { gate, once, sentTo, status } from "../../helpers/codebuff.ts";
import { browserLike, onBoth, TOKEN } from "./both.ts";
import { failureOf, INIT, rejection, shown, works } from "./wire.ts";

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
