import { CodebuffClient } from "agentwire/codebuff";
import { MockCodebuffServer, type ReceivedPrompt, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { gate, once, type PairOptions, readyPair, sentTo, status } from "../helpers/codebuff.ts";
import { rejection, shown } from "../helpers/turns.ts";

const INIT = { fileContext: {} };

/** What was written on one connection, in order: the type of each message, and the text of each prompt. */
function written(server: MockCodebuffServer, connection = 1): readonly string[] {
  return server.frames
    .filter((frame) => frame.direction === "c2s" && frame.connection.id === connection)
    .map(({ raw }): { type: string; data?: { type: string; prompt?: string } } => JSON.parse(raw))
    .map(({ type, data }) => data?.prompt ?? data?.type ?? type);
}

/** A ready client of the proxy, whose prompt "first" runs until the gate opens; every other is answered at once. */
async function working({ client, mock }: PairOptions = {}) {
  const hold = gate();
  const made = await readyPair({
    mock: {
      idRelease: { midPrompt: 0 },
      ...mock,
      async *answer({ data }: ReceivedPrompt) {
        yield "begun";
        if (data.prompt === "first") await hold.passed;
      },
    },
    client: { keepalive: false, stallTimeout: 0, idleTimeout: 0, ...client },
  });
  const first = made.client.prompt("first");
  await shown(first, "begun");
  return { ...made, first, hold };
}

describe("while a prompt runs on the proxy", () => {
  test("new calls wait, and go out after the prompt in the order of the calls", async () => {
    await using made = await working();
    const { client, server, hold } = made;
    const calls = [
      client.subscribe(["a"]),
      client.subscribe(["b"]),
      client.prompt("second").result,
      client.unsubscribe(["a"]),
      client.init(INIT),
      client.prompt("third").result,
    ];
    expect(written(server)).toEqual(["identify", "first"]);
    hold.open();
    await Promise.all(calls);
    expect(written(server)).toEqual([
      "identify",
      "first",
      "subscribe",
      "second",
      "unsubscribe",
      "init",
      "third",
    ]);
    expect(sentTo(server, "subscribe")).toMatchObject([{ topics: ["a", "b"] }]);
    expect(server.violations).toEqual([]);
  });

  test("the time limits of waiting calls do not start", async () => {
    await using made = await working();
    const { client, clock, hold } = made;
    const [init, topics, second] = [client.init(INIT), client.subscribe(["a"]), client.prompt("second")];
    await clock.advance(3_600_000);
    expect(second.status).toBe("queued");
    hold.open();
    expect((await second.result).text).toBe("begun");
    await Promise.all([init, topics]);
  });

  test("answers to the server go out at once", async () => {
    const answered = gate();
    await using made = await readyPair({
      mock: {
        unreadFrame: "queue",
        async *answer() {
          yield step.readFiles(["a.txt"], { wait: false });
          await answered.passed;
        },
      },
      client: { onReadFiles: () => ({ "a.txt": "text" }) },
    });
    const { client, server } = made;
    const turn = client.prompt("go");
    await server.waitFor(() => written(server).includes("read-files-response"));
    expect(turn.status).not.toBe("completed");
    answered.open();
    await turn.result;
  });

  test("a cancelled prompt blocks the queue until the server ends it", async () => {
    for (const end of ["cancel", "timeout"] as const) {
      await using made = await working();
      const { client, server, first, hold, clock } = made;
      const late = client.prompt("late", { timeout: 1_000 });
      if (end === "cancel") await first.cancel();
      await clock.advance(1_000);
      expect(await late.outcome).toMatchObject({ error: { code: "turn-timeout", delivery: "not-sent" } });
      const next = client.prompt("next");
      expect([next.status, written(server)]).toEqual(["queued", ["identify", "first"]]);
      hold.open();
      expect((await next.result).text).toBe("begun");
      expect(written(server)).toEqual(["identify", "first", "next"]);
    }
  });

  test("a waiting prompt that is cancelled is never sent", async () => {
    await using made = await working();
    const { client, server, hold } = made;
    const [second, third] = [client.prompt("second"), client.prompt("third")];
    expect(await second.cancel()).toMatchObject({ status: "cancelled" });
    hold.open();
    await third.result;
    expect(written(server)).toEqual(["identify", "first", "third"]);
  });

  test("the token function is called when its prompt is next, and later calls wait for it", async () => {
    const tokens: ((token: string) => void)[] = [];
    const asked = gate();
    await using made = await working({
      client: {
        authToken: () =>
          new Promise((resolve) => {
            tokens.push(resolve);
            if (tokens.length > 1) asked.open();
            else resolve("for the first");
          }),
      },
    });
    const { client, server, hold } = made;
    const second = client.prompt("second");
    const topics = client.subscribe(["a"]);
    expect(tokens).toHaveLength(1);
    hold.open();
    await asked.passed;
    expect(written(server)).toEqual(["identify", "first"]);
    tokens[1]?.("for the second");
    await Promise.all([second.result, topics]);
    expect(written(server)).toEqual(["identify", "first", "second", "subscribe"]);
  });

  test("waiting prompts count towards `maxQueuedTurns`", async () => {
    await using made = await working({ client: { maxQueuedTurns: 2 } });
    const { client, hold } = made;
    const waiting = [client.prompt("second"), client.prompt("third")];
    expect(() => client.prompt("fourth")).toThrow(expect.objectContaining({ code: "queue-full" }));
    hold.open();
    await Promise.all(waiting.map(({ result }) => result));
  });

  test("waiting turns of a conversation count towards `maxQueuedTurns`", async () => {
    await using made = await working({ client: { maxQueuedTurns: 2 } });
    const { client, hold } = made;
    const chat = client.conversation();
    const waiting = [chat.prompt("second"), chat.prompt("third")];
    expect(() => client.prompt("fourth")).toThrow(expect.objectContaining({ code: "queue-full" }));
    hold.open();
    await Promise.all(waiting.map(({ result }) => result));
  });

  test("each turn of a conversation joins the queue when the turn before it ends", async () => {
    await using made = await working();
    const { client, server, hold } = made;
    const chat = client.conversation();
    const said = [chat.prompt("one"), chat.prompt("two")];
    const other = client.prompt("other");
    hold.open();
    await Promise.all([...said, other].map(({ result }) => result));
    const order = server.prompts.map(({ messages }) => messages.at(-1)?.content);
    expect(order).toEqual(["first", "one", "other", "two"]);
    expect(chat.messages).toHaveLength(4);
  });
});

describe("the limit `maxConcurrentPrompts`", () => {
  test("above 1 sends every call at once, except prompts over the limit", async () => {
    await using made = await working({
      client: { maxConcurrentPrompts: 2 },
      mock: { unreadFrame: "queue" },
    });
    const { client, server, hold } = made;
    const prompts = [client.prompt("second"), client.prompt("third")];
    const rest = [client.init(INIT), client.subscribe(["a"])];
    await server.waitFor(() => written(server).length === 5);
    expect(written(server)).toEqual(["identify", "first", "second", "init", "subscribe"]);
    hold.open();
    await Promise.all([...rest, ...prompts.map(({ result }) => result)]);
    expect(written(server).at(-1)).toBe("third");
  });

  test("applies when a prompt is sent, because the server is unknown before", async () => {
    for (const profile of ["proxy", "codebuff"] as const) {
      await using server = await MockCodebuffServer.start({
        profile,
        heartbeat: false,
        answer: () => ["begun", step.hang()],
      });
      const client = new CodebuffClient({ url: server.url, settleWindow: 0 });
      const turns = [client.prompt("one"), client.prompt("two")];
      const [one, two] = turns;
      if (one) await shown(one, "begun");
      if (profile === "codebuff" && two) await shown(two, "begun");
      expect(two?.status).toBe(profile === "proxy" ? "queued" : "streaming");
      await client.close({ force: true });
    }
  });
});

test("a signal that aborts a running and a waiting prompt lets one more prompt go out", async () => {
  await using server = await MockCodebuffServer.start({
    profile: "codebuff",
    heartbeat: false,
    answer: () => ["begun", step.hang()],
  });
  const client = new CodebuffClient({ url: server.url, maxConcurrentPrompts: 1 });
  const controller = new AbortController();
  const { signal } = controller;
  const running = client.prompt("running", { signal });
  const [, third, fourth] = [
    client.prompt("second", { signal }),
    client.prompt("third"),
    client.prompt("fourth"),
  ];
  await shown(running, "begun");
  controller.abort();
  await shown(third, "begun");
  expect(server.prompts.map(({ data }) => data.prompt)).toEqual(["running", "third"]);
  expect(fourth.status).toBe("queued");
  await client.close({ force: true });
});

describe("the queue behind a prompt", () => {
  test("is rejected at once by `close()`, while the running prompt finishes", async () => {
    await using made = await working();
    const { client, server, first, hold } = made;
    const second = client.prompt("second");
    const rest = [client.init(INIT), client.subscribe(["a"])].map(rejection);
    const closed = client.close();
    const given = { code: "closed", delivery: "not-sent" };
    expect(await second.outcome).toMatchObject({ error: { ...given, input: "second" } });
    for (const error of await Promise.all(rest)) expect(error).toMatchObject(given);
    expect(client.status).toBe("draining");
    hold.open();
    await closed;
    expect((await first.outcome).status).toBe("completed");
    expect(written(server)).toEqual(["identify", "first"]);
    expect(server.violations).toEqual([]);
  });

  test("is sent after a lost link: init and topics first, then the prompts", async () => {
    await using made = await readyPair({
      mock: { idRelease: { midPrompt: 0 }, answer: () => ["begun", step.hang()] },
      client: { keepalive: false, stallTimeout: 0, idleTimeout: 0 },
    });
    const { client, server } = made;
    await client.init(INIT);
    await client.subscribe(["a"]);
    const first = client.prompt("first");
    await shown(first, "begun");
    const prompts = [client.prompt("second"), client.prompt("third")];
    const topics = client.subscribe(["b"]);
    server.answer = () => ["answer"];
    server.dropAll();
    expect(await first.outcome).toMatchObject({ error: { code: "connection-lost", delivery: "unknown" } });
    await Promise.all([topics, ...prompts.map(({ result }) => result)]);
    expect(written(server, 2)).toEqual(["identify", "init", "subscribe", "second", "third"]);
    expect(sentTo(server, "subscribe").at(-1)).toMatchObject({ topics: ["a", "b"] });
  });

  test("fails as not sent after a lost link without `reconnect`", async () => {
    await using made = await working({ client: { reconnect: false } });
    const { client, server } = made;
    const second = client.prompt("second");
    const topics = rejection(client.subscribe(["a"]));
    server.dropAll();
    expect(await second.outcome).toMatchObject({ error: { delivery: "not-sent", input: "second" } });
    expect(await topics).toMatchObject({ delivery: "not-sent" });
    expect(client.status).toBe("closed");
  });

  test("is sent on the new connection if the proxy asks for a reconnect", async () => {
    await using made = await working();
    const { client, server, first, hold } = made;
    const asked = once(client, "reconnectRequested");
    const second = client.prompt("second");
    server.connections[0]?.send('{"type":"action","data":{"type":"request-reconnect"}}');
    await asked;
    hold.open();
    expect((await first.result).text).toBe("begun");
    expect((await second.result).text).toBe("begun");
    expect([written(server, 1), written(server, 2)]).toEqual([
      ["identify", "first"],
      ["identify", "second"],
    ]);
    expect(server.violations).toEqual([]);
  });

  test("moves on after a refused prompt", async () => {
    await using made = await readyPair({
      mock: {
        ackOrder: "late",
        answer: ({ data, txid }) =>
          data.prompt === "bad"
            ? [step.raw(JSON.stringify({ type: "ack", txid, success: false, error: "bad" })), step.silent()]
            : ["answer"],
      },
    });
    const turns = [made.client.prompt("bad"), made.client.prompt("good")];
    expect(await turns[0]?.outcome).toMatchObject({ error: { code: "request-refused" } });
    expect((await turns[1]?.result)?.text).toBe("answer");
  });
});

describe("the end of a prompt on the proxy", () => {
  test.each([
    ["prompt-response", { type: "prompt-response", promptId: "bad", sessionState: null }],
    ["prompt-error", { type: "prompt-error", userInputId: "bad", message: 5 }],
  ])("with an unreadable %s fails the turn, and the next prompt goes out", async (_, data) => {
    await using made = await readyPair({
      mock: {
        answer: ({ promptId }) =>
          promptId === "bad"
            ? ["part", step.raw(JSON.stringify({ type: "action", data })), step.silent()]
            : ["answer"],
      },
      client: { keepalive: false },
    });
    const bad = made.client.prompt({ prompt: "bad", promptId: "bad" });
    const next = made.client.prompt("next");
    expect(await bad.outcome).toMatchObject({
      error: { code: "turn-failed", kind: "unreadable-response", partial: { text: "part" } },
    });
    expect((await next.result).text).toBe("answer");
  });

  test("triggers the due ping; if the socket refuses the ping, the queue uses a new connection", async () => {
    let refuses = false;
    await using made = await working({
      client: {
        keepalive: {},
        createWebSocket: (url) => {
          const socket = new WebSocket(url);
          const send = socket.send.bind(socket);
          socket.send = (data: string): void => {
            if (refuses && data.includes('"ping"')) throw new Error("refused");
            send(data);
          };
          return socket;
        },
      },
    });
    const { client, clock, server, first, hold } = made;
    const [second, topics] = [client.prompt("second"), client.subscribe(["a"])];
    await clock.advance(25_000);
    refuses = true;
    hold.open();
    await first.result;
    expect((await second.result).text).toBe("begun");
    await topics;
    expect(written(server, 1)).toEqual(["identify", "first"]);
    expect(written(server, 2)).toEqual(["identify", "subscribe", "second"]);
  });

  test("is reported as a refusal or a silent end while the client closes", async () => {
    await using made = await readyPair({
      mock: {
        ackOrder: "late",
        answer: ({ txid }) => [
          step.raw(JSON.stringify({ type: "ack", txid, success: false, error: "bad" })),
          step.silent(),
        ],
      },
    });
    const refused = made.client.prompt("refused");
    await made.client.close();
    expect(await refused.outcome).toMatchObject({ error: { code: "request-refused" } });

    await using other = await readyPair({
      mock: { answer: () => ["part", step.silent()] },
      client: { stallTimeout: 0, idleTimeout: 0, drainTimeout: 1_000_000 },
    });
    const silent = other.client.prompt("silent");
    await shown(silent, "part");
    const closed = other.client.close();
    await other.clock.advance(120_000);
    await closed;
    expect(await silent.outcome).toMatchObject({ error: { code: "turn-failed", origin: "silent-end" } });
  });
});

describe("a prompt that is silent for 120 s", () => {
  const LONG = { keepalive: {}, stallTimeout: 0, idleTimeout: 0 } as const;

  test("causes one ping, whose ack proves that the prompt ended", async () => {
    await using made = await readyPair({
      mock: { answer: ({ data }) => (data.prompt === "silent" ? ["part", step.silent()] : ["answer"]) },
      client: LONG,
    });
    const { client, clock, server } = made;
    const silent = client.prompt("silent");
    await shown(silent, "part");
    const next = client.prompt("next");
    await clock.advance(119_999);
    expect(written(server)).toEqual(["identify", "silent"]);
    await clock.advance(1);
    expect(await silent.outcome).toMatchObject({
      error: { code: "turn-failed", origin: "silent-end", partial: { text: "part" } },
    });
    expect((await next.result).text).toBe("answer");
    expect(written(server)).toEqual(["identify", "silent", "ping", "next"]);
    expect(server.connections).toHaveLength(1);
  });

  test("is ended by that ping even if it was cancelled", async () => {
    await using made = await readyPair({
      mock: { answer: ({ data }) => (data.prompt === "silent" ? ["part", step.silent()] : ["answer"]) },
      client: LONG,
    });
    const { client, clock, server } = made;
    const silent = client.prompt("silent");
    await shown(silent, "part");
    await silent.cancel();
    const next = client.prompt("next");
    await clock.advance(120_000);
    expect((await next.result).text).toBe("answer");
    expect(server.connections).toHaveLength(1);
  });

  test("is counted from its last chunk", async () => {
    const more = gate();
    await using made = await readyPair({
      mock: {
        async *answer() {
          yield "one";
          await more.passed;
          yield "two";
          yield step.hang();
        },
      },
      client: LONG,
    });
    const { client, clock, server } = made;
    const turn = client.prompt("hello");
    await shown(turn, "one");
    await clock.advance(100_000);
    more.open();
    await shown(turn, "onetwo");
    await clock.advance(119_999);
    expect(sentTo(server, "ping")).toEqual([]);
    await clock.advance(1);
    await server.waitFor(() => sentTo(server, "ping").length === 1);
  });

  test("loses the link if no frame follows the ping within 15 s, but a late chunk keeps it", async () => {
    const more = gate();
    await using made = await readyPair({
      mock: {
        unreadFrame: "queue",
        idRelease: { midPrompt: 0 },
        async *answer() {
          yield "one";
          await more.passed;
          yield "two";
          yield step.hang();
        },
      },
      client: LONG,
    });
    const { client, clock, server } = made;
    const pings: string[] = [];
    client.on("frame", ({ direction, text }) => {
      if (direction === "out" && text.includes('"ping"')) pings.push("ping");
    });
    const turn = client.prompt("hello");
    await shown(turn, "one");
    await clock.advance(120_000);
    more.open();
    await shown(turn, "onetwo");
    await clock.advance(1_000_000);
    expect([client.status, turn.status]).toEqual(["ready", "streaming"]);
    server.connections[0]?.drop();
    await turn.outcome;
    expect(pings).toEqual(["ping"]);
    server.answer = () => ["one", step.hang()];
    const mute = client.prompt("mute");
    await shown(mute, "one");
    const gone = once(client, "disconnected");
    await clock.advance(134_999);
    expect(mute.status).toBe("streaming");
    await clock.advance(1);
    expect((await gone).message).toContain("no sign of life for 15000 ms");
    expect(await mute.outcome).toMatchObject({ error: { code: "connection-lost", delivery: "unknown" } });
    await status(client, "ready");
  });

  test("causes no such ping with `keepalive: false`, or if regular pings go out", async () => {
    for (const options of [{ keepalive: false }, { maxConcurrentPrompts: 2 }] as const) {
      await using made = await readyPair({
        mock: { answer: () => ["one", step.hang()], unreadFrame: "queue" },
        client: { ...LONG, ...options },
      });
      const { client, clock, server } = made;
      await shown(client.prompt("hello"), "one");
      await clock.advance(1_000_000);
      expect(client.status).toBe("ready");
      const pings = "keepalive" in options ? 0 : 1_000_000 / 25_000;
      await server.waitFor(() => sentTo(server, "ping").length >= pings);
      expect(sentTo(server, "ping")).toHaveLength(pings);
    }
  });
});

describe("a prompt that the proxy does not acknowledge", () => {
  test("fails after `ackTimeout`, and the next prompt uses a new connection", async () => {
    await using made = await readyPair({ mock: { duplicateId: "accept" }, client: { keepalive: false } });
    const { client, clock, server } = made;
    server.connections[0]?.pause();
    const [lost, next] = [client.prompt("lost"), client.prompt("next")];
    const gone = once(client, "disconnected");
    await clock.advance(29_999);
    expect([lost.status, next.status]).toEqual(["sent", "queued"]);
    await clock.advance(1);
    expect(await lost.outcome).toMatchObject({
      error: { code: "request-timeout", timeout: 30_000, delivery: "unknown" },
    });
    expect(await gone).toMatchObject({ code: "connection-lost" });
    expect((await next.result).text).not.toBe("");
    expect(server.connections).toHaveLength(2);
  });

  test("loses the link even if it was cancelled before", async () => {
    await using made = await readyPair({ mock: { duplicateId: "accept" }, client: { keepalive: false } });
    const { client, clock, server } = made;
    server.connections[0]?.pause();
    await client.prompt("lost").cancel();
    const next = client.prompt("next");
    await clock.advance(30_000);
    expect((await next.result).text).not.toBe("");
    expect(server.connections).toHaveLength(2);
  });

  test("keeps the link if its chunks come, even if it was cancelled", async () => {
    const cancelled = gate();
    const over = gate();
    await using made = await readyPair({
      mock: {
        ackOrder: "late",
        async *answer({ data }) {
          if (data.prompt !== "slow") return;
          await cancelled.passed;
          yield "begun";
          await over.passed;
        },
      },
      client: { keepalive: false },
    });
    const { client, clock, server } = made;
    const slow = client.prompt("slow");
    await server.nextPrompt();
    await slow.cancel();
    const late = once(client, "late");
    cancelled.open();
    await late;
    const next = client.prompt("next");
    await clock.advance(100_000);
    expect([client.status, next.status]).toEqual(["ready", "queued"]);
    over.open();
    await next.result;
    expect(server.connections).toHaveLength(1);
  });
});
