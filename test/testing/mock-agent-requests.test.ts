import {
  agentStep,
  ManualClock,
  MockAgent,
  type MockAgentClient,
  type MockTool,
  type MockTurn,
} from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { thrown } from "../helpers/turns.ts";

const DELETE: MockTool = { name: "delete_file", input: { path: "a.txt" }, approval: true, output: "deleted" };

/** Resolves with the id of the next request of this kind. */
function asked(client: MockAgentClient, name: "approval" | "question"): Promise<string> {
  return new Promise((resolve) => {
    const listener = ({ id }: { readonly id: string }): void => {
      off();
      resolve(id);
    };
    const off = name === "approval" ? client.on(name, listener) : client.on(name, listener);
  });
}

describe("an approval", () => {
  test("waits for the user, then the tool runs", async () => {
    const agent = new MockAgent().script([[agentStep.tool(DELETE), "Done."]]);
    const client = agent.client();
    const turn = client.prompt("hello");
    const settled: unknown[] = [];
    client.on("settled", (request, of) => settled.push([request.type, request.id, of === turn]));
    const id = await asked(client, "approval");
    expect(turn.pending).toEqual(client.pending);
    expect(client.pending).toMatchObject([
      { type: "approval", id, call: { name: "delete_file", turnId: turn.id } },
    ]);
    expect(turn.toolCalls).toMatchObject([{ id, state: "awaiting" }]);
    expect(client.decide(id, true)).toEqual({ decision: "once", by: "reply" });
    expect(turn.toolCalls).toMatchObject([{ id, state: "approved" }]);
    expect([turn.pending, client.pending]).toEqual([[], []]);
    expect((await turn.result).text).toBe("Done.");
    expect(turn.toolCalls).toMatchObject([{ state: "done", output: "deleted" }]);
    expect(client.decide(id, "reject")).toEqual({ decision: "once", by: "reply" });
    expect(settled).toEqual([["approval", id, true]]);
    expect(agent.decisions).toEqual([
      { id, name: "delete_file", turnId: turn.id, decision: "once", by: "reply" },
    ]);
  });

  test("that is denied plays the `denied` steps, and returns the outcome to a generator", async () => {
    const agent = new MockAgent();
    const denied = (reason: string | undefined) => [`Because ${reason}: as you like. `];
    agent.script(function* () {
      const outcome = yield* agentStep.tool({ ...DELETE, denied });
      yield JSON.stringify(outcome);
    });
    const client = agent.client();
    const turn = client.prompt("hello");
    client.decide(await asked(client, "approval"), { decision: "reject", reason: "too risky" });
    const { text } = await turn.result;
    expect(text).toBe('Because too risky: as you like. {"state":"denied","reason":"too risky"}');
    expect(turn.toolCalls).toMatchObject([{ state: "denied", deniedBy: "user", reason: "too risky" }]);
  });

  test("with `always` covers the tool in this client, and in no other", async () => {
    const agent = new MockAgent().script([[agentStep.tool(DELETE), agentStep.tool(DELETE)]]);
    const client = agent.client();
    const turn = client.prompt("hello");
    client.decide(await asked(client, "approval"), "always");
    await turn.result;
    expect(agent.decisions.map(({ decision, by }) => [decision, by])).toEqual([
      ["always", "reply"],
      ["always", "session"],
    ]);
    const other = agent.client();
    other.prompt("hello");
    await asked(other, "approval");
    await other.close();
  });

  test("is denied after its timeout", async () => {
    const clock = new ManualClock();
    const agent = new MockAgent({ clock, approvalTimeout: 5_000 }).script([
      [agentStep.tool(DELETE), "Then not."],
    ]);
    const client = agent.client();
    const turn = client.prompt("hello");
    await asked(client, "approval");
    await clock.advance(5_000);
    expect((await turn.result).text).toBe("Then not.");
    expect(agent.decisions).toMatchObject([{ decision: "reject", by: "timeout" }]);
    expect(turn.toolCalls).toMatchObject([{ state: "denied", deniedBy: "policy" }]);
    expect(clock.pending).toBe(0);
  });

  const ENDS: readonly {
    readonly how: string;
    readonly by: string;
    end(agent: MockAgent, turn: MockTurn): void;
  }[] = [
    { how: "a cancel", by: "cancelled", end: (_, turn) => void turn.cancel() },
    { how: "a loss", by: "disconnected", end: (agent) => agent.disconnect() },
  ];

  test.each(ENDS)("ends with its turn, after $how", async ({ by, end }) => {
    const agent = new MockAgent().script([[agentStep.tool(DELETE)]]);
    const client = agent.client();
    const turn = client.prompt("hello");
    const id = await asked(client, "approval");
    end(agent, turn);
    await turn.outcome;
    expect(client.pending).toEqual([]);
    expect(agent.decisions).toMatchObject([{ id, decision: "reject", by }]);
    expect(turn.toolCalls).toMatchObject([{ state: "abandoned" }]);
    expect(client.decide(id, true)).toMatchObject({ decision: "reject", by });
    await client.close();
  });

  test("pauses the idle timeout", async () => {
    const clock = new ManualClock();
    const agent = new MockAgent({ clock, idleTimeout: 1_000 }).script([[agentStep.tool(DELETE), "Done."]]);
    const client = agent.client();
    const turn = client.prompt("hello");
    const id = await asked(client, "approval");
    await clock.advance(60_000);
    client.decide(id, true);
    expect((await turn.result).text).toBe("Done.");
  });

  test("gets a new id if its id was used before", async () => {
    const agent = new MockAgent().script([
      [agentStep.tool({ name: "ls", id: "x" }), agentStep.tool({ name: "ls", id: "x" })],
    ]);
    const turn = agent.client().prompt("hello");
    await turn.outcome;
    expect(turn.toolCalls.map(({ id }) => id)).toEqual(["x", "x~2"]);
  });

  test("is also emitted to a late listener while it is open", async () => {
    const agent = new MockAgent().script([[agentStep.tool(DELETE)]]);
    const client = agent.client();
    const turn = client.prompt("hello");
    const id = await asked(client, "approval");
    const late = await Promise.all([
      asked(client, "approval"),
      new Promise((resolve) => turn.on("approval", (call) => resolve(call.id))),
    ]);
    expect(late).toEqual([id, id]);
    await client.close();
  });
});

