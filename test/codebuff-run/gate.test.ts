import type { CodebuffRunOptions } from "agentwire/codebuff-run";
import { describe, expect, test } from "vitest";
import { agentWith, json, read, runWorld } from "./world.ts";

// The gate before each tool, and questions to the user.

/** A model that calls `glob` twice, and what came of the calls. */
const gated = (options: CodebuffRunOptions) => {
  const ran: unknown[] = [];
  const glob = ({ input }: { input: { readonly pattern?: unknown } }) => {
    ran.push(input.pattern);
    return json({ files: [] });
  };
  const call = (pattern: string) => ({ toolCalls: [{ name: "glob", arguments: { pattern } }] });
  const world = runWorld(
    { answer: [call("a"), call("b"), "Done"] },
    { agent: agentWith("glob"), overrideTools: { glob }, ...options },
  );
  return world.then((at) => Object.assign(at, { ran }));
};

interface Row {
  readonly name: string;
  readonly options: CodebuffRunOptions;
  readonly ran: readonly string[];
  readonly states: readonly string[];
  readonly told?: readonly (string | undefined)[];
}

test.each<Row>([
  { name: "a registered handler is consent", options: {}, ran: ["a", "b"], states: ["done", "done"] },
  {
    name: "a policy allows",
    options: { toolPolicy: [{ tool: "glob", then: "allow" }] },
    ran: ["a", "b"],
    states: ["done", "done"],
  },
  {
    name: "a policy denies",
    options: { toolPolicy: [{ tool: "glob", then: "deny" }] },
    ran: [],
    states: ["denied policy", "denied policy"],
    told: ["denied by `toolPolicy`"],
  },
  {
    name: "a policy denies by input",
    options: {
      toolPolicy: [
        { tool: "glob", when: ({ input }) => (input as { pattern: string }).pattern === "a", then: "deny" },
        { tool: /./, then: "allow" },
      ],
    },
    ran: ["b"],
    states: ["denied policy", "done"],
  },
  {
    name: "with a policy, a handler is no consent",
    options: { toolPolicy: [] },
    ran: [],
    states: ["denied policy", "denied policy"],
    told: ["denied: nobody is there to approve it"],
  },
  {
    name: "the user allows",
    options: { onToolApproval: () => true },
    ran: ["a", "b"],
    states: ["done", "done"],
  },
  {
    name: "the user denies, with a reason",
    options: { onToolApproval: () => ({ decision: "reject", reason: "not today" }) },
    ran: [],
    states: ["denied user", "denied user"],
    told: ["denied by the user: not today"],
  },
  {
    name: "a callback that throws denies",
    options: {
      onToolApproval: () => {
        throw new Error("x");
      },
    },
    ran: [],
    states: ["denied policy", "denied policy"],
  },
  {
    name: "a callback that returns nonsense denies",
    options: { onToolApproval: () => "yes" as never },
    ran: [],
    states: ["denied policy", "denied policy"],
  },
])("$name", async ({ options, ran, states, told }) => {
  await using at = await gated(options);
  const turn = at.client.prompt("hi");
  const events = await read(turn);
  const result = await turn.result;
  expect(at.ran).toEqual(ran);
  expect(result.toolCalls.map(({ state, deniedBy = "" }) => `${state} ${deniedBy}`.trim())).toEqual(states);
  expect(result.text).toBe("Done");
  if (!told) return;
  const outputs = events.flatMap((event) => (event.type === "tool_result" ? [event.output[0]] : []));
  expect(outputs[0]).toEqual({ type: "json", value: { errorMessage: told[0] } });
});

test("after the decision `always`, the client does not ask again", async () => {
  let asked = 0;
  await using at = await gated({
    onToolApproval: () => {
      asked++;
      return "always";
    },
  });
  await at.client.prompt("hi").result;
  expect([asked, at.ran.length]).toEqual([1, 2]);
});

