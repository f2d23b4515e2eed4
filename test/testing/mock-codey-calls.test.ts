import {
  type CodeyCall,
  type CodeyCallOutcome,
  codeyStep,
  codeyTool,
  type MockCodeyOptions,
  MockCodeyServer,
} from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { gate } from "../helpers/codebuff.ts";
import { kinds, RawCodey, type Said } from "./mock-codey-raw-client.ts";

type Profile = NonNullable<MockCodeyOptions["profile"]>;

interface Row {
  readonly title: string;
  readonly call: CodeyCall;
  /** What the client says when it is asked. */
  readonly decision?: boolean;
  readonly [profile: string]: unknown;
  readonly real: readonly string[];
  readonly documented: readonly string[];
}

const file = (more: Partial<CodeyCall> = {}): CodeyCall => codeyTool.readFile("a.txt", "alpha", more);
const background = true;

/** What follows a `ToolRequest` with one call. A: asks, S: started, D: a piece, C: completed, E: failed. */
const SEQUENCES: readonly Row[] = [
  {
    title: "foreground, the client approves",
    call: file(),
    decision: true,
    real: ["A", "C alpha"],
    documented: ["A", "S", "D alp", "D ha", "C alpha"],
  },
  {
    title: "foreground, the client approves, the call fails",
    call: file({ result: { error: "File not found: a.txt" } }),
    decision: true,
    real: ["A", "E File not found: a.txt"],
    documented: ["A", "S", "E File not found: a.txt"],
  },
  {
    title: "foreground, the client denies",
    call: file(),
    decision: false,
    real: ["A", "E Denied by user"],
    documented: ["A", "E Denied by user"],
  },
  {
    title: "foreground, the filter allows",
    call: file({ filter: "allow" }),
    real: ["S", "C alpha"],
    documented: ["S", "D alp", "D ha", "C alpha"],
  },
  {
    title: "foreground, the filter allows, the call fails",
    call: file({ filter: "allow", result: { error: "no" } }),
    real: ["S", "E no"],
    documented: ["S", "E no"],
  },
  {
    title: "foreground, the filter denies",
    call: file({ filter: "deny" }),
    real: ["E Denied by user"],
    documented: ["E Denied by user"],
  },
  {
    title: "background, the filter denies",
    call: file({ filter: "deny", background }),
    real: ["E Denied by user"],
    documented: ["E Denied by user"],
  },
  {
    title: "foreground, fails before the client is asked",
    call: file({ result: { invalid: "Invalid params: path" } }),
    real: ["E Invalid params: path"],
    documented: ["E Invalid params: path"],
  },
  {
    title: "background, the client approves",
    call: file({ background }),
    decision: true,
    real: ["A", "S", "C alpha"],
    documented: ["A", "S", "D alp", "D ha", "C alpha"],
  },
  {
    title: "background, the client approves, the call fails",
    call: file({ background, result: { error: "no" } }),
    decision: true,
    real: ["A", "S", "C no"],
    documented: ["A", "S", "E no"],
  },
  {
    title: "background, the client denies",
    call: file({ background }),
    decision: false,
    real: ["A", "E Denied by user"],
    documented: ["A", "E Denied by user"],
  },
  {
    title: "background, the filter allows",
    call: file({ background, filter: "allow" }),
    real: ["S", "S", "C alpha"],
    documented: ["S", "D alp", "D ha", "C alpha"],
  },
  {
    title: "background, the filter allows, the call fails",
    call: file({ background, filter: "allow", result: { error: "no" } }),
    real: ["S", "S", "C no"],
    documented: ["S", "E no"],
  },
  {
    title: "background, fails before the client is asked",
    call: file({ background, result: { invalid: "Invalid params: path" } }),
    real: ["C Invalid params: path"],
    documented: ["E Invalid params: path"],
  },
];

const LETTERS: { readonly [type: string]: (message: Said) => string } = {
  ToolAwaitingApproval: () => "A",
  ToolStarted: () => "S",
  ToolDelta: ({ content }) => `D ${content}`,
  ToolCompleted: ({ content }) => `C ${content}`,
  ToolError: ({ error }) => `E ${error}`,
};

function letters(messages: readonly Said[]): readonly string[] {
  return messages.map((message) => LETTERS[message.type]?.(message) ?? message.type);
}

