import type { Decision, ToolCall, ToolRule } from "agentwire/codebuff";
import { step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { gate, once, readyPair } from "../helpers/codebuff.ts";
import { act, approval, asks, CONFIG, only, sent } from "../helpers/codebuff-approvals.ts";
import { ASK, answers, errorOutput, json, original, statesOf, TOKEN } from "../helpers/codebuff-requests.ts";
import { errorSaying } from "../helpers/errors.ts";

test.each(["proxy", "codebuff"] as const)(
  "an approved call runs, a denied call does not, and each is answered once: %s",
  async (profile) => {
    const run: string[] = [];
    const decided = gate(); // the proxy waits for no answer by itself
    await using pair = await readyPair({
      mock: {
        profile,
        answer: async function* () {
          yield step.toolCall({ toolName: "act", input: {}, requestId: "r1" });
          yield step.toolCall({ toolName: "other", input: {}, requestId: "r2" });
          await decided.passed;
          yield "done";
        },
      },
      client: { keepalive: false, ...asks(({ name }) => name === "act", run) },
    });
    pair.client.on("settled", ({ id }) => id === "r2" && decided.open());
    const turn = pair.client.prompt("go");
    expect((await turn.result).text).toBe("done");
    await pair.server.waitFor(() => sent(pair).length === 2);
    await pair.client.subscribe(["a"]); // whatever was sent before has arrived
    expect(run).toEqual(["act"]);
    const ids = sent(pair).map(({ raw }) => JSON.parse(raw).data.requestId);
    // The proxy refuses every answer, and a denial is not repeated.
    expect(ids.toSorted()).toEqual(["r1", "r2"]);
  },
);

describe("an approval request", () => {
  test("shows each of its states on the turn, from `requested` to `done`", async () => {
    await using pair = await original(
      asks(() => "once"),
      act(),
    );
    const turn = pair.client.prompt("go");
    const states = statesOf(turn);
    await turn.result;
    expect(states).toEqual(["requested", "awaiting", "approved", "running", "done"]);
    expect(turn.toolCalls).toMatchObject([{ id: "r1", name: "act", state: "done", output: json(1) }]);
    expect(turn.toolCalls[0]?.raw).toMatchObject({ type: "tool-call-request", requestId: "r1" });
    expect(turn.toolCalls[0]).not.toHaveProperty("turnId");
  });

  const denials: readonly {
    readonly title: string;
    readonly decision: () => Decision | Promise<Decision>;
    readonly error: RegExp;
    readonly shown: object;
  }[] = [
    {
      title: "false",
      decision: () => false,
      error: /^denied by the user$/,
      shown: { deniedBy: "user" },
    },
    {
      title: "a promise of `reject`",
      decision: () => Promise.resolve("reject"),
      error: /^denied by the user$/,
      shown: { deniedBy: "user" },
    },
    {
      title: "`reject` with a reason",
      decision: () => ({ decision: "reject", reason: "too risky" }),
      error: /^denied by the user: too risky$/,
      shown: { deniedBy: "user", reason: "too risky" },
    },
    {
      title: "a reason that already begins with `Denied`",
      decision: () => ({ decision: "reject", reason: "Denied, as always" }),
      error: /^Denied, as always$/,
      shown: { deniedBy: "user", reason: "Denied, as always" },
    },
    {
      title: "a callback that throws",
      decision: () => {
        throw new Error("no window");
      },
      error: /^denied: `onToolApproval` failed$/,
      shown: { deniedBy: "policy", reason: "`onToolApproval` failed" },
    },
    {
      title: "an invalid decision",
      decision: () => "yes" as never,
      error: /^denied: `onToolApproval` failed$/,
      shown: { deniedBy: "policy" },
    },
    {
      title: "a reason with the token in it",
      decision: () => ({ decision: "reject", reason: `not with ${TOKEN}` }),
      error: /^denied by the user: not with \[redacted\]$/,
      shown: { deniedBy: "user", reason: "not with [redacted]" },
    },
    {
      title: "a reason of 100,000 characters",
      decision: () => ({ decision: "reject", reason: "x".repeat(100_000) }),
      error: /^denied by the user: x{8192}$/,
      shown: { deniedBy: "user" },
    },
  ];

  test.each(denials)("is denied by $title, and the agent gets the reason", async (row) => {
    const run: string[] = [];
    await using pair = await original(asks(row.decision, run), act());
    const turn = pair.client.prompt("go");
    const states = statesOf(turn);
    await turn.result;
    expect(run).toEqual([]);
    expect(answers(pair)).toMatchObject([{ requestId: "r1", output: errorOutput(row.error) }]);
    expect(turn.toolCalls).toMatchObject([{ id: "r1", state: "denied", ...row.shown }]);
    expect(states).toEqual(["requested", "awaiting", "denied"]);
  });

  test("with the decision `always` holds for one tool and one session", async () => {
    const asked: string[] = [];
    const script = function* () {
      yield step.toolCall({ toolName: "act", input: {} });
      yield step.toolCall({ toolName: "act", input: {} });
      yield step.toolCall({ toolName: "other", input: {} });
    };
    const always = ({ name }: ToolCall): Decision => {
      asked.push(name);
      return "always";
    };
    await using pair = await original(asks(always), script);
    await pair.client.prompt("one").result;
    expect(asked).toEqual(["act", "other"]);
    const back = once(pair.client, "reconnected");
    pair.server.dropAll();
    await back;
    await pair.client.prompt("two").result;
    expect(asked).toEqual(["act", "other", "act", "other"]);
  });

  test("with `always` for an MCP server's tool does not cover the same name elsewhere", async () => {
    const other = { ...CONFIG, command: "sh" };
    const asked: unknown[] = [];
    await using pair = await original(
      asks((call) => {
        asked.push(call.raw);
        return "always";
      }),
      function* () {
        for (const mcpConfig of [CONFIG, CONFIG, other, undefined]) {
          yield step.toolCall({ toolName: "search", input: {}, ...(mcpConfig ? { mcpConfig } : {}) });
        }
        for (const mcpConfig of [CONFIG, CONFIG, other]) yield step.requestMcpTools({ mcpConfig });
      },
    );
    await pair.client.prompt("go").result;
    expect(asked).toMatchObject([
      { toolName: "search", mcpConfig: CONFIG },
      { toolName: "search", mcpConfig: other },
      { toolName: "search" },
      { mcpConfig: CONFIG },
      { mcpConfig: other },
    ]);
    expect(asked).toHaveLength(5);
  });

  test("with the decision `always` does not override a rule that denies", async () => {
    const run: string[] = [];
    const isBad = ({ input }: ToolCall): boolean => JSON.stringify(input).includes("bad");
    const toolPolicy: readonly ToolRule[] = [{ tool: "act", when: isBad, then: "deny" }, ...ASK];
    await using pair = await original({ ...asks(() => "always", run), toolPolicy }, function* () {
      yield step.toolCall({ toolName: "act", input: {} });
      yield step.toolCall({ toolName: "act", input: { bad: true } });
    });
    await pair.client.prompt("go").result;
    expect(run).toEqual(["act"]);
  });

  test("does not wait for other requests: several are decided in any order", async () => {
    const run: string[] = [];
    await using pair = await original(asks("manual", run), function* () {
      const one = yield* step.toolCall({ toolName: "one", input: {}, requestId: "r1", wait: false });
      const two = yield* step.toolCall({ toolName: "two", input: {}, requestId: "r2", wait: false });
      yield step.answerTo(two);
      yield step.answerTo(one);
    });
    const turn = pair.client.prompt("go");
    await once(pair.client, "approval", ({ id }) => id === "r2");
    expect(turn.pending).toMatchObject([
      { type: "approval", id: "r1", call: { name: "one", turnId: turn.id } },
      { type: "approval", id: "r2", call: { name: "two", turnId: turn.id } },
    ]);
    pair.client.decide("r2", "once");
    await pair.server.waitFor(({ answers }) => answers.length === 1);
    expect(turn.pending).toMatchObject([{ id: "r1" }]);
    pair.client.decide("r1", false);
    await turn.result;
    expect(run).toEqual(["two"]);
    expect(answers(pair)).toMatchObject([
      { requestId: "r2" },
      { requestId: "r1", output: errorOutput(/^denied/) },
    ]);
  });

  test("gets an id of its own if an earlier prompt used the same id", async () => {
    await using pair = await original(asks("manual"), act());
    for (const expected of ["r1", "r1~2"]) {
      const turn = pair.client.prompt("go");
      const { id } = await approval(pair);
      expect(id).toBe(expected);
      pair.client.decide(id, true);
      await turn.result;
      expect(turn.toolCalls).toMatchObject([{ id: expected, state: "done" }]);
    }
    expect(answers(pair)).toMatchObject([{ requestId: "r1" }, { requestId: "r1" }]);
  });

  test("ignores a second decision, and `decide()` returns the first", async () => {
    const run: string[] = [];
    await using pair = await original(asks("manual", run), act());
    const turn = pair.client.prompt("go");
    await approval(pair);
    const first = pair.client.decide("r1", { decision: "reject", reason: "not today" });
    expect(first).toEqual({ decision: "reject", by: "reply", reason: "not today" });
    expect(pair.client.decide("r1", true)).toBe(first);
    await turn.result;
    expect(pair.client.decide("r1", true)).toBe(first);
    expect([run, pair.server.answers.length]).toEqual([[], 1]);
    expect(turn.toolCalls).toMatchObject([{ state: "denied", deniedBy: "user", reason: "not today" }]);
  });

  test("stays open after `decide()` with an unknown id or an invalid decision", async () => {
    await using pair = await original(asks("manual"), act());
    const turn = pair.client.prompt("go");
    await approval(pair);
    expect(() => pair.client.decide("r9", true)).toThrow(errorSaying("invalid-input", /"r9"/));
    expect(() => pair.client.decide("r1", "yes please" as never)).toThrow(
      errorSaying("invalid-input", /decision/),
    );
    expect(turn.pending).toHaveLength(1);
    pair.client.decide("r1", true);
    await turn.result;
  });

  test("is settled by a reply before its callback, whose signal aborts", async () => {
    const run: string[] = [];
    const aborted = gate();
    await using pair = await original(
      asks((_call, { signal }) => {
        signal.addEventListener("abort", () => aborted.open());
        return new Promise<never>(() => {});
      }, run),
      act(),
    );
    const turn = pair.client.prompt("go");
    pair.client.decide((await approval(pair)).id, true);
    await aborted.passed;
    await turn.result;
    expect(run).toEqual(["act"]);
  });

  test("reaches listeners with its turn, and late listeners while it is open", async () => {
    await using pair = await original(asks("manual"), act());
    const told: unknown[] = [];
    pair.client.on("approval", (call, turn) => told.push([call.id, turn]));
    const turn = pair.client.prompt("go");
    const onTurn: string[] = [];
    turn.on("approval", ({ id }) => onTurn.push(id));
    await approval(pair);
    expect([told, onTurn]).toEqual([[["r1", turn]], ["r1"]]);
    const late: unknown[] = [];
    pair.client.on("approval", (call, itsTurn) => late.push([call.id, itsTurn]));
    pair.client.on("question", ({ id }) => late.push(id));
    const removed = pair.client.on("approval", ({ id }) => late.push(id));
    removed();
    await once(pair.client, "approval");
    expect(late).toEqual([["r1", turn]]);
    const tooLate: string[] = [];
    pair.client.on("approval", ({ id }) => tooLate.push(id));
    pair.client.decide("r1", true);
    await turn.result;
    expect(tooLate).toEqual([]);
  });

  test("that one listener decides does not reach later listeners", async () => {
    await using pair = await original(asks("manual"), function* () {
      const two = yield* step.toolCall({ toolName: "two", input: {}, requestId: "r2", wait: false });
      const one = yield* step.toolCall({ toolName: "one", input: {}, requestId: "r1", wait: false });
      yield step.toolCall({ toolName: "three", input: {}, requestId: "r3" });
      yield step.answerTo(one);
      yield step.answerTo(two);
    });
    const next: string[] = [];
    const late: string[] = [];
    pair.client.on("approval", ({ id }) => {
      if (id === "r3") pair.client.decide("r3", true);
    });
    pair.client.on("approval", ({ id }) => next.push(id));
    const turn = pair.client.prompt("go");
    await pair.server.waitFor(({ answers }) => answers.length === 1);
    pair.client.on("approval", ({ id }) => {
      late.push(id);
      for (const { id } of turn.pending) pair.client.decide(id, true);
    });
    await turn.result;
    expect([next, late]).toEqual([["r2", "r1"], ["r2"]]);
  });

  test("for files belongs to the only running prompt, among its tool calls", async () => {
    await using pair = await original(asks("manual"), only(step.readFiles(["a.txt"], { requestId: "f1" })));
    const turn = pair.client.prompt("go");
    const told = new Promise<unknown[]>((resolve) => pair.client.on("approval", (...all) => resolve(all)));
    expect(await told).toEqual([
      expect.objectContaining({ id: "f1", name: "read_files", turnId: turn.id }),
      turn,
    ]);
    expect([turn.pending, pair.client.pending]).toMatchObject([[{ id: "f1" }], [{ id: "f1" }]]);
    expect(turn.toolCalls).toMatchObject([{ id: "f1", input: { filePaths: ["a.txt"] }, state: "awaiting" }]);
    pair.client.decide("f1", true);
    await turn.result;
    expect(turn.toolCalls).toMatchObject([{ name: "read_files", state: "done" }]);
    expect(answers(pair)).toMatchObject([{ files: { "a.txt": "text" } }]);
  });

  test("for files belongs to no turn if several prompts run", async () => {
    await using pair = await original(asks("manual"), only(step.readFiles(["a.txt"])));
    const told: unknown[][] = [];
    const both = new Promise<void>((resolve) => {
      pair.client.on("approval", (...all) => told.push(all) === 2 && resolve());
    });
    const turns = [pair.client.prompt("go"), pair.client.prompt("go")];
    await both;
    expect([told.map(({ length }) => length), turns.map(({ pending }) => pending)]).toEqual([
      [1, 1],
      [[], []],
    ]);
    for (const { id } of pair.client.pending) pair.client.decide(id, true);
    await Promise.all(turns.map(({ result }) => result));
    expect(turns.map(({ toolCalls }) => toolCalls)).toEqual([[], []]);
  });

  test("can be decided in a listener, before other listeners or the callback are called", async () => {
    const asked: string[] = [];
    await using pair = await original(
      asks((call) => {
        asked.push(call.id);
        return false;
      }),
      act(),
    );
    const turn = pair.client.prompt("go");
    const states = statesOf(turn);
    pair.client.on("approval", ({ id }) => asked.push(id));
    turn.on("approval", ({ id }) => pair.client.decide(id, "once"));
    await turn.result;
    expect(asked).toEqual([]);
    expect(states).toEqual(["requested", "awaiting", "approved", "running", "done"]);
    expect(turn.pending).toEqual([]);
  });

  test("can be decided in a `toolCall` listener, and `approval` listeners are not called", async () => {
    const asked: string[] = [];
    await using pair = await original(asks("manual"), act());
    const turn = pair.client.prompt("go");
    turn.on("approval", ({ id }) => asked.push(id));
    turn.on("toolCall", ({ id, state }) => {
      if (state === "awaiting") pair.client.decide(id, "once");
    });
    await turn.result;
    expect([asked, turn.pending]).toEqual([[], []]);
    expect(turn.toolCalls).toMatchObject([{ state: "done" }]);
  });
});
