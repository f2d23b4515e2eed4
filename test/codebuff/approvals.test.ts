import type { CodebuffClientOptions, Decision, ToolCall, ToolRule } from "agentwire/codebuff";
import { type Step, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { gate, once, type Pair, readyPair } from "../helpers/codebuff.ts";
import { ASK, answers, errorOutput, json, original, statesOf, TOKEN } from "../helpers/codebuff-requests.ts";

const CONFIG = { type: "stdio", command: "npx", args: ["srv"] } as const;
const search = { name: "search", inputSchema: { type: "object" } } as const;

/** Handlers for everything that a server may ask, which note that they ran. */
function handlers(run: string[]): Partial<CodebuffClientOptions> {
  return {
    tools: {
      act: () => json(run.push("act")),
      "*": ({ name }) => json(run.push(name)),
    },
    onMcpToolCall: ({ name }) => json(run.push(`mcp ${name}`)),
    onReadFiles: () => {
      run.push("files");
      return { "a.txt": "text" };
    },
    onMcpTools: () => {
      run.push("mcp list");
      return [search];
    },
  };
}

/** Every kind of request, by the name that rules give it. */
const kinds = [
  {
    kind: "a tool",
    name: "act",
    ask: step.toolCall({ toolName: "act", input: { a: 1 }, requestId: "r1" }),
    ran: "act",
    input: { a: 1 },
    denied: { output: errorOutput(/^denied/) },
  },
  {
    kind: 'a tool that "*" takes',
    name: "other",
    ask: step.toolCall({ toolName: "other", input: {}, requestId: "r1" }),
    ran: "other",
    input: {},
    denied: { output: errorOutput(/^denied/) },
  },
  {
    kind: "a tool of an MCP server",
    name: "search",
    ask: step.toolCall({ toolName: "search", input: { q: "x" }, requestId: "r1", mcpConfig: CONFIG }),
    ran: "mcp search",
    input: { q: "x" },
    denied: { output: errorOutput(/^denied/) },
  },
  {
    kind: "files",
    name: "read_files",
    ask: step.readFiles(["a.txt", "b.txt"], { requestId: "r1" }),
    ran: "files",
    input: { filePaths: ["a.txt", "b.txt"] },
    denied: { files: { "a.txt": null, "b.txt": null } },
  },
  {
    kind: "the tools of an MCP server",
    name: "mcp_tools",
    ask: step.requestMcpTools({ mcpConfig: CONFIG, toolNames: ["search"], requestId: "r1" }),
    ran: "mcp list",
    input: { mcpConfig: CONFIG, toolNames: ["search"] },
    denied: { tools: [] },
  },
] as const;

const only = (asked: Step) =>
  function* (): Iterable<Step> {
    yield asked;
  };

/** A prompt that asks for the tool `act` and goes on with its answer. */
const act = (id = "r1") => only(step.toolCall({ toolName: "act", input: {}, requestId: id }));

/** A prompt that asks for the tool `act` and never ends. */
const hanging = (timeout = 5_000) =>
  function* (): Iterable<Step> {
    yield step.toolCall({ toolName: "act", input: {}, requestId: "r1", timeout, wait: false });
    yield step.hang();
  };

/** The next call that waits for a decision. */
const approval = (pair: Pair): Promise<ToolCall> => once(pair.client, "approval");

/** The server's answers to the tool calls, as frames: also those that it does not take. */
const sent = ({ server }: Pair) =>
  server.frames.filter(({ raw, direction }) => direction === "c2s" && raw.includes('-response","requestId"'));

describe("a rule", () => {
  test.each(kinds)("that allows lets $kind through, whatever the callback would say", async (row) => {
    const run: string[] = [];
    const toolPolicy = [{ tool: row.name, then: "allow" }] as const;
    const onToolApproval = () => false;
    await using pair = await original({ ...handlers(run), toolPolicy, onToolApproval }, only(row.ask));
    await pair.client.prompt("go").result;
    expect(run).toEqual([row.ran]);
  });

  test.each(kinds)("that denies keeps $kind from its handler, and it is answered once", async (row) => {
    const run: string[] = [];
    const toolPolicy = [{ tool: row.name, then: "deny" }] as const;
    await using pair = await original({ ...handlers(run), toolPolicy }, only(row.ask));
    await pair.client.prompt("go").result;
    expect(run).toEqual([]);
    expect(answers(pair)).toMatchObject([{ requestId: "r1", ...row.denied, outcome: "taken" }]);
  });

  test.each(kinds)("that asks has somebody decide on $kind, who sees its name and input", async (row) => {
    const run: string[] = [];
    const asked: ToolCall[] = [];
    const onToolApproval = (call: ToolCall) => asked.push(call) > 0;
    await using pair = await original({ ...handlers(run), toolPolicy: ASK, onToolApproval }, only(row.ask));
    await pair.client.prompt("go").result;
    expect(asked).toMatchObject([{ id: "r1", name: row.name, input: row.input }]);
    expect(run).toEqual([row.ran]);
  });

  test.each(kinds)("that asks has $kind denied where somebody says no", async (row) => {
    const run: string[] = [];
    const onToolApproval = () => false;
    await using pair = await original({ ...handlers(run), toolPolicy: ASK, onToolApproval }, only(row.ask));
    await pair.client.prompt("go").result;
    expect(run).toEqual([]);
    expect(answers(pair)).toMatchObject([{ requestId: "r1", ...row.denied, outcome: "taken" }]);
  });

  test.each(kinds)("is not needed for $kind: a registered handler is leave enough", async (row) => {
    const run: string[] = [];
    const onToolApproval = () => Promise.reject(new Error("nobody asks"));
    await using pair = await original({ ...handlers(run), onToolApproval }, only(row.ask));
    await pair.client.prompt("go").result;
    expect(run).toEqual([row.ran]);
  });

  test.each(kinds)("that allows $kind makes no handler: it is refused, and nobody is asked", async (row) => {
    let asked = 0;
    const onToolApproval = () => ++asked > 0;
    await using pair = await original({ toolPolicy: ASK, onToolApproval }, only(row.ask));
    const warning = once(pair.client, "protocolWarning", ({ kind }) => kind === "unhandled-request");
    await pair.client.prompt("go").result;
    await warning;
    expect([asked, pair.server.answers.length]).toEqual([0, 1]);
  });

  test("may look at the input, and says why it was denied", async () => {
    const run: string[] = [];
    const toolPolicy: readonly ToolRule[] = [
      { tool: "act", when: ({ input }) => JSON.stringify(input).includes("rm"), then: "deny" },
    ];
    await using pair = await original({ ...handlers(run), toolPolicy }, function* () {
      yield step.toolCall({ toolName: "act", input: { command: "rm -r" } });
      yield step.toolCall({ toolName: "act", input: { command: "ls" } });
    });
    const turn = pair.client.prompt("go");
    await turn.result;
    expect(answers(pair)).toMatchObject([{ output: errorOutput(/^denied by `toolPolicy`$/) }, {}]);
    expect(turn.toolCalls).toMatchObject([
      { state: "denied", deniedBy: "policy", reason: "denied by `toolPolicy`" },
      { state: "done" },
    ]);
    expect(run).toEqual(["act"]);
  });

  test("that asks when nobody is there to decide denies, and one warning names the options", async () => {
    const run: string[] = [];
    await using pair = await original({ ...handlers(run), toolPolicy: ASK }, function* () {
      yield step.toolCall({ toolName: "act", input: {} });
      yield step.toolCall({ toolName: "act", input: {} });
    });
    const told: string[] = [];
    pair.client.on("protocolWarning", ({ kind, message }) => told.push(`${kind}: ${message}`));
    await pair.client.prompt("go").result;
    expect(run).toEqual([]);
    expect(answers(pair)).toMatchObject([
      { output: errorOutput(/^denied: nobody is there/) },
      { output: errorOutput(/^denied: nobody is there/) },
    ]);
    expect(told).toEqual([expect.stringMatching(/^tool-denied: .*`onToolApproval`/)]);
  });
});

describe.each(["proxy", "codebuff"] as const)("on %s", (profile) => {
  const withProfile = (client: Partial<CodebuffClientOptions>, answer: () => Iterable<Step>) =>
    readyPair({
      mock: { profile, answer, idRelease: { idle: 0, midPrompt: 0 } },
      client: { keepalive: false, ...client },
    });

  test("an approved call is run, and a denied one is not, each with one answer", async () => {
    const run: string[] = [];
    await using pair = await withProfile(
      { ...handlers(run), toolPolicy: ASK, onToolApproval: ({ name }) => name === "act" },
      function* () {
        yield step.toolCall({ toolName: "act", input: {}, requestId: "r1" });
        yield step.toolCall({ toolName: "other", input: {}, requestId: "r2" });
        yield "done";
      },
    );
    const turn = pair.client.prompt("go");
    expect((await turn.result).text).toBe("done");
    await pair.server.waitFor(() => sent(pair).length === 2);
    await pair.client.subscribe(["a"]); // whatever was sent before has arrived
    expect(run).toEqual(["act"]);
    const ids = sent(pair).map(({ raw }) => JSON.parse(raw).data.requestId);
    // The proxy refuses every answer, and a denial is not repeated.
    expect(ids.toSorted()).toEqual(["r1", "r2"]);
  });

  test("a lost link withdraws what is open, and the next link hears nothing of it", async () => {
    const run: string[] = [];
    await using pair = await withProfile(
      { ...handlers(run), toolPolicy: ASK, onToolApproval: "manual" },
      hanging(),
    );
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
    expect(pair.client.reply(id, true)).toMatchObject({ decision: "reject", by: "disconnected" });
    await pair.client.subscribe(["a"]);
    expect([run, sent(pair)]).toEqual([[], []]);
  });
});

describe("an approval", () => {
  const asks = (
    onToolApproval: NonNullable<CodebuffClientOptions["onToolApproval"]>,
    run: string[] = [],
  ) => ({
    ...handlers(run),
    toolPolicy: ASK,
    onToolApproval,
  });

  test("is shown by its turn from the request to the output", async () => {
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
      title: "a promise of no",
      decision: () => Promise.resolve("reject"),
      error: /^denied by the user$/,
      shown: { deniedBy: "user" },
    },
    {
      title: "a reason",
      decision: () => ({ decision: "reject", reason: "too risky" }),
      error: /^denied by the user: too risky$/,
      shown: { deniedBy: "user", reason: "too risky" },
    },
    {
      title: "a reason that begins as the answer would",
      decision: () => ({ decision: "reject", reason: "Denied, as always" }),
      error: /^Denied, as always$/,
      shown: { deniedBy: "user", reason: "Denied, as always" },
    },
    {
      title: "a throw",
      decision: () => {
        throw new Error("no window");
      },
      error: /^denied: `onToolApproval` failed$/,
      shown: { deniedBy: "policy", reason: "`onToolApproval` failed" },
    },
    {
      title: "what is no decision",
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
      title: "a novel",
      decision: () => ({ decision: "reject", reason: "x".repeat(100_000) }),
      error: /^denied by the user: x{8192}$/,
      shown: { deniedBy: "user" },
    },
  ];

  test.each(denials)("that is answered with $title denies, and the agent hears why", async (row) => {
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

  test("by `always` holds for the tool, for this session, and for no other tool", async () => {
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

  test("by `always` holds for the tool of one MCP server, not for one of that name elsewhere, nor here", async () => {
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

  test("that is denied by a rule cannot be had by an earlier `always`", async () => {
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

  test("several at once are decided in any order, and none waits for another", async () => {
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
    pair.client.reply("r2", "once");
    await pair.server.waitFor(({ answers }) => answers.length === 1);
    expect(turn.pending).toMatchObject([{ id: "r1" }]);
    pair.client.reply("r1", false);
    await turn.result;
    expect(run).toEqual(["two"]);
    expect(answers(pair)).toMatchObject([
      { requestId: "r2" },
      { requestId: "r1", output: errorOutput(/^denied/) },
    ]);
  });

  test("the same id of another prompt is another request", async () => {
    await using pair = await original(asks("manual"), act());
    for (const expected of ["r1", "r1~2"]) {
      const turn = pair.client.prompt("go");
      const { id } = await approval(pair);
      expect(id).toBe(expected);
      pair.client.reply(id, true);
      await turn.result;
      expect(turn.toolCalls).toMatchObject([{ id: expected, state: "done" }]);
    }
    expect(answers(pair)).toMatchObject([{ requestId: "r1" }, { requestId: "r1" }]);
  });

  test("a second reply changes nothing and sends nothing: it is told how the first decided", async () => {
    const run: string[] = [];
    await using pair = await original(asks("manual", run), act());
    const turn = pair.client.prompt("go");
    await approval(pair);
    const first = pair.client.reply("r1", { decision: "reject", reason: "not today" });
    expect(first).toEqual({ decision: "reject", by: "reply", reason: "not today" });
    expect(pair.client.reply("r1", true)).toBe(first);
    await turn.result;
    expect(pair.client.reply("r1", true)).toBe(first);
    expect([run, pair.server.answers.length]).toEqual([[], 1]);
  });

  test("a reply to what was never asked, or with what is no decision, is refused and decides nothing", async () => {
    await using pair = await original(asks("manual"), act());
    const turn = pair.client.prompt("go");
    await approval(pair);
    expect(() => pair.client.reply("r9", true)).toThrow(/^invalid-input: .*"r9"/);
    expect(() => pair.client.reply("r1", "yes please")).toThrow(/^invalid-input: .*decision/);
    expect(turn.pending).toHaveLength(1);
    pair.client.reply("r1", true);
    await turn.result;
  });

  test("a reply wins over the callback, whose signal is aborted", async () => {
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
    pair.client.reply((await approval(pair)).id, true);
    await aborted.passed;
    await turn.result;
    expect(run).toEqual(["act"]);
  });

  test("is told with its turn, and to late listeners as long as it is open", async () => {
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
    pair.client.reply("r1", true);
    await turn.result;
    expect(tooLate).toEqual([]);
  });

  test("of files names no turn", async () => {
    await using pair = await original(asks("manual"), only(step.readFiles(["a.txt"], { requestId: "f1" })));
    const turn = pair.client.prompt("go");
    const told = new Promise<unknown[]>((resolve) => pair.client.on("approval", (...all) => resolve(all)));
    expect(await told).toMatchObject([{ id: "f1", name: "read_files" }]);
    expect(await told).toHaveLength(1);
    expect(turn.pending).toEqual([]);
    pair.client.reply("f1", true);
    await turn.result;
    expect(answers(pair)).toMatchObject([{ files: { "a.txt": "text" } }]);
  });

  test("that nobody gives within `approvalTimeout` is a denial", async () => {
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

  test("counts against the time that the server gives: when it is over, the call has failed and nobody is asked", async () => {
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
    expect(pair.client.reply("r1", true)).toMatchObject({ decision: "reject", by: "timeout" });
    await pair.server.waitFor(({ answers }) => answers.length === 1);
    expect(answers(pair)).toMatchObject([{ output: errorOutput(/nobody decided/), outcome: "taken" }]);
    expect(run).toEqual([]);
  });

  test("leaves the handler what is left of that time", async () => {
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
    pair.client.reply("r1", true);
    await running.passed;
    await pair.clock.advance(999);
    expect(turn.toolCalls).toMatchObject([{ state: "running" }]);
    await pair.clock.advance(1);
    expect(turn.toolCalls).toMatchObject([
      { state: "failed", error: expect.stringMatching(/handler of the tool `act` did not answer/) },
    ]);
  });

  test("has the idle limit of its turn stand still, and go on with the answer", async () => {
    await using pair = await original(asks("manual"), hanging(-1));
    const turn = pair.client.prompt("go", { idleTimeout: 60_000 });
    await approval(pair);
    await pair.clock.advance(3_600_000);
    expect(turn.status).toBe("streaming");
    pair.client.reply("r1", false);
    await pair.server.waitFor(({ answers }) => answers.length === 1);
    await pair.clock.advance(60_000);
    expect(await turn.outcome).toMatchObject({ error: { code: "turn-timeout", kind: "idle" } });
  });

  test("is withdrawn when its turn is cancelled, before anybody sees the turn end", async () => {
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
    expect(pair.client.reply("r1", true)).toMatchObject({ decision: "reject", by: "cancelled" });
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
    expect(pair.client.reply("r1", true)).toMatchObject({ decision: "reject", by: "ended" });
  });

  test("is withdrawn when the client is closed by force", async () => {
    await using pair = await original(asks("manual"), hanging());
    const turn = pair.client.prompt("go");
    await approval(pair);
    await pair.client.close({ force: true });
    expect(await turn.outcome).toMatchObject({ partial: { toolCalls: [{ state: "abandoned" }] } });
    expect(pair.client.reply("r1", true)).toMatchObject({ by: "disconnected" });
    expect(pair.clock.pending).toBe(0);
  });

  test("stays open behind a prompt that has completed: its agents may go on", async () => {
    const run: string[] = [];
    await using pair = await original(asks("manual", run), function* () {
      yield step.toolCall({ toolName: "act", input: {}, requestId: "r1", wait: false });
      yield "done";
    });
    const turn = pair.client.prompt("go");
    await turn.result;
    expect([turn.pending.length, turn.toolCalls[0]?.state]).toEqual([1, "awaiting"]);
    pair.client.reply("r1", true);
    await pair.server.waitFor(({ answers }) => answers.length === 1);
    expect(turn.toolCalls).toMatchObject([{ state: "done", output: json(1) }]);
    expect(turn.pending).toEqual([]);
    expect(run).toEqual(["act"]);
  });

  test("may be given by a listener at once, also before anybody else is asked", async () => {
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
    turn.on("approval", ({ id }) => pair.client.reply(id, "once"));
    await turn.result;
    expect(asked).toEqual([]);
    expect(states).toEqual(["requested", "awaiting", "approved", "running", "done"]);
    expect(turn.pending).toEqual([]);
  });

  test("may be given by who hears that a call awaits one, and then nobody is asked", async () => {
    const asked: string[] = [];
    await using pair = await original(asks("manual"), act());
    const turn = pair.client.prompt("go");
    turn.on("approval", ({ id }) => asked.push(id));
    turn.on("toolCall", ({ id, state }) => {
      if (state === "awaiting") pair.client.reply(id, "once");
    });
    await turn.result;
    expect([asked, turn.pending]).toEqual([[], []]);
    expect(turn.toolCalls).toMatchObject([{ state: "done" }]);
  });

  test.each(["requested", "awaiting", "approved", "running"] as const)(
    "a listener that cancels the turn of a call that is %s stops it there, and it is answered once",
    async (when) => {
      const run: string[] = [];
      await using pair = await original(asks("manual", run), act());
      const turn = pair.client.prompt("go");
      pair.client.on("approval", ({ id }) => pair.client.reply(id, true));
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

  test("a listener that cancels the turn when it is asked withdraws the request for good", async () => {
    let signalled = false;
    await using pair = await original(
      asks((_call, { signal }) => {
        signal.addEventListener("abort", () => {
          signalled = true;
        });
        return new Promise<never>(() => {});
      }),
      act(),
    );
    const turn = pair.client.prompt("go");
    turn.on("approval", () => void turn.cancel());
    await turn.outcome;
    await pair.server.waitFor(({ answers }) => answers.length === 1);
    expect(pair.client.reply("r1", true)).toMatchObject({ by: "cancelled" });
    expect([turn.pending, signalled]).toEqual([[], true]);
  });

  test("leaves no timer and nothing open behind, however it ended", async () => {
    await using pair = await original({ ...asks("manual"), approvalTimeout: 60_000 }, function* () {
      for (const name of ["one", "two", "three"])
        yield* step.toolCall({ toolName: name, input: {}, wait: false });
      yield step.hang();
    });
    const turn = pair.client.prompt("go");
    pair.client.on("approval", ({ id, name }) => {
      if (name !== "three") pair.client.reply(id, name === "one");
    });
    await once(pair.client, "approval", ({ name }) => name === "three");
    await turn.cancel();
    await pair.client.close({ force: true });
    expect(pair.clock.pending).toBe(0);
  });
});

describe("a tool call that does not come to an approval", () => {
  const refused = [
    {
      title: "without a handler has failed",
      client: {},
      shown: { state: "failed", error: expect.stringMatching(/no handler is registered for the tool "act"/) },
    },
    {
      title: "whose handler throws has failed, without credentials",
      client: {
        tools: {
          act: () => {
            throw new Error(`no ${TOKEN}`);
          },
        },
      },
      shown: { state: "failed", error: "no [redacted]" },
    },
    {
      title: "that a handler runs without a rule is done",
      client: { tools: { act: () => json("ok") } },
      shown: { state: "done", output: json("ok") },
    },
  ];

  test.each(refused)("$title", async ({ client, shown }) => {
    await using pair = await original(client, act());
    const turn = pair.client.prompt("go");
    await turn.result;
    expect(turn.toolCalls).toEqual([expect.objectContaining({ id: "r1", name: "act", ...shown })]);
  });

  test("because a hundred others run is denied", async () => {
    const done = gate();
    await using pair = await original(
      {
        tools: {
          act: async () => {
            await done.passed;
            return json(1);
          },
        },
      },
      function* () {
        for (let at = 1; at <= 101; at++)
          yield step.toolCall({ toolName: "act", input: {}, requestId: `r${at}`, wait: false });
        yield step.answerTo("r101");
        done.open();
        yield step.answerTo("r100");
      },
    );
    const turn = pair.client.prompt("go");
    await turn.result;
    expect(turn.toolCalls).toHaveLength(101);
    expect(turn.toolCalls.at(-1)).toMatchObject({
      state: "denied",
      deniedBy: "policy",
      reason: expect.stringMatching(/100 requests at once/),
    });
  });

  test("is another call where one of its id was refused in the same turn", async () => {
    await using pair = await original({ tools: { act: () => json(1) } }, function* () {
      yield step.toolCall({ toolName: "missing", input: {}, requestId: "r1" });
      yield step.toolCall({ toolName: "act", input: {}, requestId: "r1" });
    });
    const turn = pair.client.prompt("go");
    await turn.result;
    expect(turn.toolCalls).toMatchObject([
      { id: "r1", name: "missing", state: "failed" },
      { id: "r1~2", name: "act", state: "done" },
    ]);
  });
});

describe("an option of the gate that cannot work is refused by name", () => {
  const bad: readonly (readonly [string, unknown])[] = [
    ["toolPolicy", {}],
    ["toolPolicy", ["act"]],
    ["toolPolicy", [{ tool: "act" }]],
    ["toolPolicy", [{ then: "allow" }]],
    ["toolPolicy", [{ tool: "act", then: "never" }]],
    ["toolPolicy", [{ tool: "act", when: "always", then: "deny" }]],
    ["toolPolicy", [{ tool: 5, then: "deny" }]],
    ["toolPolicy", [{ tool: " ", then: "deny" }]],
    ["toolPolicy", [{ tool: "*", then: "deny" }]],
    ["toolPolicy", [{ tool: "mcp_*", then: "deny" }]],
    ["onToolApproval", "auto"],
    ["onToolApproval", true],
    ["onQuestion", "auto"],
    ["onQuestion", {}],
    ["approvalTimeout", -1],
    ["approvalTimeout", "5 min"],
    ["approvalTimeout", Infinity],
  ];

  test.each(bad)("%s: %j", async (option, value) => {
    await expect(original({ [option]: value }, () => [])).rejects.toMatchObject({
      code: "invalid-input",
      message: expect.stringContaining(`option \`${option}\``),
    });
  });
});