const PROFILES: readonly Profile[] = ["real", "documented"];

describe.each(PROFILES)("the frames after a ToolRequest, on the profile %s", (profile) => {
  test.each(SEQUENCES)("$title", async ({ call, decision, ...row }) => {
    await using server = await MockCodeyServer.start({ profile, answer: () => [codeyStep.calls(call)] });
    using client = await RawCodey.connected(server);
    client.send("go");
    const said: Said[] = [...(await client.until("ToolRequest"))];
    if (decision !== undefined) {
      said.push(...(await client.until("ToolAwaitingApproval")));
      expect(await client.barrier()).toEqual([]);
      client.decide("toolu_1", decision);
    }
    said.push(...(await client.until("Finished")));
    expect(letters(said)).toEqual(["ToolRequest", ...row[profile], "Finished"]);
    expect(await client.barrier()).toEqual([]);
    expect(server.violations).toEqual([]);
  });

  test("ask about foreground calls one after another, also after a denial", async () => {
    await using server = await MockCodeyServer.start({
      profile,
      toolDeltas: "none",
      startedAfterApproval: false,
      answer: () => [codeyStep.calls(file(), file(), file({ result: { error: "no" } }))],
    });
    using client = await RawCodey.connected(server);
    client.send("go");
    expect(kinds(await client.until("ToolAwaitingApproval"))).toEqual(["ToolRequest", "A toolu_1"]);
    expect(await client.barrier()).toEqual([]);
    client.decide("toolu_1", false);
    expect(kinds(await client.until("ToolAwaitingApproval"))).toEqual(["E toolu_1", "A toolu_2"]);
    expect(await client.barrier()).toEqual([]);
    client.decide("toolu_2", true);
    expect(kinds(await client.until("ToolAwaitingApproval"))).toEqual(["C toolu_2", "A toolu_3"]);
    client.decide("toolu_3", true);
    expect(kinds(await client.until("Finished"))).toEqual(["E toolu_3", "Finished"]);
  });

  test("start background calls at once, and accept their decisions in any order", async () => {
    await using server = await MockCodeyServer.start({
      profile,
      toolDeltas: "none",
      startedAfterApproval: false,
      answer: () => [codeyStep.calls(file(), file({ background }), file(), file({ background })), "done"],
    });
    using client = await RawCodey.connected(server);
    client.send("go");
    await client.until("ToolRequest");
    const asked = await client.barrier();
    expect(kinds(asked).toSorted()).toEqual(["A toolu_1", "A toolu_2", "A toolu_4"]);
    client.decide("toolu_4", true);
    expect(kinds(await client.until("ToolCompleted"))).toEqual(["S toolu_4", "C toolu_4"]);
    client.decide("toolu_1", true);
    expect(kinds(await client.until("ToolAwaitingApproval"))).toEqual(["C toolu_1", "A toolu_3"]);
    client.decide("toolu_3", true);
    expect(kinds(await client.until("ToolCompleted"))).toEqual(["C toolu_3"]);
    expect(await client.barrier()).toEqual([]); // the turn waits for the one in the background
    client.decide("toolu_2", false);
    expect(kinds(await client.until("Finished"))).toEqual(["E toolu_2", '"done"', "Finished"]);
  });

  test.each([
    { title: "unknown", callId: "toolu_9", kind: "decision-unknown", outcome: "unknown" },
    { title: "not yet asked about", callId: "toolu_2", kind: "decision-early", outcome: "early" },
    { title: "decided already", callId: "toolu_0", kind: "decision-repeated", outcome: "repeated" },
    { title: "allowed by the filter", callId: "toolu_a", kind: "decision-late", outcome: "late" },
    { title: "denied by the filter", callId: "toolu_d", kind: "decision-late", outcome: "late" },
  ])(
    "stay the same after a decision for a call that is $title, which is a violation",
    async ({ callId, kind, outcome }) => {
      const running = gate();
      await using server = await MockCodeyServer.start({
        profile,
        backgroundOrder: "calls",
        answer: () => [
          codeyStep.calls(
            file({ callId: "toolu_a", background, filter: "allow", result: { hangs: true } }),
            file({ callId: "toolu_d", background, filter: "deny" }),
            file({ callId: "toolu_0", result: () => running.passed.then(() => "") }),
            file({ callId: "toolu_2" }),
          ),
        ],
      });
      using client = await RawCodey.connected(server);
      client.send("go");
      await client.until("ToolAwaitingApproval");
      client.decide("toolu_0", true);
      await client.barrier();
      client.decide(callId, false);
      expect(await client.barrier()).toEqual([]);
      expect(server.decisions.map((decision) => decision.outcome)).toEqual(["taken", outcome]);
      expect(server.violations).toMatchObject([{ kind, detail: callId }]);
      running.open();
      expect(kinds(await client.until("ToolAwaitingApproval"))).toContain("A toolu_2");
    },
  );
});

