import { type CodeyAnswer, codeyStep, codeyTool, ManualClock, MockCodeyServer } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { gate } from "../helpers/codebuff.ts";
import { RawClient } from "./mock-codebuff-raw-client.ts";
import { kinds, RawCodey, type Said } from "./mock-codey-raw-client.ts";

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** All that comes back for one message, the end of its turn included. */
async function answerTo(answer: CodeyAnswer, last = "Finished"): Promise<readonly Said[]> {
  await using server = await MockCodeyServer.start({ answer });
  using client = await RawCodey.connected(server);
  client.send("go");
  return [...(await client.until(last)), ...(await client.barrier())];
}

describe("the server", () => {
  test("greets every connection with a new session id, on any path", async () => {
    await using server = await MockCodeyServer.start();
    const ids: unknown[] = [];
    for (const path of ["", "/ws?token=x", "/a/b"]) {
      using client = await RawClient.connect(server.url + path);
      const hello = JSON.parse(await client.next());
      expect(hello).toEqual({ type: "Connected", session_id: expect.stringMatching(UUID_V4) });
      ids.push(hello.session_id);
    }
    expect(new Set(ids).size).toBe(3);
    expect(server.connections.map(({ sessionId }) => sessionId)).toEqual(ids);
    expect(server.upgrades.map(({ url, status }) => [url, status])).toEqual([
      ["/", 101],
      ["/ws?token=x", 101],
      ["/a/b", 101],
    ]);
  });

  test("holds messages and frames back during a pause, and can close or cut a connection", async () => {
    await using server = await MockCodeyServer.start();
    using client = await RawCodey.connected(server);
    using other = await RawCodey.connected(server);
    const connection = await server.nextConnection();
    connection.pause();
    connection.send('{"type":"Held"}');
    client.ping();
    await other.barrier();
    expect(client.raw.received).toHaveLength(1);
    connection.resume();
    expect(kinds(await client.until("Pong"))).toEqual(["Held", "Pong"]);
    connection.close(1011, "enough");
    expect(await client.closed).toEqual({ code: 1011, reason: "enough" });
    server.dropAll();
    expect((await other.closed).code).toBe(1006);
  });

  test("refuses upgrades with the given status, until `refuseUpgrades(undefined)`", async () => {
    await using server = await MockCodeyServer.start();
    server.refuseUpgrades(503);
    await expect(RawCodey.open(server)).rejects.toThrow("503");
    server.refuseUpgrades(undefined);
    using client = await RawCodey.connected(server);
    expect(await client.barrier()).toEqual([]);
  });

  test.each([{ profile: "imaginary" }, { answer: ["not a function"] }])(
    "rejects invalid options: %j",
    async (options) => {
      // @ts-expect-error: what a caller without types may pass
      await expect(MockCodeyServer.start(options)).rejects.toThrow(TypeError);
    },
  );
});