describe("manual approval", () => {
  test("waits for `decide()` and shows the call as `awaiting`", async () => {
    await using at = await gated({ onToolApproval: "manual" });
    const states: string[] = [];
    const turn = at.client.prompt("hi");
    turn.on("toolCall", ({ state }) => states.push(state));
    turn.on(
      "approval",
      ({ id, input }) => void at.client.decide(id, (input as { pattern: string }).pattern === "a"),
    );
    const result = await turn.result;
    expect(at.ran).toEqual(["a"]);
    expect(states).toEqual([
      "requested",
      "awaiting",
      "approved",
      "running",
      "done",
      "requested",
      "awaiting",
      "denied",
    ]);
    expect(result.toolCalls[1]).toMatchObject({ state: "denied", deniedBy: "user" });
  });

  test("ignores a second decision", async () => {
    await using at = await gated({ onToolApproval: "manual" });
    const rulings: unknown[] = [];
    at.client.on("approval", ({ id }) =>
      rulings.push(at.client.decide(id, false), at.client.decide(id, true)),
    );
    await at.client.prompt("hi").result;
    expect(rulings).toMatchObject([
      { decision: "reject" },
      { decision: "reject" },
      { decision: "reject" },
      { decision: "reject" },
    ]);
    expect(at.ran).toEqual([]);
  });

  test("denies the call if nobody decides within `approvalTimeout`", async () => {
    await using at = await gated({ onToolApproval: "manual", approvalTimeout: 333 });
    const turn = at.client.prompt("hi");
    await at.pass(333);
    await at.pass(333);
    expect(await turn.result).toMatchObject({
      text: "Done",
      toolCalls: [{ state: "denied" }, { state: "denied" }],
    });
  });

  test("does not count the wait for the user towards `idleTimeout`", async () => {
    await using at = await gated({ onToolApproval: "manual" });
    const asked = new Promise<string>((resolve) => at.client.on("approval", ({ id }) => resolve(id)));
    const turn = at.client.prompt("hi", { idleTimeout: 1_000 });
    const id = await asked;
    await at.clock.advance(3_600_000);
    expect(turn.pending).toHaveLength(1);
    at.client.decide(id, true);
    at.client.on("approval", (call) => void at.client.decide(call.id, true));
    expect((await turn.result).text).toBe("Done");
  });
});

describe("a question to the user", () => {
  const question = {
    question: "Which?",
    header: "Colour",
    options: [{ label: "red" }, { label: "blue", description: "cold" }],
  };
  const asking = (options: CodebuffRunOptions) =>
    runWorld(
      { answer: [{ toolCalls: [{ name: "ask_user", arguments: { questions: [question] } }] }, "Done"] },
      { agent: agentWith("ask_user"), ...options },
    );

  test.each([
    ["an option", "blue", { answers: [{ questionIndex: 0, selectedOption: "blue" }] }],
    ["words", "green", { answers: [{ questionIndex: 0, otherText: "green" }] }],
    ["nothing", null, { skipped: true }],
  ])("is answered by `onQuestion`: %s", async (_, answer, value) => {
    let seen: unknown;
    await using at = await asking({
      onQuestion: (asked) => {
        seen = asked.questions;
        return answer;
      },
    });
    const events = await read(at.client.prompt("hi"));
    expect(seen).toMatchObject([{ ...question, multiSelect: false }]);
    expect(events.find(({ type }) => type === "tool_result")).toMatchObject({
      toolName: "ask_user",
      output: [{ type: "json", value }],
    });
  });

  test("is answered by `answer`", async () => {
    await using at = await asking({ onQuestion: "manual" });
    const turn = at.client.prompt("hi");
    turn.on("question", ({ id }) => void at.client.answer(id, "red"));
    expect(await turn.result).toMatchObject({
      text: "Done",
      toolCalls: [{ name: "ask_user", state: "done" }],
    });
  });

  test("fails if nobody answers within `approvalTimeout`", async () => {
    await using at = await asking({ onQuestion: "manual", approvalTimeout: 333 });
    const turn = at.client.prompt("hi");
    await at.pass(333);
    expect(await turn.result).toMatchObject({
      toolCalls: [{ state: "failed", error: expect.stringContaining("not answered") }],
    });
  });

  test("is not offered to the model without `onQuestion`; a call is an error", async () => {
    await using at = await asking({});
    const events = await read(at.client.prompt("hi"));
    expect(at.chats()[0]?.tools).toBeUndefined();
    expect(events[1]).toMatchObject({ type: "error", message: expect.stringContaining("ask_user") });
  });

  test("may have a handler like other tools", async () => {
    await using at = await asking({ overrideTools: { ask_user: () => json({ skipped: true }) } });
    const events = await read(at.client.prompt("hi"));
    expect(events.find(({ type }) => type === "tool_result")).toMatchObject({
      output: json({ skipped: true }),
    });
  });
});