describe("a call", () => {
  test("returns its outcome to the script", async () => {
    const outcomes: (readonly CodeyCallOutcome[])[] = [];
    await using server = await MockCodeyServer.start({
      *answer() {
        outcomes.push(yield* codeyStep.calls(file(), file({ filter: "deny" })));
        outcomes.push(yield* codeyStep.calls(file({ filter: "allow", result: { error: "no" } })));
      },
    });
    using client = await RawCodey.connected(server);
    client.send("go");
    await client.until("ToolAwaitingApproval");
    client.decide("toolu_1", true);
    await client.until("Finished");
    expect(outcomes).toEqual([
      [
        { callId: "toolu_1", state: "completed", content: "alpha" },
        { callId: "toolu_2", state: "denied", content: "Denied by user" },
      ],
      [{ callId: "toolu_3", state: "failed", content: "no" }],
    ]);
  });

  test.each([
    { result: () => "now", says: "C now" },
    { result: () => Promise.resolve("later"), says: "C later" },
    { result: () => Promise.reject(new Error("it broke")), says: "E it broke" },
    {
      result: () => {
        throw "no error at all";
      },
      says: "E no error at all",
    },
  ])("uses the result of a function: $says", async ({ result, says }) => {
    await using server = await MockCodeyServer.start({
      answer: () => [codeyStep.calls(file({ filter: "allow", result }))],
    });
    using client = await RawCodey.connected(server);
    client.send("go");
    expect(letters(await client.until("Finished")).at(-2)).toBe(says);
  });

  test.each([
    ["mcp_shell", "C (no output)", true],
    ["mcp_read_file", "C ", true],
    ["mcp_write_file", "E Delegation not supported over WebSocket", false],
    ["mcp_edit_file", "E Delegation not supported over WebSocket", false],
    ["mcp_open_file", "E Delegation not supported over WebSocket", true],
    ["mcp_spawn_agent", "E Agent context not initialized", true],
  ])("of %s without a scripted result ends like on the real server: %s", async (name, ending, asks) => {
    await using server = await MockCodeyServer.start({ answer: () => [codeyStep.calls({ name })] });
    using client = await RawCodey.connected(server);
    client.send("go");
    await client.until("ToolRequest");
    if (asks) {
      await client.until("ToolAwaitingApproval");
      client.decide("toolu_1", true);
    }
    expect(letters(await client.until("Finished"))).toEqual([ending, "Finished"]);
  });

  test("has params with sorted keys and without `background`", async () => {
    const params = {
      z: 1,
      10: { b: [{ d: 1, c: null }], a: "" },
      9: 0,
      background: true,
    };
    await using server = await MockCodeyServer.start({
      answer: () => [
        codeyStep.calls(
          { name: "mcp_shell", params },
          { name: "mcp_shell", params: { background: "yes" } },
          { name: "mcp_shell", params: null },
          { name: "mcp_shell", params: [1, { b: 1, a: 2 }] },
          { name: "mcp_shell" },
        ),
      ],
    });
    using client = await RawCodey.connected(server);
    client.send("go");
    const request = await client.raw.next();
    const calls = [...request.matchAll(/"params":(.+?),"background":(true|false)\}/g)];
    expect(calls.map(([, json, flag]) => [json, flag])).toEqual([
      ['{"10":{"a":"","b":[{"c":null,"d":1}]},"9":0,"z":1}', "true"],
      ["{}", "false"],
      ["null", "false"],
      ['[1,{"a":2,"b":1}]', "false"],
      ["{}", "false"],
    ]);
  });
});
