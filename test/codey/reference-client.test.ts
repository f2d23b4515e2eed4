// One block for each row of the table "Beside the Python client" in docs/codey.md, by the row's name.
import {
  CodeyClient,
  type CodeyClientEvents,
  type CodeyClientOptions,
  type CodeyEvent,
} from "agentwire/codey";
import { codeyStep, codeyTool, ManualClock, type MockCodeyOptions, MockCodeyServer } from "agentwire/testing";
import { describe, expect, test } from "vitest";

/** A mock server and a client of it, on a clock that the test drives; both are closed at the end of the scope. */
async function pair(mock: MockCodeyOptions = {}, options: Partial<CodeyClientOptions> = {}) {
  const server = await MockCodeyServer.start(mock);
  const clock = new ManualClock();
  const client = new CodeyClient({ url: server.url, clock, ...options });
  return {
    server,
    client,
    clock,
    async [Symbol.asyncDispose]() {
      await server.stop(); // first: the real server does not answer a Close
      await client.close();
    },
  };
}

/** Resolves when `client` next emits `name`, with the first argument of the event. */
function once<Name extends keyof CodeyClientEvents & string>(
  client: CodeyClient,
  name: Name,
): Promise<CodeyClientEvents[Name][0]> {
  return new Promise((resolve) => {
    const off = client.on(name, (...values) => {
      off();
      resolve(values[0]);
    });
  });
}

/** Resolves when the turn next wants a decision, with the call. */
function asked(turn: ReturnType<CodeyClient["prompt"]>) {
  return new Promise<{ readonly id: string; readonly name: string }>((resolve) => {
    turn.on("approval", resolve);
  });
}

/** The types of the client's messages, in order. */
const sent = (server: MockCodeyServer): string[] => server.received.map(({ message }) => message.type);

const ls = codeyTool.shell("ls", "a.txt\n");

describe("connect", () => {
  test("a server that takes the connection and never greets is given up after `connectTimeout`", async () => {
    await using made = await pair({ frozen: "noConnected" });
    const connecting = made.client.connect();
    await made.server.nextConnection();
    await made.clock.advance(10_000);
    await expect(connecting).rejects.toMatchObject({ code: "connect-timeout", timeout: 10_000 });
  });

  test("a signal ends the waiting", async () => {
    await using made = await pair({ frozen: "noConnected" });
    const controller = new AbortController();
    const connecting = made.client.connect({ signal: controller.signal });
    await made.server.nextConnection();
    controller.abort("enough");
    await expect(connecting).rejects.toMatchObject({ code: "connect-failed", cause: "enough" });
  });

  test("is told which session it is", async () => {
    await using made = await pair({ sessionId: () => "one" });
    const started = once(made.client, "sessionStarted");
    await made.client.connect();
    expect(await started).toEqual({ sessionId: "one", contextLost: false });
    expect([made.client.sessionId, made.client.status]).toEqual(["one", "ready"]);
  });
});

describe("end of a turn", () => {
  test.each(["real", "documented"] as const)("an `Error` that is not fatal ends it (%s)", async (profile) => {
    await using made = await pair({ profile, answer: () => ["half", codeyStep.apiError(429, "slow down")] });
    const { result } = made.client.prompt("hello");
    await expect(result).rejects.toMatchObject({
      code: "turn-failed",
      kind: "http",
      status: 429,
      fatal: false,
      partial: { text: "half" },
    });
  });
});

describe("cancel", () => {
  test("settles the turn at the `Pong` behind its `Cancel`, and the next one gets nothing of it", async () => {
    await using made = await pair({
      answer: ({ number }) => (number === 1 ? ["first", codeyStep.hang()] : ["second"]),
    });
    const turn = made.client.prompt("one");
    const next = made.client.prompt("two");
    await made.server.nextSend();
    expect(await turn.cancel()).toMatchObject({ status: "cancelled", by: "user" });
    expect(await next.result).toMatchObject({ text: "second" });
    expect(sent(made.server)).toEqual(["SendMessage", "Cancel", "Ping", "SendMessage"]);
    expect(made.server.violations).toEqual([]);
  });

  test("denies what is open, behind the `Cancel`", async () => {
    await using made = await pair(
      { answer: () => [codeyStep.calls(ls), "never"] },
      { onToolApproval: "manual" },
    );
    const turn = made.client.prompt("one");
    await asked(turn);
    expect(await turn.cancel()).toMatchObject({ partial: { toolCalls: [{ state: "abandoned" }] } });
    expect(sent(made.server)).toEqual(["SendMessage", "Cancel", "ToolDecision", "Ping"]);
    expect(made.server.violations).toEqual([]);
  });
});

