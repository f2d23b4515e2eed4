import type { CodebuffClientOptions, CodebuffToolCall, ToolOutput } from "agentwire/codebuff";
import { type ReceivedPrompt, type Step, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { gate, once, type Pair, readyPair } from "../helpers/codebuff.ts";

const TOKEN = "token-1234";
const json = (value: unknown): readonly ToolOutput[] => [{ type: "json", value }];

/** A client of the original server, with handlers, and a script that gets the answers. No pings: their pongs need real time. */
function original(
  client: Partial<CodebuffClientOptions>,
  answer: (prompt: ReceivedPrompt) => Iterable<Step> | AsyncIterable<Step>,
) {
  return readyPair({
    mock: { profile: "codebuff", answer },
    client: { authToken: TOKEN, keepalive: false, ...client },
  });
}

/** What was answered, in order, as the server took it. */
const answers = ({ server }: Pair) => server.answers.map(({ data, outcome }) => ({ ...data, outcome }));

const errorOutput = (text: string | RegExp) => [
  { type: "json", value: { errorMessage: expect.stringMatching(text) } },
];

describe("a tool call", () => {
  test("runs the handler of its name with its input, and the agent goes on with the output", async () => {
    const calls: CodebuffToolCall[] = [];
    let output: unknown;
    await using pair = await original(
      {
        tools: {
          get_weather: (call) => {
            calls.push(call);
            return json({ city: call.input["city"], sky: "clear" });
          },
        },
      },
      function* () {
        output = yield step.toolCall({ toolName: "get_weather", input: { city: "Oslo" }, requestId: "r1" });
        yield "clear in Oslo";
      },
    );
    const turn = pair.client.prompt("weather?");
    expect((await turn.result).text).toBe("clear in Oslo");
    expect(output).toEqual(json({ city: "Oslo", sky: "clear" }));
    expect(calls).toMatchObject([
      { id: "r1", name: "get_weather", input: { city: "Oslo" }, turnId: turn.id },
    ]);
    expect(calls[0]?.raw.userInputId).toBe(turn.id);
    expect(pair.server.violations).toEqual([]);
  });

  test("of the planned shape is the same to its handler", async () => {
    const names: string[] = [];
    await using pair = await original(
      { tools: { "*": ({ name, input }) => json({ name: names.push(name), input }) } },
      function* () {
        yield step.plannedToolCall({ toolCallId: "t1", toolName: "write_file", toolArgs: { path: "n.txt" } });
      },
    );
    await pair.client.prompt("write").result;
    expect(names).toEqual(["write_file"]);
    expect(answers(pair)).toMatchObject([
      { requestId: "t1", output: json({ name: 1, input: { path: "n.txt" } }) },
    ]);
  });

  test("is an event of its turn, for whoever shows it", async () => {
    await using pair = await original({ tools: { "*": () => json(1) } }, function* () {
      yield step.toolCall({ toolName: "write_file", input: { path: "a" } });
    });
    const seen: unknown[] = [];
    for await (const event of pair.client.prompt("write")) {
      if (event.type === "tool-call-request") seen.push(event.toolName);
    }
    expect(seen).toEqual(["write_file"]);
  });

  test("several at once are answered as their handlers finish, each once", async () => {
    const first = gate();
    await using pair = await original(
      {
        tools: {
          slow: async () => {
            await first.passed;
            return json("slow");
          },
          fast: () => json("fast"),
        },
      },
      function* () {
        const slow = yield* step.toolCall({ toolName: "slow", input: {}, wait: false });
        const fast = yield* step.toolCall({ toolName: "fast", input: {}, wait: false });
        yield step.answerTo(fast);
        first.open();
        yield step.answerTo(slow);
      },
    );
    await pair.client.prompt("both").result;
    expect(answers(pair)).toMatchObject([{ output: json("fast") }, { output: json("slow") }]);
  });

  const bad: readonly {
    readonly name: string;
    readonly tool: () => unknown;
    readonly error: RegExp;
    readonly warned: RegExp;
  }[] = [
    {
      name: "throws",
      tool: () => {
        throw new Error("disk is full");
      },
      error: /^disk is full$/,
      warned: /the handler of the tool `act` failed: disk is full/,
    },
    {
      name: "rejects with what is no error",
      tool: () => Promise.reject("nope"),
      error: /nope/,
      warned: /nope/,
    },
    {
      name: "returns nothing",
      tool: () => undefined,
      error: /returned undefined/,
      warned: /returned undefined/,
    },
    {
      name: "returns a bare value",
      tool: () => ({ done: true }),
      error: /returned an object.*array of parts/,
      warned: /array of parts/,
    },
    {
      name: "returns a part without a value",
      tool: () => [{ type: "json" }],
      error: /array of parts/,
      warned: /array of parts/,
    },
    {
      name: "returns parts that are no objects",
      tool: () => ["done"],
      error: /array of parts/,
      warned: /array of parts/,
    },
    {
      name: "returns media without its type",
      tool: () => [{ type: "media", data: "AAAA" }],
      error: /array of parts/,
      warned: /array of parts/,
    },
    {
      name: "returns what is no JSON",
      tool: () => json({ n: Number.NaN }),
      error: /cannot be written as JSON/,
      warned: /cannot be written as JSON/,
    },
    {
      name: "returns a part that JSON cannot hold",
      tool: () => json(() => 1),
      error: /array of parts/,
      warned: /array of parts/,
    },
    {
      name: "throws an error whose message is no text",
      tool: () => {
        throw Object.assign(new Error(), { message: { code: 1 } });
      },
      error: /object Object/,
      warned: /object Object/,
    },
    {
      name: "throws a novel",
      tool: () => {
        throw new Error("x".repeat(100_000));
      },
      error: /^x{8192}$/,
      warned: /x{8192}$/,
    },
    {
      name: "throws its token",
      tool: () => {
        throw new Error(`refused ${TOKEN}`);
      },
      error: /^refused \[redacted\]$/,
      warned: /refused \[redacted\]/,
    },
  ];

  test.each(bad)("whose handler $name is answered with that as its error, and told", async (row) => {
    await using pair = await original({ tools: { act: row.tool as () => never } }, function* () {
      yield step.toolCall({ toolName: "act", input: {}, requestId: "r1" });
    });
    const warning = once(pair.client, "protocolWarning", ({ kind }) => kind === "handler-failed");
    await pair.client.prompt("act").result;
    expect(answers(pair)).toEqual([
      expect.objectContaining({ requestId: "r1", output: errorOutput(row.error), outcome: "taken" }),
    ]);
    expect((await warning).message).toMatch(row.warned);
  });

  test("may give media", async () => {
    const media = [{ type: "media", data: "AAAA", mediaType: "image/png" }] as const;
    await using pair = await original({ tools: { act: () => media } }, function* () {
      yield step.toolCall({ toolName: "act", input: {} });
    });
    await pair.client.prompt("act").result;
    expect(answers(pair)).toMatchObject([{ output: media, outcome: "taken" }]);
  });

  test("without an id, or with one of any length, cannot be answered, which is told", async () => {
    let runs = 0;
    await using pair = await original({ tools: { "*": () => json(++runs) } }, ({ promptId }) => [
      step.action({ type: "tool-call-request", userInputId: promptId, toolName: "act" }),
      step.action({
        type: "tool-call-request",
        userInputId: promptId,
        toolName: "act",
        requestId: "r".repeat(1_001),
      }),
    ]);
    const told: string[] = [];
    pair.client.on("protocolWarning", ({ kind }) => told.push(kind));
    await pair.client.prompt("act").result;
    expect([runs, told]).toEqual([0, ["unanswerable-request", "unanswerable-request"]]);
    expect(pair.server.answers).toEqual([]);
  });

  test("that nobody is registered for is answered with an error, and warned of once", async () => {
    await using pair = await original({}, function* () {
      yield step.toolCall({ toolName: "browser_logs", input: {} });
      yield step.toolCall({ toolName: "browser_logs", input: {} });
      yield step.toolCall({ toolName: "constructor", input: {} });
    });
    const warned: string[] = [];
    pair.client.on("protocolWarning", ({ kind, message }) => {
      if (kind === "unhandled-request") warned.push(message);
    });
    await pair.client.prompt("act").result;
    expect(answers(pair)).toMatchObject([
      { output: errorOutput(/no handler is registered for the tool "browser_logs"/) },
      { output: errorOutput(/"browser_logs"/) },
      { output: errorOutput(/"constructor"/) },
    ]);
    expect(warned).toHaveLength(2);
    expect(warned[0]).toMatch(/browser_logs.*`tools`/);
  });

  test("larger than the server takes is answered with that, not sent", async () => {
    const mebibyte = "x".repeat(1_048_576);
    await using pair = await original(
      { maxSendBytes: 1_048_576, tools: { read: () => json(mebibyte) } },
      function* () {
        yield step.toolCall({ toolName: "read", input: {} });
      },
    );
    await pair.client.prompt("read").result;
    expect(answers(pair)).toMatchObject([{ output: errorOutput(/^payload-too-large/) }]);
  });

  test("that comes twice is carried out once", async () => {
    let runs = 0;
    await using pair = await original({ tools: { act: () => json(++runs) } }, function* () {
      yield step.toolCall({ toolName: "act", input: {}, requestId: "r1" });
      yield step.toolCall({ toolName: "act", input: {}, requestId: "r1", wait: false });
    });
    const warning = once(pair.client, "protocolWarning", ({ kind }) => kind === "repeated-request");
    await pair.client.prompt("act").result;
    await warning;
    expect([runs, pair.server.answers.length]).toEqual([1, 1]);
  });

  test("that has the id of another prompt's, or of another session's, is a call of its own", async () => {
    let runs = 0;
    await using pair = await original({ tools: { act: () => json(++runs) } }, function* () {
      yield step.toolCall({ toolName: "act", input: {}, requestId: "r1" });
    });
    await pair.client.prompt("one").result;
    await pair.client.prompt({ prompt: "two", promptId: "mine" }).result;
    const back = once(pair.client, "reconnected");
    pair.server.dropAll();
    await back;
    await pair.client.prompt("three").result;
    expect([runs, pair.server.answers.length]).toEqual([3, 3]);
  });

  test("that names no prompt, with an id of an earlier session, is a call of its own", async () => {
    let runs = 0;
    await using pair = await original({ tools: { act: () => json(++runs) } }, () => [step.hang()]);
    const data = { type: "tool-call-request", toolCallId: "t1", toolName: "act", toolArgs: {} };
    for (const answered of [1, 2]) {
      pair.server.connections.at(-1)?.send(JSON.stringify({ type: "action", data }));
      await pair.server.waitFor(({ answers }) => answers.length === answered);
      const back = once(pair.client, "reconnected");
      pair.server.dropAll();
      await back;
    }
    expect(runs).toBe(2);
  });

  test("that cannot be read is answered all the same", async () => {
    await using pair = await original({ tools: { "*": () => json(1) } }, function* () {
      yield step.action({ type: "tool-call-request", requestId: "r9", toolName: 5 });
      yield step.action({ type: "read-files", requestId: "f9", filePaths: "a.txt" });
      yield step.action({ type: "request-mcp-tool-data", requestId: "m9", mcpConfig: 5 });
      yield step.action({ type: "read-files", filePaths: ["a.txt"] });
    });
    await pair.client.prompt("act").result;
    await pair.server.waitFor(({ answers }) => answers.length === 3);
    expect(answers(pair)).toMatchObject([
      { requestId: "r9", output: errorOutput(/toolName/) },
      { requestId: "f9", files: {} },
      { requestId: "m9", tools: [] },
    ]);
  });

  test.each([
    ["the tool's own limit and 4 s to report it", { timeout: 5_000 }, {}, 9_000],
    ["30 s and 4 s where nobody says", {}, {}, 34_000],
    ["the tool's own limit before that of its input", { timeout: 5_000 }, { timeout_seconds: 2 }, 9_000],
    ["what its input asks for", {}, { timeout_seconds: 2 }, 6_000],
  ])(
    "has %s, then its handler is aborted and it is answered as timed out",
    async (_, fields, input, limit) => {
      const running = gate();
      const stopped = gate();
      let reason: unknown;
      await using pair = await original(
        {
          tools: {
            act: (_call, { signal }) => {
              signal.addEventListener("abort", () => {
                reason = signal.reason;
                stopped.open();
              });
              running.open();
              return new Promise(() => {});
            },
          },
        },
        function* () {
          yield step.toolCall({ toolName: "act", input, requestId: "r1", wait: false, ...fields });
          yield step.answerTo("r1");
        },
      );
      const told = once(pair.client, "protocolWarning");
      const turn = pair.client.prompt("act", { idleTimeout: 1_000 });
      await running.passed;
      await pair.clock.advance(limit - 1);
      expect([turn.status, pair.server.answers.length]).toEqual(["streaming", 0]); // and no idle time-out either
      await pair.clock.advance(1);
      await stopped.passed;
      await turn.result;
      expect((await told).message).toContain(`did not answer within ${limit} ms`);
      expect(reason).toBeInstanceOf(Error);
      expect(answers(pair)).toMatchObject([
        { output: errorOutput(`did not answer within ${limit} ms`), outcome: "taken" },
      ]);
    },
  );

  test("whose handler answers after its time is answered once, and its turn has its idle limit again", async () => {
    const running = gate();
    const late = gate();
    await using pair = await original(
      {
        tools: {
          act: async () => {
            running.open();
            await late.passed;
            return json("late");
          },
        },
      },
      function* () {
        yield step.toolCall({ toolName: "act", input: {}, timeout: 1_000 });
        yield step.hang();
      },
    );
    const turn = pair.client.prompt("act", { idleTimeout: 60_000 });
    await running.passed;
    await pair.clock.advance(5_000);
    late.open();
    await pair.server.waitFor(({ answers }) => answers.length === 1);
    await pair.client.subscribe(["a"]);
    await pair.clock.advance(60_000);
    expect(await turn.outcome).toMatchObject({ error: { code: "turn-timeout", kind: "idle" } });
    expect(pair.server.answers).toHaveLength(1);
  });

  test("without a limit, by a negative one, is waited for", async () => {
    const running = gate();
    const done = gate();
    await using pair = await original(
      {
        tools: {
          act: async () => {
            running.open();
            await done.passed;
            return json("at last");
          },
        },
      },
      function* () {
        yield step.toolCall({ toolName: "act", input: {}, timeout: -1 });
      },
    );
    const turn = pair.client.prompt("act");
    await running.passed;
    await pair.clock.advance(3_600_000);
    done.open();
    await turn.result;
    expect(answers(pair)).toMatchObject([{ output: json("at last") }]);
  });
});

test("an answer that the server refuses is followed by an error, once, so that it does not wait for ever", async () => {
  await using pair = await readyPair({
    mock: {
      profile: "codebuff",
      extensions: "nack",
      answer: function* () {
        yield step.toolCall({ toolName: "act", input: {}, requestId: "r1" });
        yield step.hang();
      },
    },
    client: { tools: { act: () => json(1) } },
  });
  let refusals = 0;
  const both = once(
    pair.client,
    "protocolWarning",
    ({ kind }) => kind === "tool-call-response-failed" && ++refusals === 2,
  );
  pair.client.prompt("act");
  await both;
  await pair.client.close({ force: true });
  const sent = pair.server.frames.filter(({ raw }) => raw.includes('"tool-call-response","requestId"'));
  expect(sent.map(({ raw }) => JSON.parse(raw).data.output)).toEqual([
    json(1),
    errorOutput(/the server refused the answer/),
  ]);
});

test("more than a hundred requests at once are refused, and the hundred are answered", async () => {
  const held = gate();
  await using pair = await original(
    {
      onReadFiles: async () => {
        await held.passed;
        return { a: "text" };
      },
    },
    function* () {
      for (let at = 1; at <= 101; at++) yield step.readFiles(["a"], { requestId: `f${at}`, wait: false });
      yield step.answerTo("f101");
      held.open();
      yield step.answerTo("f100");
    },
  );
  await pair.client.prompt("read").result;
  await pair.server.waitFor(({ answers }) => answers.length === 101);
  const [first] = answers(pair);
  expect(first).toMatchObject({ requestId: "f101", files: { a: null } });
  const texts = pair.server.answers.filter(({ data }) => JSON.stringify(data).includes('{"a":"text"}'));
  expect(texts).toHaveLength(100);
});

describe("whom a tool is run for", () => {
  test("the prompt whose id is the longest that fits, also when that one is over", async () => {
    const over = gate();
    let runs = 0;
    await using pair = await original(
      { tools: { act: () => json(++runs) } },
      async function* ({ promptId }): AsyncGenerator<Step> {
        if (promptId === "chat-2") return;
        await over.passed;
        yield step.toolCall({ toolName: "act", input: {}, userInputId: "chat-2-base-1" });
      },
    );
    const chat = pair.client.prompt({ prompt: "a", promptId: "chat" });
    const other = pair.client.prompt({ prompt: "b", promptId: "chat-2" });
    await other.cancel();
    over.open();
    await chat.result;
    expect([runs, answers(pair)]).toMatchObject([0, [{ output: errorOutput(/cancelled/) }]]);
  });

  test("not for a prompt that was cancelled: its handler is aborted, a later call is not begun", async () => {
    const running = gate();
    const aborted = gate();
    let runs = 0;
    await using pair = await original(
      {
        tools: {
          act: (_call, { signal }) => {
            runs++;
            signal.addEventListener("abort", () => aborted.open());
            running.open();
            return new Promise(() => {});
          },
        },
      },
      function* () {
        yield step.toolCall({ toolName: "act", input: {}, requestId: "r1" });
      },
    );
    const turn = pair.client.prompt("act");
    await running.passed;
    await turn.cancel();
    await aborted.passed;
    await pair.server.waitFor(({ answers }) => answers.length === 1);
    const late = {
      type: "tool-call-request",
      userInputId: turn.id,
      requestId: "r2",
      toolName: "act",
      input: {},
    };
    pair.server.connections[0]?.send(JSON.stringify({ type: "action", data: late }));
    await pair.server.waitFor(({ answers }) => answers.length === 2);
    expect(runs).toBe(1);
    expect(answers(pair)).toMatchObject([
      { requestId: "r1", output: errorOutput(/cancelled/) },
      { requestId: "r2", output: errorOutput(/cancelled/) },
    ]);
  });

  test("cancelling one prompt leaves the handlers of the others alone", async () => {
    const both = gate();
    const done = gate();
    const aborted: (string | undefined)[] = [];
    let running = 0;
    await using pair = await original(
      {
        tools: {
          act: async ({ turnId }, { signal }) => {
            signal.addEventListener("abort", () => aborted.push(turnId));
            if (++running === 2) both.open();
            await done.passed;
            return json(turnId);
          },
        },
      },
      function* () {
        yield step.toolCall({ toolName: "act", input: {} });
      },
    );
    const [one, two] = [pair.client.prompt("one"), pair.client.prompt("two")];
    await both.passed;
    await one.cancel();
    done.open();
    await two.result;
    expect(aborted).toEqual([one.id]);
    expect(answers(pair)).toMatchObject([{ output: errorOutput(/cancelled/) }, { output: json(two.id) }]);
  });

  test("not for a prompt that still waits to be sent", async () => {
    const asked = gate();
    let runs = 0;
    await using pair = await original(
      { tools: { "*": () => json(++runs) }, maxConcurrentPrompts: 1 },
      async function* ({ promptId }): AsyncGenerator<Step> {
        if (promptId === "p2") return;
        await asked.passed;
        yield step.toolCall({ toolName: "act", input: {}, userInputId: "p2" });
      },
    );
    const [one, two] = ["p1", "p2"].map((promptId) => pair.client.prompt({ prompt: "act", promptId }));
    asked.open();
    await Promise.all([one?.result, two?.result]);
    expect([runs, answers(pair)]).toMatchObject([0, [{ output: errorOutput(/no such prompt/) }]]);
  });

  test("not for a prompt that was taken to have ended without a word", async () => {
    let runs = 0;
    await using pair = await readyPair({
      mock: { answer: () => ["half", step.silent()] },
      client: { tools: { "*": () => json(++runs) }, keepalive: false },
    });
    const begun = once(pair.client, "event");
    const turn = pair.client.prompt("act");
    await begun;
    await pair.client.subscribe(["a"]);
    expect(await turn.outcome).toMatchObject({ error: { origin: "silent-end" } });
    const data = { type: "tool-call-request", userInputId: turn.id, requestId: "r1", toolName: "act" };
    const answer = once(pair.client, "frame", ({ text }) => text.includes("tool-call-response"));
    pair.server.connections[0]?.send(JSON.stringify({ type: "action", data }));
    expect((await answer).text).toContain("the prompt has failed");
    expect(runs).toBe(0);
  });

  test("not for a prompt that this client never sent", async () => {
    let runs = 0;
    await using pair = await original({ tools: { "*": () => json(++runs) } }, () => ["done"]);
    const stray = {
      type: "tool-call-request",
      userInputId: "nobodys",
      requestId: "r1",
      toolName: "act",
      input: {},
    };
    pair.server.connections[0]?.send(JSON.stringify({ type: "action", data: stray }));
    await pair.server.waitFor(({ answers }) => answers.length === 1);
    expect([runs, answers(pair)]).toMatchObject([0, [{ output: errorOutput(/no such prompt/) }]]);
  });

  test("for a sub-agent of a running prompt, and for agents that go on behind a completed one", async () => {
    const turns: (string | undefined)[] = [];
    await using pair = await original(
      {
        tools: {
          "*": ({ turnId }) => {
            turns.push(turnId);
            return json(1);
          },
        },
      },
      function* ({ promptId }) {
        yield step.toolCall({ toolName: "act", input: {}, userInputId: `${promptId}-base-1` });
      },
    );
    const turn = pair.client.prompt("act");
    await turn.result;
    const data = { type: "tool-call-request", requestId: "r2", toolName: "act", input: {} };
    pair.server.connections[0]?.send(
      JSON.stringify({ type: "action", data: { ...data, userInputId: `${turn.id}-async-2` } }),
    );
    await pair.server.waitFor(({ answers }) => answers.length === 2);
    expect(turns).toEqual([turn.id, turn.id]);
  });

  test("one that goes on behind an answer keeps its handler, which may still answer", async () => {
    const running = gate();
    const done = gate();
    await using pair = await original(
      {
        tools: {
          act: async () => {
            running.open();
            await done.passed;
            return json("done");
          },
        },
      },
      function* () {
        yield* step.toolCall({ toolName: "act", input: {}, wait: false });
      },
    );
    await pair.client.prompt("act").result;
    await running.passed;
    done.open();
    await pair.server.waitFor(({ answers }) => answers.length === 1);
    expect(answers(pair)).toMatchObject([{ output: json("done"), outcome: "taken" }]);
  });

  test("a lost connection aborts the handler, and its answer goes to nobody", async () => {
    const running = gate();
    const aborted = gate();
    await using pair = await original(
      {
        tools: {
          act: async (_call, { signal }) => {
            running.open();
            await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
            aborted.open();
            return json("too late");
          },
        },
      },
      function* () {
        yield step.toolCall({ toolName: "act", input: {}, wait: false });
        yield step.hang();
      },
    );
    const turn = pair.client.prompt("act");
    await running.passed;
    const back = once(pair.client, "reconnected");
    pair.server.dropAll();
    await expect(turn.result).rejects.toMatchObject({ code: "connection-lost", delivery: "unknown" });
    await aborted.passed;
    await back;
    await pair.client.prompt("again").cancel();
    expect(pair.server.answers).toEqual([]);
  });
});

describe.each(["read-files", "read-files-request"] as const)("files asked for as %s", (name) => {
  const ask = (paths: readonly string[]) =>
    function* (): Iterable<Step> {
      yield step.readFiles(paths, { name, requestId: "f1" });
    };

  test("are answered path by path, with null for what is not there", async () => {
    await using pair = await original(
      { onReadFiles: (paths) => ({ [paths[0] ?? ""]: "hello\n", "not-asked.txt": "secret" }) },
      ask(["a.txt", "missing.txt", "__proto__"]),
    );
    await pair.client.prompt("read").result;
    const [answer] = pair.server.answers;
    expect(JSON.stringify(answer?.data)).toContain(
      '"files":{"a.txt":"hello\\n","missing.txt":null,"__proto__":null}',
    );
    expect(pair.server.violations).toEqual([]);
  });

  test.each([
    ["without a handler", undefined],
    [
      "of a handler that throws",
      () => {
        throw new Error("no");
      },
    ],
    ["of a handler that returns no object", () => "text" as never],
    ["of a handler that returns no texts", () => ({ "a.txt": 5 }) as never],
    ["of a handler that forgot to await", () => ({ "a.txt": Promise.resolve("text") }) as never],
    ["of a handler that returns a Map", () => new Map([["a.txt", "text"]]) as never],
  ])("are null %s", async (_, onReadFiles) => {
    await using pair = await original(onReadFiles ? { onReadFiles } : {}, ask(["a.txt"]));
    const told = once(pair.client, "protocolWarning");
    await pair.client.prompt("read").result;
    expect((await told).message).toContain("onReadFiles");
    expect(answers(pair)).toMatchObject([{ requestId: "f1", files: { "a.txt": null } }]);
  });

  test("are not read any more for a link that is lost", async () => {
    const reading = gate();
    const aborted = gate();
    await using pair = await original(
      {
        onReadFiles: (_paths, { signal }) => {
          signal.addEventListener("abort", () => aborted.open());
          reading.open();
          return new Promise(() => {});
        },
      },
      ask(["a.txt"]),
    );
    const told: string[] = [];
    pair.client.on("protocolWarning", ({ kind }) => told.push(kind));
    const lost = pair.client.prompt("read").outcome;
    await reading.passed;
    pair.server.dropAll();
    await aborted.passed;
    expect(await lost).toMatchObject({ error: { code: "connection-lost" } });
    await once(pair.client, "reconnected");
    expect(told).toEqual([]);
    expect(pair.server.answers).toEqual([]);
  });

  test("that are asked for again while they are read are read once; after the answer, again", async () => {
    const read = gate();
    let reads = 0;
    await using pair = await original(
      {
        onReadFiles: async () => {
          if (++reads === 1) await read.passed;
          return { "a.txt": "a" };
        },
      },
      () => [step.hang()],
    );
    const ask = (data: object): void =>
      pair.server.connections[0]?.send(
        JSON.stringify({ type: "action", data: { requestId: "f1", ...data } }),
      );
    const files = { type: name, filePaths: ["a.txt"] };
    const repeated = once(pair.client, "protocolWarning", ({ kind }) => kind === "repeated-request");
    ask(files);
    ask(files);
    await repeated;
    ask({ type: "request-mcp-tool-data", mcpConfig: { command: "npx" } });
    await pair.server.waitFor(({ answers }) => answers.length === 1); // of another kind, with the same id
    read.open();
    await pair.server.waitFor(({ answers }) => answers.length === 2);
    expect(reads).toBe(1);
    ask(files);
    await pair.server.waitFor(({ answers }) => answers.length === 3);
    expect(reads).toBe(2);
  });

  test("are null after 30 s, and the turn does not count the time", async () => {
    const running = gate();
    await using pair = await original(
      {
        onReadFiles: () => {
          running.open();
          return new Promise(() => {});
        },
      },
      ask(["a.txt"]),
    );
    const turn = pair.client.prompt("read", { idleTimeout: 1_000 });
    await running.passed;
    await pair.clock.advance(30_000);
    expect(await turn.outcome).toMatchObject({ status: "completed" });
    expect(answers(pair)).toMatchObject([{ files: { "a.txt": null } }]);
  });
});

describe("the tools of an MCP server", () => {
  const CONFIG = { type: "stdio", command: "npx", args: ["srv"], env: {} } as const;
  const ask = function* (): Iterable<Step> {
    yield step.requestMcpTools({ mcpConfig: CONFIG, toolNames: ["search"], requestId: "m1" });
  };

  test("come from the handler, which gets the configuration", async () => {
    const search = { name: "search", description: "d", inputSchema: { type: "object" } } as const;
    const asked: unknown[] = [];
    await using pair = await original(
      {
        onMcpTools: (request) => {
          asked.push(request);
          return [search];
        },
      },
      ask,
    );
    await pair.client.prompt("tools?").result;
    expect(asked).toMatchObject([{ requestId: "m1", mcpConfig: CONFIG, toolNames: ["search"] }]);
    expect(answers(pair)).toMatchObject([{ requestId: "m1", tools: [search] }]);
  });

  test.each([
    ["without a handler", undefined],
    ["of a handler that rejects", () => Promise.reject(new Error("no"))],
    ["of a handler that returns no tools", () => [{ name: "search" }] as never],
    ["of a handler that returns no objects", () => ["search"] as never],
    ["of a handler whose tool takes no object", () => [{ name: "search", inputSchema: {} }] as never],
  ])("are none %s", async (_, onMcpTools) => {
    await using pair = await original(onMcpTools ? { onMcpTools } : {}, ask);
    await pair.client.prompt("tools?").result;
    expect(answers(pair)).toMatchObject([{ requestId: "m1", tools: [] }]);
    expect(pair.server.frames.filter(({ raw }) => raw.includes('"mcp-tool-data"'))).toHaveLength(1); // at the first try
  });

  test("are run by a handler of their own, never by a tool of this machine that goes by the same name", async () => {
    const run: string[] = [];
    const script = function* (): Iterable<Step> {
      yield step.toolCall({ toolName: "search", input: {}, mcpConfig: CONFIG });
    };
    const tools = { search: () => json(run.push("local")), "*": () => json(run.push("any")) };
    await using without = await original({ tools }, script);
    await without.client.prompt("search").result;
    expect([run, answers(without)]).toMatchObject([[], [{ output: errorOutput(/no handler/) }]]);
    const onMcpToolCall = ({ name, mcpConfig }: CodebuffToolCall) =>
      json(run.push(`${name} of ${mcpConfig?.command}`));
    await using having = await original({ tools, onMcpToolCall }, script);
    await having.client.prompt("search").result;
    expect(run).toEqual(["search of npx"]);
  });

  test("are none after 45 s: the server waits 50", async () => {
    const running = gate();
    await using pair = await original(
      {
        onMcpTools: () => {
          running.open();
          return new Promise(() => {});
        },
      },
      ask,
    );
    const turn = pair.client.prompt("tools?");
    await running.passed;
    await pair.clock.advance(45_000);
    await turn.result;
    expect(answers(pair)).toMatchObject([{ tools: [] }]);
  });
});

test("the published proxy refuses every answer, which is told and hurts nothing", async () => {
  await using pair = await readyPair({
    mock: {
      answer: function* () {
        yield step.toolCall({ toolName: "act", input: {} });
        yield "done";
      },
    },
    client: { tools: { act: () => json(1) } },
  });
  const warning = once(pair.client, "protocolWarning", ({ kind }) => kind === "tool-call-response-failed");
  expect((await pair.client.prompt("act").result).text).toBe("done");
  expect((await warning).message).not.toContain("validation"); // the server's words are only in `raw`
  await pair.client.subscribe(["a"]);
  expect(pair.server.frames.filter(({ raw }) => raw.includes("tool-call-response"))).toHaveLength(2); // it, and its refusal
});

test("handlers of every kind leave no timer behind", async () => {
  await using pair = await original(
    {
      tools: { act: () => json(1) },
      onReadFiles: () => ({ a: "b" }),
      onMcpTools: () => [],
    },
    function* () {
      yield step.toolCall({ toolName: "act", input: {} });
      yield step.readFiles(["a"]);
      yield step.requestMcpTools({ mcpConfig: { command: "npx" } });
    },
  );
  await pair.client.prompt("act").result;
  await pair.client.close();
  expect(pair.clock.pending).toBe(0);
});
