import { type Step, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { gate, once, readyPair, sentTo } from "../helpers/codebuff.ts";
import { ASK, answers, errorOutput, json, original } from "../helpers/codebuff-requests.ts";

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

  test("for a sub-agent of a running prompt, and not for agents that go on behind a completed one", async () => {
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
    ["nobody's", { userInputId: "nobodys" }],
    ["one that has ended", { userInputId: "ended" }],
    ["one that has ended, of a sub-agent", { userInputId: "ended-base-1" }],
    ["one that was cancelled", { userInputId: "cancelled" }],
    ["one that has failed", { userInputId: "failed" }],
    ["no prompt at all", {}],
  ])("a call for %s runs no handler and asks nobody; it is answered and told", async (_, name) => {
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

  test("a call that names no prompt is the only one's that is under way; with two under way it is nobody's", async () => {
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