describe("the server closes", () => {
  test.each([1000, 1001])("with code %i everything that waits is settled", async (code) => {
    await using made = await pair(
      { answer: () => [codeyStep.calls(ls)] },
      { onToolApproval: "manual", connectTimeout: 0 },
    );
    const turn = made.client.prompt("one");
    const next = made.client.prompt("two");
    await asked(turn);
    made.server.set({ frozen: "midSession" }); // so that the requests are still open
    const ping = made.client.ping();
    const state = made.client.getState();
    const refused = Promise.all([
      expect(turn.result).rejects.toMatchObject({
        code: "connection-lost",
        delivery: "unknown",
        sideEffectsPossible: true,
        cause: { closeCode: code },
      }),
      expect(next.result).rejects.toMatchObject({
        code: "context-lost",
        delivery: "not-sent",
        input: "two",
      }),
      expect(ping).rejects.toMatchObject({ code: "connection-lost", closeCode: code }),
      expect(state).rejects.toMatchObject({ code: "connection-lost", closeCode: code }),
    ]);
    await made.server.waitFor(({ frames }) => frames.some(({ raw }) => raw.includes("GetState")));
    made.server.connections[0]?.close(code);
    await refused;
    expect(turn.pending).toEqual([]);
    expect(made.clock.pending).toBe(0);
  });
});

describe("what cannot be read", () => {
  test("is a warning, and the turn goes on", async () => {
    await using made = await pair({
      badJson: "injected",
      unknownType: "injected",
      extraFields: "injected",
      answer: () => ["one, ", codeyStep.raw('{"type":"TextDelta","agent_id":"zero"}'), "two"],
    });
    const kinds = new Set<string>();
    made.client.on("protocolWarning", ({ kind }) => kinds.add(kind));
    const unknown = once(made.client, "unknownMessage");
    expect(await made.client.prompt("hello").result).toMatchObject({ text: "one, two" });
    expect([...kinds].sort()).toEqual(["invalid-message", "unknown-message", "unreadable-frame"]);
    expect(await unknown).toHaveProperty("type");
  });
});

describe("state with an open approval", () => {
  test("is read although its `params` are null", async () => {
    await using made = await pair({ answer: () => [codeyStep.calls(ls)] }, { onToolApproval: "manual" });
    const turn = made.client.prompt("hello");
    await asked(turn);
    const { pending_approvals } = await made.client.getState();
    expect(pending_approvals).toEqual([{ agent_id: 0, call_id: "toolu_1", name: "", params: null }]);
    await turn.cancel();
  });
});

describe("large output", () => {
  test("of 20 MB arrives whole, in one frame", async () => {
    const output = "x".repeat(20_000_000);
    await using made = await pair(
      { answer: () => [codeyStep.calls(codeyTool.readFile("big.txt", output)), "Read."] },
      { toolPolicy: [{ tool: "mcp_read_file", then: "allow" }] },
    );
    const { toolCalls, text } = await made.client.prompt("read").result;
    expect(text).toBe("Read.");
    expect(toolCalls[0]?.output === output).toBe(true);
  });
});