describe("a question", () => {
  const CHOICE = {
    questions: [{ question: "Which one?", header: "Choice", options: ["a", { label: "b" }] }],
  };

  test("waits for the user, and passes the answer to `then`", async () => {
    const agent = new MockAgent();
    agent.script([[agentStep.question(CHOICE, (answers) => [`You chose ${answers?.[0]?.[0]}. `]), "Good."]]);
    const client = agent.client();
    const turn = client.prompt("hello");
    const id = await asked(client, "question");
    const questions = [
      {
        question: "Which one?",
        header: "Choice",
        options: [{ label: "a" }, { label: "b" }],
        multiSelect: false,
      },
    ];
    expect(client.pending).toMatchObject([
      { type: "question", id, question: { questions, turnId: turn.id } },
    ]);
    expect(client.answer(id, "b")).toEqual({ answers: [["b"]], by: "reply" });
    expect((await turn.result).text).toBe("You chose b. Good.");
    expect(agent.answers).toEqual([{ id, turnId: turn.id, answers: [["b"]], by: "reply" }]);
  });

  test("returns its answers to a generator, or undefined", async () => {
    const agent = new MockAgent();
    agent.script(function* () {
      const first = yield* agentStep.question({
        questions: ["One?", { question: "Two?", multiSelect: true, options: ["x", "y"] }],
      });
      const second = yield* agentStep.question("Three?");
      yield JSON.stringify([first, second ?? "none"]);
    });
    const client = agent.client();
    const turn = client.prompt("hello");
    client.answer(await asked(client, "question"), [["free"], ["x", "y"]]);
    client.answer(await asked(client, "question"), null);
    expect((await turn.result).text).toBe('[[["free"],["x","y"]],"none"]');
  });

  test("without the capability `questions` fails the turn, and the error names the capability", async () => {
    const agent = new MockAgent({ capabilities: { questions: false } }).script([
      [agentStep.question("Why?")],
    ]);
    expect(await agent.client().prompt("hello").outcome).toMatchObject({
      status: "failed",
      error: {
        code: "turn-failed",
        kind: "script",
        message: expect.stringContaining("capability `questions`"),
      },
    });
  });
});

test("invalid replies are refused, and the request stays open", async () => {
  const agent = new MockAgent().script([[agentStep.tool(DELETE), agentStep.question("Why?")]]);
  const client = agent.client();
  const turn = client.prompt("hello");
  const call = await asked(client, "approval");
  for (const wrong of ["yes", 1, null, { decision: "once", why: 1 }, { decision: "once", reason: 1 }])
    expect(thrown(() => client.decide(call, wrong as never))).toMatchObject({ code: "invalid-input" });
  expect(thrown(() => client.answer(call, "yes"))).toMatchObject({ hint: "Pass it to `client.decide`." });
  client.decide(call, true);
  const question = await asked(client, "question");
  for (const wrong of [1, ["a", "b", 1], [["a"], ["b"]], undefined])
    expect(thrown(() => client.answer(question, wrong as never))).toMatchObject({ code: "invalid-input" });
  expect(thrown(() => client.decide(question, true))).toMatchObject({ hint: "Pass it to `client.answer`." });
  expect(client.pending).toHaveLength(1);
  client.answer(question, "because");
  expect((await turn.outcome).status).toBe("completed");
});
