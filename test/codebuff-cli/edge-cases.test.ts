// What a program may do that is at the edge of what it should.
import { expect } from "vitest";
import { cliWorld } from "../helpers/codebuff-cli.ts";
import { eventsOf } from "../helpers/turns.ts";
import { describe, test } from "./rows.ts";

const END = { type: "finish", totalCost: 1 } as const;

describe("a line that is not an event causes a warning, and the run goes on", () => {
  test.each([
    ["5.3 banner", "Codebuff 1.0.600 is starting up..."],
    ["5.3 progress bar", "downloading  10%\rdownloading 100%"],
    ["5.3 array", '[{"type":"text","text":"a"}]'],
    ["5.3 number", "42"],
    ["5.3 null", "null"],
    ["5.3 type that is no text", '{"type":7,"text":"a"}'],
    ["5.3 wrong field", '{"type":"text","text":7}'],
  ])("%s: between two events", async (_, line) => {
    await using at = await cliWorld({
      events: [{ type: "text", text: "a" }, { raw: `${line}\n` }, { type: "text", text: "b" }, END],
    });
    const turn = at.client.prompt("hi");
    expect(await turn.result).toMatchObject({ text: "ab", exitCode: 0 });
    expect(at.warnings).toEqual([
      { kind: "unparsed-line", message: expect.any(String), raw: line, turnId: turn.id },
    ]);
  });
});

describe("events in an unexpected order", () => {
  test("5.4 result without a call: a tool result without a call is an event, and adds no call", async () => {
    const result = {
      type: "tool_result",
      toolCallId: "t9",
      toolName: "a",
      output: [{ type: "json", value: 1 }],
    };
    await using at = await cliWorld({ events: [result, END] });
    const turn = at.client.prompt("hi");
    const events = eventsOf(turn);
    expect((await turn.result).toolCalls).toEqual([]);
    expect(events).toEqual([result, END]);
    expect(at.warnings).toEqual([]);
  });

  test("5.4 end of no sub-agent: the end of an unknown sub-agent is an event, and does not end the run", async () => {
    const end = { type: "subagent_finish", agentId: "s1", agentType: "r", displayName: "R", onlyChild: true };
    await using at = await cliWorld({ events: [end, { type: "text", text: "more" }, END] });
    const turn = at.client.prompt("hi");
    const events = eventsOf(turn);
    expect(await turn.result).toMatchObject({ text: "more", cost: { amount: 1 } });
    expect(events[0]).toEqual(end);
  });
});

describe("the cost of a run", () => {
  test("5.5 cost through the client: is left out if it is missing or invalid, and the run completes", async () => {
    const finish = (fields: object) => [{ type: "finish", ...fields }];
    const wrong = {
      missing: {},
      negative: { totalCost: -1 },
      text: { totalCost: "12" },
      none: { totalCost: null },
    };
    const byPrompt = Object.fromEntries(
      Object.entries(wrong).map(([name, fields]) => [name, finish(fields)]),
    );
    await using at = await cliWorld({ events: { byPrompt } });
    const results = await Promise.all(Object.keys(wrong).map((prompt) => at.client.prompt(prompt).result));
    for (const result of results) {
      expect(result).not.toHaveProperty("cost");
      expect(result).not.toHaveProperty("missingFinish");
    }
    expect(at.warnings).toEqual([]);
  });
});

describe("the text of a run is counted once", () => {
  test.each([
    ["5.6 only chunks", ["I ", "look."]],
    [
      "5.6 only text",
      [
        { type: "text", text: "I " },
        { type: "text", text: "look." },
      ],
    ],
    ["5.6 both", ["I ", "look.", { type: "text", text: "I look." }]],
  ] as const)("%s: the complete text", async (_, said) => {
    await using at = await cliWorld({ events: [...said, END] });
    expect((await at.client.prompt("hi").result).text).toBe("I look.");
  });
});

describe("a program that first downloads itself", () => {
  test("5.12 no limit: may take longer than `startupTimeout` after its `download` event", async () => {
    await using at = await cliWorld({
      events: [
        { type: "download", version: "1.0.600", status: "complete" },
        { hold: "go" },
        { type: "text", text: "ok" },
        END,
      ],
    });
    const turn = at.client.prompt("hi");
    await new Promise((resolve) => turn.on("event", resolve));
    await at.clock.advance(599_999);
    expect(turn.status).toBe("streaming");
    at.cli.release("go");
    expect((await turn.result).text).toBe("ok");
  });
});