describe("approval", () => {
  const answer = (): MockCodeyOptions => ({ answer: () => [codeyStep.calls(ls), "Done."] });

  test("nobody to ask: denied, with one warning", async () => {
    await using made = await pair(answer());
    const warnings: string[] = [];
    made.client.on("protocolWarning", ({ kind }) => warnings.push(kind));
    await made.client.prompt("one").result;
    const { toolCalls } = await made.client.prompt("two").result;
    expect(toolCalls).toMatchObject([{ state: "denied", deniedBy: "policy" }]);
    expect(made.server.decisions.map(({ approved }) => approved)).toEqual([false, false]);
    expect(warnings).toEqual(["tool-denied"]);
  });

  test("a callback that takes its time holds up nothing", async () => {
    let decide = (_: boolean): void => {};
    await using made = await pair(answer(), {
      onToolApproval: () => new Promise((resolve) => (decide = resolve)),
    });
    const turn = made.client.prompt("one");
    await asked(turn);
    expect(await made.client.ping()).toBe(0);
    decide(true);
    expect(await turn.result).toMatchObject({ text: "Done.", toolCalls: [{ state: "done" }] });
  });

  test("rules come first, by the tool's name and the whole input", async () => {
    const names: string[] = [];
    await using made = await pair(
      {
        answer: () => [
          codeyStep.calls(ls, codeyTool.shell("ls; rm -rf ~", "gone"), codeyTool.readFile("a", "A")),
          "Done.",
        ],
      },
      {
        toolPolicy: [
          {
            tool: "mcp_shell",
            when: ({ input }) => JSON.stringify(input) === '{"command":"ls"}',
            then: "allow",
          },
          { tool: "mcp_shell", then: "deny" },
        ],
        onToolApproval: ({ name }) => {
          names.push(name);
          return true;
        },
      },
    );
    const { toolCalls } = await made.client.prompt("one").result;
    expect(toolCalls.map(({ state }) => state)).toEqual(["done", "denied", "done"]);
    expect(names).toEqual(["mcp_read_file"]);
  });

  test("`always` holds for the tool until the session ends", async () => {
    let times = 0;
    await using made = await pair(answer(), {
      reconnect: {},
      onToolApproval: () => {
        times++;
        return "always";
      },
    });
    made.client.on("reconnecting", ({ delay }) => void made.clock.advance(delay));
    await made.client.prompt("one").result;
    await made.client.prompt("two").result;
    expect(times).toBe(1);
    const reconnected = once(made.client, "reconnected");
    made.server.dropAll();
    await reconnected;
    await made.client.prompt("three").result;
    expect(times).toBe(2);
  });

  test("after `approvalTimeout` it is denied", async () => {
    await using made = await pair(answer(), {
      onToolApproval: "manual",
      approvalTimeout: 60_000,
      keepalive: false, // it would find the clock of this test too fast
    });
    const turn = made.client.prompt("one");
    await asked(turn);
    await made.clock.advance(60_000);
    expect(await turn.result).toMatchObject({
      toolCalls: [{ state: "denied", deniedBy: "policy", reason: "nobody decided within 60000 ms" }],
    });
  });

  test("a callback that throws denies, and the client lives on", async () => {
    await using made = await pair(answer(), {
      onToolApproval: () => {
        throw new Error("no screen");
      },
    });
    const warning = once(made.client, "protocolWarning");
    const { toolCalls } = await made.client.prompt("one").result;
    expect(toolCalls).toMatchObject([{ state: "denied", deniedBy: "policy" }]);
    expect(await warning).toMatchObject({ kind: "approval-failed" });
  });

  test("a callback is told when its decision is not needed any more", async () => {
    let reason: unknown;
    await using made = await pair(answer(), {
      onToolApproval: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            reason = signal.reason;
            reject(signal.reason);
          });
        }),
    });
    const turn = made.client.prompt("one");
    await asked(turn);
    await turn.cancel();
    expect(reason).toEqual(new Error("the turn was cancelled"));
    expect(made.server.violations).toEqual([]);
  });

  test("by hand: what is open is on the turn, and a second reply changes nothing", async () => {
    await using made = await pair(answer(), { onToolApproval: "manual" });
    const turn = made.client.prompt("one");
    const { id } = await asked(turn);
    expect(turn.pending).toMatchObject([{ type: "approval", id, call: { input: { command: "ls" } } }]);
    expect(made.client.reply(id, "once")).toEqual({ decision: "once", by: "reply" });
    expect(made.client.reply(id, "reject")).toEqual({ decision: "once", by: "reply" });
    await turn.result;
    expect(made.server.decisions).toMatchObject([{ approved: true, outcome: "taken" }]);
    expect(() => made.client.reply("toolu_9", true)).toThrow(/^invalid-input: /);
  });
});