describe("a turn", () => {
  test.each([
    { title: "text alone", script: ["a", "", "b"], says: ['"a"', '""', '"b"', "Finished"] },
    { title: "thinking alone", script: [codeyStep.thinking("hm")], says: ["ThinkingDelta", "Finished"] },
    { title: "an empty script", script: [], says: ["Finished"] },
    { title: "a single string", script: "a b", says: ['"a b"', "Finished"] },
  ])("can be $title", async ({ script, says }) => {
    expect(kinds(await answerTo(() => script))).toEqual(says);
  });

  test("can come from a generator or an async generator, which a Cancel stops", async () => {
    const stopped: string[] = [];
    await using server = await MockCodeyServer.start();
    using client = await RawCodey.connected(server);
    const scripts: readonly CodeyAnswer[] = [
      function* () {
        try {
          yield "a";
          yield codeyStep.hang();
        } finally {
          stopped.push("generator");
        }
      },
      async function* (_send, { signal }) {
        yield "a";
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        stopped.push("async generator");
      },
    ];
    for (const script of scripts) {
      server.answer = script;
      client.send("go");
      await client.until("TextDelta");
      client.cancel();
      expect(await client.barrier()).toEqual([]);
    }
    expect(stopped).toEqual(["generator", "async generator"]);
  });

  test("ends with an Error if its script throws", async () => {
    const messages = await answerTo(function* () {
      yield "a";
      throw new Error("the script is wrong");
    }, "Error");
    expect(messages.at(-1)).toEqual({
      type: "Error",
      message: "Stream error: the script is wrong",
      fatal: false,
    });
  });

  test("waits for the script's delay on the server's clock", async () => {
    const clock = new ManualClock();
    await using server = await MockCodeyServer.start({
      clock,
      answer: () => [
        codeyStep.delay(1_000),
        "late",
        codeyStep.calls(codeyTool.readFile("a", "x", { filter: "allow", delay: 500 })),
      ],
    });
    using client = await RawCodey.connected(server);
    client.send("go");
    expect(await client.barrier()).toEqual([]);
    await clock.advance(1_000);
    expect(kinds(await client.until("ToolStarted"))).toEqual(['"late"', "ToolRequest", "S toolu_1"]);
    expect(await client.barrier()).toEqual([]);
    await clock.advance(500);
    expect(kinds(await client.until("Finished"))).toEqual(["C toolu_1", "Finished"]);
    expect(clock.pending).toBe(0);
  });

  test("can send raw frames, and end its connection in three ways", async () => {
    const endings = [codeyStep.drop(), codeyStep.dropMidFrame(), codeyStep.close(1001, "bye")];
    await using server = await MockCodeyServer.start({
      answer: ({ number }) => [codeyStep.raw('{"type":"Odd"}'), endings[number - 1] ?? "none"],
    });
    const closed: object[] = [];
    for (const _ of endings) {
      using client = await RawCodey.connected(server);
      client.send("go");
      expect((await client.next()).type).toBe("Odd");
      closed.push(await client.closed);
    }
    expect(closed).toEqual([
      { code: 1006, reason: "" },
      { code: 1006, reason: "" },
      { code: 1001, reason: "bye" },
    ]);
  });

  test.each([
    {
      step: codeyStep.apiError(400, 'a "b"\\\n\t\r\0\u001b€'),
      message: String.raw`Stream error: ApiError { status: 400, body: "a \"b\"\\\n\t\r\0\u{1b}€" }`,
    },
    { step: codeyStep.streamEnded(), message: "Stream error: ReqwestEventSource(StreamEnded)" },
    { step: codeyStep.misconfigured("a-model", "no key"), message: "API error (a-model): no key" },
  ])("fails with the real server's message: $message", async ({ step, message }) => {
    expect((await answerTo(() => [step], "Error")).at(-1)).toEqual({ type: "Error", message, fatal: false });
  });
});

describe("usage", () => {
  const costs = (output_tokens: number, context_tokens = 100) =>
    codeyStep.usage({ output_tokens, context_tokens });

  function figures(messages: readonly Said[]): unknown {
    return messages.at(-1)?.["usage"];
  }

  test("sums output tokens over the session, and has the other counts of the last request", async () => {
    await using server = await MockCodeyServer.start({
      answer: ({ number }) => [costs(number * 10, number), codeyStep.usage({ cache_read_tokens: number })],
    });
    using client = await RawCodey.connected(server);
    const told: unknown[] = [];
    for (const _ of [1, 2, 3]) {
      client.send("go");
      told.push(figures(await client.until("Finished")));
    }
    expect(told).toEqual([
      { output_tokens: 10, context_tokens: 1, cache_creation_tokens: 0, cache_read_tokens: 1 },
      { output_tokens: 30, context_tokens: 2, cache_creation_tokens: 0, cache_read_tokens: 2 },
      { output_tokens: 60, context_tokens: 3, cache_creation_tokens: 0, cache_read_tokens: 3 },
    ]);
    using other = await RawCodey.connected(server);
    other.send("go");
    expect(figures(await other.until("Finished"))).toMatchObject({ output_tokens: 40 });
  });
});

