import type { SettledRequest } from "agentwire";
import type { ToolCall } from "agentwire/codebuff";
import { type Step, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { gate, once, readyPair } from "../helpers/codebuff.ts";
import { act, approval, asks, CONFIG, hanging, sent } from "../helpers/codebuff-approvals.ts";
import { ASK, answers, errorOutput, json, original, statesOf } from "../helpers/codebuff-requests.ts";

test.each(["proxy", "codebuff"] as const)(
  "a lost link withdraws open requests, and the new link sends no answer to them: %s",
  async (profile) => {
    const run: string[] = [];
    await using pair = await readyPair({
      mock: { profile, answer: hanging(), idRelease: { idle: 0, midPrompt: 0 } },
      client: { keepalive: false, ...asks("manual", run) },
    });
    const turn = pair.client.prompt("go");
    const { id } = await approval(pair);
    const back = once(pair.client, "reconnected");
    pair.server.dropAll();
    expect(await turn.outcome).toMatchObject({
      status: "failed",
      error: { code: "connection-lost" },
      partial: { toolCalls: [{ id, state: "abandoned" }] },
    });
    await back;
    expect(turn.pending).toEqual([]);
    expect(pair.client.decide(id, true)).toMatchObject({ decision: "reject", by: "disconnected" });
    await pair.client.subscribe(["a"]);
    expect([run, sent(pair)]).toEqual([[], []]);
  },
);

describe("a request that is still open when its prompt completes", () => {
  const question = { questions: [{ question: "Tabs?", options: [{ label: "yes" }], multiSelect: false }] };
  const noWait = { requestId: "r1", wait: false } as const;
  const ROWS: readonly (readonly [what: string, ask: Step, answer: object])[] = [
    [
      "for a tool",
      step.toolCall({ toolName: "act", input: {}, ...noWait }),
      { output: errorOutput("the prompt has ended") },
    ],
    [
      "for a tool of a sub-agent",
      step.toolCall({ toolName: "act", input: {}, userInputId: "p1-base-1", ...noWait }),
      { output: errorOutput("the prompt has ended") },
    ],
    [
      "for a tool of an MCP server",
      step.toolCall({ toolName: "act", input: {}, mcpConfig: CONFIG, ...noWait }),
      { output: errorOutput("the prompt has ended") },
    ],
    ["for files", step.readFiles(["a.txt"], noWait), { files: { "a.txt": null } }],
    [
      "for an answer",
      step.toolCall({ toolName: "ask_user", input: question, ...noWait }),
      { output: errorOutput("the prompt has ended") },
    ],
  ];

  test.each(ROWS)(
    "is withdrawn and refused, and a late decision runs no handler: %s",
    async (_, ask, answer) => {
      const run: string[] = [];
      const settled: SettledRequest[] = [];
      await using pair = await original({ ...asks("manual", run), onQuestion: "manual" }, function* () {
        yield ask;
        yield "done";
      });
      const { client, server } = pair;
      client.on("settled", (request) => void settled.push(request));
      const waiting = new Promise<string>((resolve) => {
        client.on("approval", ({ id }) => resolve(id));
        client.on("question", ({ id }) => resolve(id));
      });
      const turn = client.prompt({ prompt: "go", promptId: "p1" });
      const id = await waiting;
      await turn.result;
      expect([turn.pending, client.pending]).toEqual([[], []]);
      expect(turn.toolCalls).toMatchObject([{ id, state: "abandoned" }]);
      expect(settled).toMatchObject([{ id }]);
      const decided =
        settled[0]?.type === "question" ? client.answer(id, ["yes"]) : client.decide(id, "once");
      expect(decided).toMatchObject({ by: "ended", reason: "the prompt has ended" });
      await server.waitFor(({ answers }) => answers.length === 1);
      expect(answers(pair)).toMatchObject([{ requestId: "r1", outcome: "taken", ...answer }]);
      await client.subscribe(["a"]);
      expect([run, answers(pair).length]).toEqual([[], 1]);
    },
  );

  test("aborts the signal of `onToolApproval`", async () => {
    const run: string[] = [];
    const asked = gate();
    let aborted: unknown;
    const onToolApproval = (_call: ToolCall, { signal }: { readonly signal: AbortSignal }) => {
      asked.open();
      return new Promise<boolean>((resolve) => {
        signal.addEventListener("abort", () => {
          aborted = signal.reason;
          resolve(true);
        });
      });
    };
    await using pair = await original(asks(onToolApproval, run), async function* () {
      yield step.toolCall({ toolName: "act", input: {}, ...noWait });
      await asked.passed;
    });
    await pair.client.prompt("go").result;
    expect(aborted).toMatchObject({ message: "the prompt has ended" });
    await pair.client.subscribe(["a"]);
    expect([run, answers(pair).length]).toEqual([[], 1]);
  });

  test("is still answered by a handler that already runs", async () => {
    const running = gate();
    const more = gate();
    await using pair = await original(
      {
        tools: {
          act: async () => {
            running.open();
            await more.passed;
            return json(1);
          },
        },
      },
      async function* () {
        yield step.toolCall({ toolName: "act", input: {}, ...noWait });
        await running.passed;
      },
    );
    await pair.client.prompt("go").result;
    more.open();
    await pair.server.waitFor(({ answers }) => answers.length === 1);
    expect(answers(pair)).toMatchObject([{ output: json(1), outcome: "taken" }]);
  });
});

describe("an approval request", () => {
  test("is denied if nobody decides within `approvalTimeout`", async () => {
    const run: string[] = [];
    await using pair = await original({ ...asks("manual", run), approvalTimeout: 2_000 }, act());
    const turn = pair.client.prompt("go");
    await approval(pair);
    await pair.clock.advance(1_999);
    expect(turn.pending).toHaveLength(1);
    await pair.clock.advance(1);
    expect(turn.toolCalls).toMatchObject([
      { state: "denied", deniedBy: "policy", reason: expect.stringMatching(/2000 ms/) },
    ]);
    await turn.result;
    expect(run).toEqual([]);
    expect(answers(pair)).toMatchObject([{ output: errorOutput(/^denied: nobody decided within 2000 ms$/) }]);
  });

  test("fails when the server's time limit for the call expires", async () => {
    const run: string[] = [];
    let aborted: unknown;
    const onToolApproval = (_call: ToolCall, { signal }: { readonly signal: AbortSignal }) => {
      signal.addEventListener("abort", () => {
        aborted = signal.reason;
      });
      return new Promise<never>(() => {});
    };
    await using pair = await original(asks(onToolApproval, run), hanging());
    const told = once(pair.client, "protocolWarning");
    const turn = pair.client.prompt("go", { idleTimeout: 1_000 });
    await approval(pair);
    await pair.clock.advance(8_999);
    expect([turn.status, turn.pending.length]).toEqual(["streaming", 1]); // and no idle time-out
    await pair.clock.advance(1);
    expect(await told).toMatchObject({
      kind: "approval-failed",
      message: expect.stringMatching(/`act` within 9000 ms/),
    });
    expect(turn.pending).toEqual([]);
    expect(turn.toolCalls).toMatchObject([
      { state: "failed", error: expect.stringMatching(/nobody decided/) },
    ]);
    expect(aborted).toBeInstanceOf(Error);
    expect(pair.client.decide("r1", true)).toMatchObject({ decision: "reject", by: "timeout" });
    await pair.server.waitFor(({ answers }) => answers.length === 1);
    expect(answers(pair)).toMatchObject([{ output: errorOutput(/nobody decided/), outcome: "taken" }]);
    expect(run).toEqual([]);
  });

  test("is answered once, even if the callback cancels the turn at that time limit", async () => {
    let cancel = (): void => {};
    const onToolApproval = (_call: ToolCall, { signal }: { readonly signal: AbortSignal }) => {
      signal.addEventListener("abort", () => cancel());
      return new Promise<never>(() => {});
    };
    await using pair = await original(asks(onToolApproval), hanging());
    const turn = pair.client.prompt("go");
    cancel = () => void turn.cancel();
    await approval(pair);
    await pair.clock.advance(9_000);
    expect(await turn.outcome).toMatchObject({ status: "cancelled" });
    await pair.client.subscribe(["a"]);
    expect(answers(pair)).toMatchObject([{ output: errorOutput(/nobody decided/) }]);
    expect(answers(pair)).toHaveLength(1);
  });

  test("leaves the handler the rest of the server's time limit", async () => {
    const running = gate();
    await using pair = await original(
      {
        toolPolicy: ASK,
        onToolApproval: "manual",
        tools: {
          act: () => {
            running.open();
            return new Promise(() => {});
          },
        },
      },
      hanging(),
    );
    const turn = pair.client.prompt("go");
    await approval(pair);
    await pair.clock.advance(8_000);
    pair.client.decide("r1", true);
    await running.passed;
    await pair.clock.advance(999);
    expect(turn.toolCalls).toMatchObject([{ state: "running" }]);
    await pair.clock.advance(1);
    expect(turn.toolCalls).toMatchObject([
      { state: "failed", error: expect.stringMatching(/handler of the tool `act` did not answer/) },
    ]);
  });

  test("pauses the idle timeout of its turn until it is answered", async () => {
    await using pair = await original(asks("manual"), hanging(-1));
    const turn = pair.client.prompt("go", { idleTimeout: 60_000 });
    await approval(pair);
    await pair.clock.advance(3_600_000);
    expect(turn.status).toBe("streaming");
    pair.client.decide("r1", false);
    await pair.server.waitFor(({ answers }) => answers.length === 1);
    await pair.clock.advance(60_000);
    expect(await turn.outcome).toMatchObject({ error: { code: "turn-timeout", kind: "idle" } });
  });

  test("is withdrawn before the status of its turn becomes `cancelled`", async () => {
    const run: string[] = [];
    const aborted = gate();
    const callback = (_call: ToolCall, { signal }: { readonly signal: AbortSignal }) => {
      signal.addEventListener("abort", () => aborted.open());
      return new Promise<never>(() => {});
    };
    await using pair = await original(asks(callback, run), act());
    const turn = pair.client.prompt("go");
    const states = statesOf(turn);
    let seen: unknown;
    turn.on("status", (status) => {
      if (status === "cancelled") seen = [turn.pending, turn.toolCalls[0]?.state];
    });
    await approval(pair);
    const outcome = await turn.cancel();
    await aborted.passed;
    expect(outcome).toMatchObject({ status: "cancelled", partial: { toolCalls: [{ state: "abandoned" }] } });
    expect(seen).toEqual([[], "abandoned"]);
    expect(states).toEqual(["requested", "awaiting", "abandoned"]);
    expect(pair.client.decide("r1", true)).toMatchObject({ decision: "reject", by: "cancelled" });
    await pair.server.waitFor(({ answers }) => answers.length === 1);
    expect(answers(pair)).toMatchObject([{ requestId: "r1", output: errorOutput(/cancelled/) }]);
    expect(run).toEqual([]);
  });

  test("is withdrawn when its prompt fails", async () => {
    await using pair = await original(asks("manual"), function* () {
      yield step.toolCall({ toolName: "act", input: {}, requestId: "r1", wait: false });
      yield step.promptError({ message: "out of credits" });
    });
    const turn = pair.client.prompt("go");
    expect(await turn.outcome).toMatchObject({
      status: "failed",
      error: { code: "turn-failed", partial: { toolCalls: [{ state: "abandoned" }] } },
    });
    expect(turn.pending).toEqual([]);
    expect(pair.client.decide("r1", true)).toMatchObject({ decision: "reject", by: "ended" });
  });

  test("is withdrawn when the client is closed by force", async () => {
    await using pair = await original(asks("manual"), hanging());
    const turn = pair.client.prompt("go");
    await approval(pair);
    await pair.client.close({ force: true });
    expect(await turn.outcome).toMatchObject({ partial: { toolCalls: [{ state: "abandoned" }] } });
    expect(pair.client.decide("r1", true)).toMatchObject({ by: "disconnected" });
    expect(pair.clock.pending).toBe(0);
  });

  test.each(["requested", "awaiting", "approved", "running"] as const)(
    "is answered once if a listener cancels the turn while the call is %s",
    async (when) => {
      const run: string[] = [];
      await using pair = await original(asks("manual", run), act());
      const turn = pair.client.prompt("go");
      pair.client.on("approval", ({ id }) => pair.client.decide(id, true));
      const states = statesOf(turn);
      turn.on("toolCall", ({ state }) => {
        if (state === when) void turn.cancel();
      });
      expect(await turn.outcome).toMatchObject({ status: "cancelled" });
      await pair.server.waitFor(({ answers }) => answers.length === 1);
      await pair.client.subscribe(["a"]);
      expect(run).toEqual([]);
      expect(states.at(-1)).toBe("abandoned");
      expect([turn.pending, pair.server.answers.length]).toEqual([[], 1]);
      expect(turn.toolCalls).toMatchObject([{ state: "abandoned" }]);
    },
  );

  test("is withdrawn if an `approval` listener cancels the turn", async () => {
    let asked = 0;
    await using pair = await original(
      asks(() => ++asked > 0),
      act(),
    );
    const turn = pair.client.prompt("go");
    turn.on("approval", () => void turn.cancel());
    await turn.outcome;
    await pair.server.waitFor(({ answers }) => answers.length === 1);
    expect(pair.client.decide("r1", true)).toMatchObject({ by: "cancelled" });
    expect([turn.pending, asked]).toEqual([[], 0]);
  });

  describe("for files is withdrawn", () => {
    const reads = function* () {
      yield step.readFiles(["a.txt"], { requestId: "f1" });
    };

    const isOver = async ({ client, clock }: Awaited<ReturnType<typeof original>>): Promise<void> => {
      expect(client.decide("f1", true)).toMatchObject({ decision: "reject", by: "disconnected" });
      await client.close();
      expect(clock.pending).toBe(0);
    };

    test("when the callback closes the client", async () => {
      const aborted = gate();
      await using pair = await original(
        asks((_call, { signal }) => {
          signal.addEventListener("abort", () => aborted.open());
          void pair.client.close({ force: true });
          return new Promise<never>(() => {});
        }),
        reads,
      );
      await pair.client.prompt("go").outcome;
      await aborted.passed;
      await isOver(pair);
    });

    test("when a listener closes the client, and the callback is not called", async () => {
      let asked = 0;
      await using pair = await original(
        asks(() => ++asked > 0),
        reads,
      );
      const turn = pair.client.prompt("go");
      pair.client.on("approval", () => void pair.client.close({ force: true }));
      await turn.outcome;
      await isOver(pair);
      expect(asked).toBe(0);
    });
  });

  test("granted while its turn is cancelling leaves the call abandoned, not denied", async () => {
    const run: string[] = [];
    await using pair = await original(asks("manual", run), act());
    const turn = pair.client.prompt("go");
    turn.on("status", (status) => {
      if (status === "cancelling") pair.client.decide("r1", true);
    });
    await approval(pair);
    await turn.cancel();
    await pair.server.waitFor(({ answers }) => answers.length === 1);
    expect(turn.toolCalls).toMatchObject([{ state: "abandoned" }]);
    expect(answers(pair)).toMatchObject([{ output: errorOutput(/the prompt was cancelled/) }]);
    expect(run).toEqual([]);
  });

  test("leaves no timer behind, whatever its decision", async () => {
    await using pair = await original({ ...asks("manual"), approvalTimeout: 60_000 }, function* () {
      for (const name of ["one", "two", "three"])
        yield* step.toolCall({ toolName: name, input: {}, wait: false });
      yield step.hang();
    });
    const turn = pair.client.prompt("go");
    pair.client.on("approval", ({ id, name }) => {
      if (name !== "three") pair.client.decide(id, name === "one");
    });
    await once(pair.client, "approval", ({ name }) => name === "three");
    await turn.cancel();
    await pair.client.close({ force: true });
    expect(pair.clock.pending).toBe(0);
  });
});
