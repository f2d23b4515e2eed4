import { type Step, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { gate, once, readyPair, sentTo } from "../helpers/codebuff.ts";
import { ASK, answers, errorOutput, json, original } from "../helpers/codebuff-requests.ts";

describe("the prompt of a tool call", () => {
  test("is the one with the longest matching id, even if that prompt is over", async () => {
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

  test("aborts the running handler when it is cancelled, and a later call is refused", async () => {
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

  test("does not abort the handlers of other prompts when it is cancelled", async () => {
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

  test("must be sent: a call for a queued prompt is refused", async () => {
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

  test("must be running: a call after its silent end is refused", async () => {
    let runs = 0;
    await using pair = await readyPair({
      mock: { answer: () => ["half", step.silent()], unreadFrame: "queue" },
      client: { tools: { "*": () => json(++runs) }, keepalive: false, maxConcurrentPrompts: 2 },
    });
    const begun = once(pair.client, "event");
    const turn = pair.client.prompt("act");
    await begun;
    await pair.client.subscribe(["a"]);
    await pair.clock.advance(30_000);
    expect(await turn.outcome).toMatchObject({ error: { origin: "silent-end" } });
    const data = { type: "tool-call-request", userInputId: turn.id, requestId: "r1", toolName: "act" };
    const answer = once(pair.client, "frame", ({ text }) => text.includes("tool-call-response"));
    pair.server.connections[0]?.send(JSON.stringify({ type: "action", data }));
    expect((await answer).text).toContain("the prompt has failed");
    expect(runs).toBe(0);
  });

  test("must be known: a call with an unknown id is refused", async () => {
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

  test("includes its sub-agents, until it completes", async () => {
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
    expect(turns).toEqual([turn.id]);
    expect(answers(pair)[1]).toMatchObject({ requestId: "r2", output: errorOutput("the prompt has ended") });
  });

  test.each([
    ["unknown", { userInputId: "nobodys" }],
    ["completed", { userInputId: "ended" }],
    ["completed (a call of its sub-agent)", { userInputId: "ended-base-1" }],
    ["cancelled", { userInputId: "cancelled" }],
    ["failed", { userInputId: "failed" }],
    ["not named", {}],
  ])("that is %s: the call runs nothing, and is refused with a warning", async (_, name) => {
    const run: string[] = [];
    const note = (what: string) => () => {
      run.push(what);
      return json(what);
    };
    await using pair = await original(
      {
        tools: { "*": note("tool") },
        onMcpToolCall: note("mcp"),
        onToolApproval: () => {
          run.push("approval");
          return true;
        },
        toolPolicy: ASK,
        onQuestion: () => {
          run.push("question");
          return null;
        },
      },
      ({ promptId }) =>
        promptId === "failed"
          ? [step.promptError({ message: "no" })]
          : promptId === "cancelled"
            ? [step.hang()]
            : ["done"],
    );
    for (const promptId of ["ended", "cancelled", "failed"]) {
      const turn = pair.client.prompt({ prompt: "act", promptId });
      await (promptId === "cancelled" ? turn.cancel() : turn.outcome);
    }
    const told: unknown[] = [];
    pair.client.on("protocolWarning", ({ kind, message }) => told.push([kind, message]));
    const calls = [
      { requestId: "r1", toolName: "act", input: {} },
      { requestId: "r2", toolName: "act", input: {}, mcpConfig: { command: "npx" } },
      { requestId: "r3", toolName: "ask_user", input: { questions: [{ question: "Why?", options: [] }] } },
    ];
    for (const call of calls) {
      const data = { type: "tool-call-request", ...call, ...name };
      pair.server.connections[0]?.send(JSON.stringify({ type: "action", data }));
    }
    const wasTold = (): readonly unknown[] =>
      sentTo(pair.server, "action").filter(({ data }) => JSON.stringify(data).includes("errorMessage"));
    await pair.server.waitFor(() => wasTold().length === calls.length);
    expect(run).toEqual([]);
    expect(told).toEqual(
      calls.map(({ toolName }) => ["unwanted-request", expect.stringContaining(`"${toolName}"`)]),
    );
  });

  test("is the only running prompt if the call names none; with two the call is refused", async () => {
    const turns: (string | undefined)[] = [];
    await using pair = await original(
      {
        tools: {
          act: ({ turnId }) => {
            turns.push(turnId);
            return json(turnId);
          },
        },
      },
      () => ["begun", step.hang()],
    );
    const call = (toolCallId: string): void => {
      const data = { type: "tool-call-request", toolCallId, toolName: "act", toolArgs: {} };
      pair.server.connections[0]?.send(JSON.stringify({ type: "action", data }));
    };
    const one = pair.client.prompt("one");
    await pair.server.nextPrompt();
    call("t1");
    await pair.server.waitFor(({ answers }) => answers.length === 1);
    expect(one.toolCalls).toMatchObject([{ name: "act", state: "done" }]);
    const two = pair.client.prompt("two");
    await pair.server.nextPrompt();
    const told = once(pair.client, "protocolWarning", ({ kind }) => kind === "unwanted-request");
    call("t2");
    expect((await told).message).toContain("it names no prompt");
    await pair.server.waitFor(({ answers }) => answers.length === 2);
    expect(turns).toEqual([one.id]);
    expect([one.toolCalls.length, two.toolCalls.length]).toEqual([1, 0]);
  });

  test("may complete while the handler runs, and the handler can still answer", async () => {
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

  test("fails when the link is lost, and its handler is aborted without an answer", async () => {
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