describe("ping, state, history", () => {
  test("are awaited, in the middle of a turn and together, and no turn sees their answers", async () => {
    await using made = await pair({
      profile: "documented",
      answer: async function* () {
        yield "one, ";
        await made.server.waitFor(({ received }) => received.length === 5);
        yield "two";
      },
    });
    const turn = made.client.prompt("hello");
    const types: string[] = [];
    turn.on("event", ({ type }) => types.push(type));
    await made.server.nextSend();
    const { client } = made;
    const [first, state, history, second] = await Promise.all([
      client.ping(),
      client.getState(),
      client.getHistory(),
      client.ping(),
    ]);
    expect([first, second]).toEqual([0, 0]);
    expect(state.agents).toMatchObject([{ id: 0, is_streaming: true }]);
    expect(history.messages).toMatchObject([{ role: "user", content: "hello" }]);
    await turn.result;
    expect(types).toEqual(["TextDelta", "TextDelta", "Finished"]);
  });
});

describe("several at once", () => {
  test("prompts wait for each other, and each gets its own answer", async () => {
    await using made = await pair({ answer: ({ content }) => ["to ", content] });
    const turns = ["one", "two", "three"].map((text) => made.client.prompt(text));
    const texts = await Promise.all(turns.map(async ({ result }) => (await result).text));
    expect(texts).toEqual(["to one", "to two", "to three"]);
    expect(made.server.sends.map(({ outcome }) => outcome)).toEqual(["started", "started", "started"]);
  });

  test("leaving a loop early leaves nothing to the next", async () => {
    await using made = await pair({
      answer: ({ number }) => (number === 1 ? ["a", "b", "c", codeyStep.hang()] : ["d"]),
    });
    for await (const _ of made.client.prompt("one").textStream) break;
    const events: CodeyEvent[] = [];
    for await (const event of made.client.prompt("two")) events.push(event);
    expect(events).toMatchObject([{ type: "TextDelta", content: "d" }, { type: "Finished" }]);
    expect(made.server.violations).toEqual([]);
  });

  test("more than may wait is refused at once", async () => {
    await using made = await pair({ answer: () => [codeyStep.hang()] }, { maxQueuedTurns: 1 });
    const turn = made.client.prompt("one");
    await made.server.nextSend();
    const waiting = made.client.prompt("two");
    expect(() => made.client.prompt("three")).toThrow(/^queue-full: /);
    await Promise.all([waiting.cancel(), turn.cancel()]);
  });
});

describe("keepalive", () => {
  test("a server that still sends but does not hear is found by its missing `Pong`", async () => {
    await using made = await pair({ afterOversize: "deaf" }, { maxSendBytes: 20_000_000 });
    const turn = made.client.prompt("x".repeat(17_000_000));
    const connection = await made.server.waitFor(({ connections }) =>
      connections.find(({ state }) => state === "deaf"),
    );
    const lost = once(made.client, "disconnected");
    await made.clock.advance(20_000); // the ping
    const heard = once(made.client, "event");
    connection.send('{"type":"TextDelta","agent_id":0,"content":"still here"}');
    await heard;
    await made.clock.advance(10_000); // the deadline
    expect(await lost).toMatchObject({ code: "connection-lost" });
    await expect(turn.result).rejects.toMatchObject({ code: "connection-lost", sideEffectsPossible: true });
  });
});

describe("reconnecting", () => {
  test("is off: a lost link closes the client, and says what may have happened", async () => {
    await using made = await pair({ answer: () => ["half", codeyStep.drop()] });
    await expect(made.client.prompt("one").result).rejects.toMatchObject({
      code: "connection-lost",
      delivery: "unknown",
      partial: { text: "half" },
    });
    expect(made.client.status).toBe("closed");
    expect(() => made.client.prompt("two")).toThrow(/^closed: /);
  });

  test("asked for: another session, which knows nothing, and nothing is sent again", async () => {
    const ids = ["first", "second"].values();
    await using made = await pair(
      {
        sessionId: () => ids.next().value ?? "",
        answer: ({ number }) => (number === 1 ? [codeyStep.drop()] : ["new"]),
      },
      { reconnect: {} },
    );
    const { client, clock, server } = made;
    client.on("reconnecting", ({ delay }) => void clock.advance(delay));
    const turn = client.prompt("one");
    const waited = client.prompt("two");
    await expect(turn.result).rejects.toMatchObject({ code: "connection-lost" });
    await expect(waited.result).rejects.toMatchObject({ code: "context-lost", input: "two" });
    expect(await once(client, "sessionStarted")).toEqual({
      sessionId: "second",
      previousSessionId: "first",
      contextLost: true,
    });
    expect(await client.prompt("three").result).toMatchObject({ sessionId: "second", text: "new" });
    expect(server.sends.map(({ content }) => content)).toEqual(["one", "three"]);
  });
});

