import type { CodebuffToolCall } from "agentwire/codebuff";
import { step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { gate, once, readyPair } from "../helpers/codebuff.ts";
import { answers, errorOutput, json, original, TOKEN } from "../helpers/codebuff-requests.ts";

describe("a tool call", () => {
  test("runs the handler of its name, and the agent continues with the output", async () => {
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

  test("is `done` before its answer is sent", async () => {
    await using pair = await original({ tools: { act: () => json(1) } }, function* () {
      yield step.toolCall({ toolName: "act", input: {} });
    });
    const turn = pair.client.prompt("act");
    const shown: unknown[] = [];
    pair.client.on("frame", ({ direction, text }) => {
      if (direction === "out" && text.includes("tool-call-response"))
        shown.push(turn.toolCalls.map(({ state }) => state));
    });
    await turn.result;
    expect(shown).toEqual([["done"]]);
  });

  test("in the planned form reaches the same handler", async () => {
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

  test("is an event of its turn", async () => {
    await using pair = await original({ tools: { "*": () => json(1) } }, function* () {
      yield step.toolCall({ toolName: "write_file", input: { path: "a" } });
    });
    const seen: unknown[] = [];
    for await (const event of pair.client.prompt("write")) {
      if (event.type === "tool-call-request") seen.push(event.toolName);
    }
    expect(seen).toEqual(["write_file"]);
  });

  test("is answered once, when its handler finishes, even before an earlier call", async () => {
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
      name: "rejects with a string",
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
      name: "returns strings as parts",
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
      name: "returns NaN",
      tool: () => json({ n: Number.NaN }),
      error: /cannot be written as JSON/,
      warned: /cannot be written as JSON/,
    },
    {
      name: "returns a function as a value",
      tool: () => json(() => 1),
      error: /array of parts/,
      warned: /array of parts/,
    },
    {
      name: "throws an error whose message is an object",
      tool: () => {
        throw Object.assign(new Error(), { message: { code: 1 } });
      },
      error: /object Object/,
      warned: /object Object/,
    },
    {
      name: "throws a message of 100,000 characters",
      tool: () => {
        throw new Error("x".repeat(100_000));
      },
      error: /^x{8192}$/,
      warned: /x{8192}$/,
    },
    {
      name: "throws a long message that is cut inside the token",
      tool: () => {
        throw new Error(`${"x".repeat(8_188)}${TOKEN}`);
      },
      error: /^x{8188}\[red$/,
      warned: /x{8188}\[red$/,
    },
    {
      name: "throws a message with the token",
      tool: () => {
        throw new Error(`refused ${TOKEN}`);
      },
      error: /^refused \[redacted\]$/,
      warned: /refused \[redacted\]/,
    },
  ];

  test.each(bad)(
    "whose handler $name is answered with that as its error, and causes a warning",
    async (row) => {
      await using pair = await original({ tools: { act: row.tool as () => never } }, function* () {
        yield step.toolCall({ toolName: "act", input: {}, requestId: "r1" });
      });
      const warning = once(pair.client, "protocolWarning", ({ kind }) => kind === "handler-failed");
      await pair.client.prompt("act").result;
      expect(answers(pair)).toEqual([
        expect.objectContaining({ requestId: "r1", output: errorOutput(row.error), outcome: "taken" }),
      ]);
      expect((await warning).message).toMatch(row.warned);
    },
  );

  test("can return media", async () => {
    const media = [{ type: "media", data: "AAAA", mediaType: "image/png" }] as const;
    await using pair = await original({ tools: { act: () => media } }, function* () {
      yield step.toolCall({ toolName: "act", input: {} });
    });
    await pair.client.prompt("act").result;
    expect(answers(pair)).toMatchObject([{ output: media, outcome: "taken" }]);
  });

  test("without an id, or with one over 1,000 characters, cannot be answered and causes a warning", async () => {
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

  test("without a handler is answered with an error, and causes one warning per tool", async () => {
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

  test("whose output is over the size limit of a frame is answered with an error", async () => {
    const mebibyte = "x".repeat(1_048_576);
    await using pair = await original(
      { maxSendBytes: 1_048_576, tools: { read: () => json(mebibyte) } },
      function* () {
        yield step.toolCall({ toolName: "read", input: {} });
      },
    );
    await pair.client.prompt("read").result;
    expect(answers(pair)).toMatchObject([{ output: errorOutput(/^the frame would have \d+ bytes/) }]);
  });

  test("that is repeated runs once", async () => {
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

  test("with the id of a call of another prompt or session is a separate call", async () => {
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

  test("that names no prompt, with an id of an earlier session, is a separate call", async () => {
    let runs = 0;
    await using pair = await original({ tools: { act: () => json(++runs) } }, () => [step.hang()]);
    const data = { type: "tool-call-request", toolCallId: "t1", toolName: "act", toolArgs: {} };
    for (const answered of [1, 2]) {
      pair.client.prompt("act");
      await pair.server.nextPrompt();
      pair.server.connections.at(-1)?.send(JSON.stringify({ type: "action", data }));
      await pair.server.waitFor(({ answers }) => answers.length === answered);
      const back = once(pair.client, "reconnected");
      pair.server.dropAll();
      await back;
    }
    expect(runs).toBe(2);
  });

  test("that is invalid is still answered", async () => {
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
    ["its own time limit plus 4 s", { timeout: 5_000 }, {}, 9_000],
    ["the default of 30 s plus 4 s", {}, {}, 34_000],
    [
      "its own time limit, which comes before that of its input",
      { timeout: 5_000 },
      { timeout_seconds: 2 },
      9_000,
    ],
    ["the time limit of its input plus 4 s", {}, { timeout_seconds: 2 }, 6_000],
  ])("is aborted and answered as timed out after %s", async (_, fields, input, limit) => {
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
  });

  test("whose handler is late is answered once, and the idle timeout runs again", async () => {
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

  test("with a negative time limit waits without end", async () => {
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

test("an answer that the server refuses is followed by one error answer", async () => {
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

test("the published proxy refuses every answer, which causes only a warning", async () => {
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
