import { codebuffCli, type PrintModeEvent, toUniversal } from "agentwire/codebuff-cli";
import { describe, expect, test } from "vitest";
import { CodebuffCliMapping } from "../../../src/codebuff-cli/universal.ts";
import { cliWorld, HELD } from "../../helpers/codebuff-cli.ts";
import { goldenOptions } from "../../universal/golden-options.ts";
import { expectInvariants, playFacts } from "../../universal/invariants.ts";
import { collected } from "./collected.ts";

describe("a stream", () => {
  test("with `includeRaw` holds each printed line once, unchanged", async () => {
    const lines = [
      { type: "start", session_id: "s-1" },
      { type: "text", text: "Hi", extra: 1 },
      { type: "tool_call", toolCallId: "c1", toolName: "glob", input: {} },
      { type: "tool_result", toolCallId: "c1", output: [{ type: "json", value: 1 }] },
      { type: "novelty" },
    ];
    await using at = await cliWorld({ events: [...lines, { type: "finish", totalCost: 1 }] });
    const turn = at.client.prompt("hi");
    const events = await collected(toUniversal(turn, goldenOptions({ includeRaw: true })));
    expect(events.flatMap(({ raw }) => (raw === null ? [] : [raw]))).toEqual(lines);
    expectInvariants(events);
  });

  test("that begins during a turn marks it as attached late, and goes on", async () => {
    await using at = await cliWorld({
      events: [
        { type: "tool_call", toolCallId: "c1", toolName: "glob", input: {}, agentId: "main-agent" },
        { type: "tool_result", toolCallId: "c1", output: [{ type: "json", value: { error: "no" } }] },
        ...HELD.slice(1),
      ],
    });
    const turn = at.client.prompt("hi");
    await new Promise<void>((resolve) => {
      turn.on("event", ({ type }) => {
        if (type === "text") resolve();
      });
    });
    const stream = toUniversal(turn, goldenOptions());
    at.cli.release("go");
    const events = await collected(stream);
    expectInvariants(events);
    const started = events.find(({ type }) => type === "turn.started");
    expect(started?.data).toMatchObject({ metadata: { attached_late: true } });
    const results = events.flatMap((event) =>
      event.type === "item.completed" && event.data.item.kind === "tool_result" ? [event.data.item] : [],
    );
    expect(results).toMatchObject([{ status: "failed", content: [{ output: '{"error":"no"}' }, {}] }]);
    expect(events.map((event) => (event.type === "item.delta" ? event.data.delta : "")).join("")).toBe(
      "part and rest",
    );
  });

  test("from a source is that of the source's client", async () => {
    await using at = await cliWorld();
    const source = codebuffCli({ command: at.cli.command, args: at.cli.args, env: at.cli.env });
    const client = source.client();
    const events = await collected(source.toUniversal(client.prompt("hi")));
    await client.close();
    expect(source.name).toBe("codebuff-cli");
    expect(events.map(({ type }) => type)).toContain("item.delta");
  });

  test("with `answerByContinue` resolves an answered question, and has the answer as the next prompt", async () => {
    await using at = await cliWorld(
      {
        events: {
          byPrompt: {
            hi: [
              { type: "start", session_id: "s-1" },
              {
                type: "tool_call",
                toolCallId: "c1",
                toolName: "ask_user",
                input: {
                  questions: [{ question: "Which?", options: [{ label: "Red" }, { label: "Blue" }] }],
                },
              },
              { hold: "go" },
              { type: "finish", totalCost: 1 },
            ],
          },
        },
      },
      { answerByContinue: true },
    );
    const chat = at.client.conversation();
    const stream = toUniversal(chat, goldenOptions());
    const turns: { readonly outcome: Promise<unknown> }[] = [];
    at.client.on("turn", (turn) => turns.push(turn));
    const asked = new Promise<string>((resolve) => at.client.on("question", ({ id }) => resolve(id)));
    chat.prompt("hi");
    at.client.answer(await asked, "Red");
    at.cli.release("go");
    await turns[0]?.outcome;
    await turns[1]?.outcome;
    await at.client.close();
    const events = await collected(stream);
    expectInvariants(events);
    const resolved = events.filter((event) => event.type === "question.resolved");
    expect(resolved).toMatchObject([
      { source: "daemon", data: { status: "answered", response: "Red", reason: "user" } },
    ]);
    const prompts = events.flatMap((event) =>
      event.type === "item.completed" && event.data.item.role === "user" ? [event.data.item.content] : [],
    );
    expect(prompts).toEqual([[{ type: "text", text: "hi" }], [{ type: "text", text: "Red" }]]);
  });
});

describe("a sub-agent", () => {
  const play = (...events: readonly PrintModeEvent[]) =>
    playFacts(
      () => new CodebuffCliMapping(true),
      [
        { type: "sent", turnId: "t1", input: { text: "hi" } },
        ...events
          .filter(({ type }) => type === "subagent_start" || type === "subagent_finish")
          .map((event) => ({ type: "event", turnId: "t1", event: event as never }) as const),
      ],
    );

  const subagent = (type: "subagent_start" | "subagent_finish", agentId: string, more: object = {}) =>
    ({ type, agentId, agentType: "thinker", displayName: "T", onlyChild: true, ...more }) as const;

  test("keeps 2,000 characters of its prompt, and never half a character", () => {
    const prompt = "🙂".repeat(2_001);
    const started = play(subagent("subagent_start", "a1", { prompt })).at(-1);
    expect(started?.data).toMatchObject({
      item: { content: [{}, { json: { agent_id: "a1", prompt: "🙂".repeat(2_000) } }] },
    });
  });

  test("ends its own sub-agents first, and their later ends are ignored", () => {
    const events = play(
      subagent("subagent_start", "a1"),
      subagent("subagent_start", "a2", { parentAgentId: "a1" }),
      subagent("subagent_finish", "a1"),
      subagent("subagent_finish", "a2"),
    );
    const ended = events.flatMap((event) =>
      event.type === "item.completed" && event.data.item.kind === "status"
        ? [[event.data.item.native_item_id, event.source]]
        : [],
    );
    expect(ended).toEqual([
      ["a2", "daemon"],
      ["a1", "agent"],
    ]);
  });
});
