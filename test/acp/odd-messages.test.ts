// Messages of agents that are JSON-RPC, but not as the protocol has them.
import { describe, expect, test } from "vitest";
import { END, world } from "./support/agent.ts";

describe("an odd answer to a prompt", () => {
  test.each([
    ["nothing", {}],
    ["null", { result: null }],
    ["an error that is a text", { error: "boom" }],
    ["an error without a code", { error: { message: "boom" } }],
    ["an error with a code that is a text", { error: { code: "E", message: "boom" } }],
    ["both", { result: END, error: { code: 1, message: "x" } }],
    ["a text", { result: "x" }],
  ])("(%s) ends the turn", async (_, answer) => {
    await using w = world({
      answers: {
        "session/prompt": ({ id }, agent) => {
          agent.send({ id, ...answer });
          return undefined;
        },
      },
    });
    const turn = w.client.prompt("go", { timeout: 1_500 });
    const outcome = await turn.outcome;
    expect(outcome).not.toMatchObject({ error: { code: "turn-timeout" } });
    expect(w.agent.odd).toEqual([]);
  });
});

describe("an odd request", () => {
  test.each([
    ["a fraction as id", 1.5, { sessionId: "s1" }],
    ["an empty id", "", { sessionId: "s1" }],
    ["a large id", 1e300, { sessionId: "s1" }],
    ["a list as params", 7, [1]],
    ["a text as params", 7, "x"],
    ["null as params", 7, null],
    ["no params", 7, undefined],
  ])("with %s is answered once", async (_, id, params) => {
    const w = world(async ({ agent }) => {
      agent.send({ id, method: "session/request_permission", params });
      await agent.handled();
      return END;
    });
    await w.client.prompt("go").outcome;
    await w.client.close();
    expect(w.agent.heard.filter((each) => each.method === undefined && each.id === id)).toHaveLength(1);
  });
});

test("a second request for an ended call waits, whatever its next update is", async () => {
  const states: string[] = [];
  let isFirst = true;
  const w = world(
    async (turn) => {
      await turn.permission({ toolCallId: "x", title: "one" });
      turn.update({ sessionUpdate: "tool_call_update", toolCallId: "x", status: "completed" });
      const second = turn.permission({ toolCallId: "x", title: "two" });
      turn.update({ sessionUpdate: "tool_call_update", toolCallId: "x", title: "more" });
      await second;
      return END;
    },
    {
      onToolApproval: async (call) => {
        if (isFirst) {
          isFirst = false;
          return true;
        }
        await w.agent.handled();
        states.push(turn.toolCalls.find(({ id }) => id === call.id)?.state ?? "none");
        return true;
      },
    },
  );
  const turn = w.client.prompt("go");
  await turn.outcome;
  await w.client.close();
  expect(states).toEqual(["awaiting"]);
});