describe("the record", () => {
  test("has every frame, message, send, decision and cancel, with its time", async () => {
    const clock = new ManualClock();
    await clock.advance(5);
    await using server = await MockCodeyServer.start({
      clock,
      answer: () => [codeyStep.calls(codeyTool.shell("ls"))],
    });
    using client = await RawCodey.connected(server);
    client.say({ type: "SendMessage", content: "go", agent_id: 3 });
    await client.until("ToolAwaitingApproval");
    client.cancel();
    client.decide("toolu_1", false);
    await client.barrier();
    const [connection] = server.connections;
    expect(server.sends).toEqual([
      { at: 5, connection, content: "go", agentId: 3, number: 1, outcome: "started" },
    ]);
    expect(server.cancels).toEqual([{ at: 5, connection, stopped: true }]);
    expect(server.decisions).toEqual([
      { at: 5, connection, callId: "toolu_1", approved: false, outcome: "stale" },
    ]);
    expect(server.received.map(({ message }) => message)).toEqual([
      { type: "SendMessage", content: "go", agent_id: 3 },
      { type: "Cancel" },
      { type: "ToolDecision", call_id: "toolu_1", approved: false },
      { type: "Ping" },
    ]);
    expect(server.frames.filter(({ direction }) => direction === "c2s")).toMatchObject([
      { at: 5, connection, raw: '{"type":"SendMessage","content":"go","agent_id":3}', binary: false },
      { raw: '{"type":"Cancel"}' },
      { raw: '{"type":"ToolDecision","call_id":"toolu_1","approved":false}' },
      { raw: '{"type":"Ping"}' },
    ]);
    expect(server.violations).toEqual([]);
  });

  test("returns each next connection, send, decision and cancel, whether it came before or after", async () => {
    await using server = await MockCodeyServer.start({
      answer: () => [codeyStep.calls(codeyTool.shell("ls"), codeyTool.shell("pwd"))],
    });
    const early = Promise.all([server.nextConnection(), server.nextSend(), server.nextDecision()]);
    using client = await RawCodey.connected(server);
    client.send("one");
    await client.until("ToolAwaitingApproval");
    client.decide("toolu_1", true);
    const [connection, send, decision] = await early;
    expect([connection.id, send.content, decision.callId]).toEqual([1, "one", "toolu_1"]);
    await client.until("ToolAwaitingApproval");
    client.decide("toolu_2", false);
    await client.until("Finished");
    client.cancel();
    await client.barrier();
    expect([(await server.nextDecision()).approved, (await server.nextCancel()).stopped]).toEqual([
      false,
      false,
    ]);
  });
});

describe("stop", () => {
  test("ends turns, timers, leaked sessions and waits, and is idempotent", async () => {
    const clock = new ManualClock();
    const blocked = gate();
    const server = await MockCodeyServer.start({
      clock,
      answer: ({ number }) => (number === 1 ? [codeyStep.delay(1_000)] : [codeyStep.hang()]),
    });
    using waiting = await RawCodey.connected(server);
    using hanging = await RawCodey.connected(server);
    waiting.send("go");
    hanging.send("go");
    await server.waitFor(({ sends }) => sends.length === 2);
    server.connections[0]?.drop();
    expect(server.sessions).toEqual({ live: 1, leaked: 1 });
    const never = server.waitFor(() => blocked === undefined);
    await Promise.all([server.stop(), server.stop()]);
    await expect(never).rejects.toThrow("stopped");
    expect(clock.pending).toBe(0);
    expect(server.sessions).toEqual({ live: 0, leaked: 0 });
    expect((await hanging.closed).code).toBe(1006);
    await expect(RawCodey.open(server)).rejects.toThrow();
  });
});