describe("what a turn comes to", () => {
  test("text and thinking by rounds, calls with their states, and what it used", async () => {
    await using made = await pair(
      {
        answer: () => [
          codeyStep.thinking("hm"),
          "Look. ",
          codeyStep.calls(ls),
          codeyStep.usage({ output_tokens: 5, context_tokens: 40 }),
          "Seen.",
        ],
      },
      { onToolApproval: () => true },
    );
    expect(await made.client.prompt("hello").result).toMatchObject({
      text: "Look. Seen.",
      thinking: "hm",
      rounds: [
        { text: "Look. ", thinking: "hm", calls: ["toolu_1"] },
        { text: "Seen.", thinking: "", calls: [] },
      ],
      toolCalls: [{ id: "toolu_1", name: "mcp_shell", state: "done", output: "a.txt\n" }],
      usage: { outputTokens: 15, totalOutputTokens: 15, contextTokens: 40 },
    });
  });
});

describe("time limits and closing", () => {
  test("a turn that falls silent is cancelled after `idleTimeout`, which stands still while a decision is open", async () => {
    await using made = await pair(
      { answer: () => [codeyStep.calls(ls), codeyStep.hang()] },
      { onToolApproval: "manual", keepalive: false },
    );
    const turn = made.client.prompt("one", { idleTimeout: 5_000 });
    const { id } = await asked(turn);
    await made.clock.advance(60_000);
    const done = new Promise<void>((resolve) => {
      turn.on("toolCall", ({ state }) => state === "done" && resolve());
    });
    made.client.reply(id, true);
    await done;
    await made.clock.advance(5_000);
    expect(await turn.outcome).toMatchObject({
      status: "failed",
      error: { code: "turn-timeout", kind: "idle" },
    });
    expect(made.server.cancels).toHaveLength(1);
  });

  test("a `Cancel` whose `Pong` does not come cuts the connection after `cancelTimeout`", async () => {
    await using made = await pair({ answer: () => [codeyStep.hang()] }, { keepalive: false });
    const turn = made.client.prompt("one");
    await made.server.nextSend();
    made.server.set({ frozen: "midSession" });
    const lost = once(made.client, "disconnected");
    const cancelled = turn.cancel();
    await made.clock.advance(5_000);
    expect(await lost).toMatchObject({ code: "connection-lost", sideEffectsPossible: true });
    expect(await cancelled).toMatchObject({ status: "cancelled" });
  });

  test("`close()` takes a second at most, of a server that does not answer it", async () => {
    await using made = await pair({ closeReply: false });
    await made.client.connect();
    const closed = made.client.close();
    await made.clock.advance(1_000);
    await closed;
    expect([made.client.status, made.clock.pending]).toEqual(["closed", 0]);
  });

  test("a question to a server that does not answer ends after `requestTimeout`", async () => {
    await using made = await pair({ frozen: "off" }, { keepalive: false });
    await made.client.connect();
    made.server.set({ frozen: "midSession" });
    const state = made.client.getState();
    await made.clock.advance(10_000);
    await expect(state).rejects.toMatchObject({ code: "request-timeout", timeout: 10_000 });
  });
});

describe("checks before sending", () => {
  test.each([
    ["blank text", " \n", "invalid-input"],
    ["no text", { content: undefined as unknown as string }, "invalid-input"],
    ["an `agentId` below 0", { content: "hi", agentId: -1 }, "invalid-input"],
    ["an `agentId` of 33 bits", { content: "hi", agentId: 2 ** 32 }, "invalid-input"],
    ["more than 15 MiB", "x".repeat(15 * 1_048_576), "payload-too-large"],
  ])("%s is refused by the call, and nothing is sent", async (_, input, code) => {
    await using made = await pair();
    await made.client.connect();
    expect(() => made.client.prompt(input)).toThrow(expect.objectContaining({ code }));
    await made.client.ping();
    expect(sent(made.server)).toEqual(["Ping"]);
  });

  test("half a surrogate pair is replaced: a server would drop the frame", async () => {
    await using made = await pair({ answer: () => ["ok"] });
    await made.client.prompt("a\ud800b😀").result;
    expect(made.server.sends).toMatchObject([{ content: "a\ufffdb😀" }]);
  });
});
