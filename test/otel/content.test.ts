import { agentStep, type MockAgentStep } from "agentwire/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PATIENCE, runs } from "../helpers/runs.ts";
import { Script } from "../universal/build.ts";
import { transcripts, wildEvents } from "../universal/support/arbitrary.ts";
import { exported, MARK, marked } from "./support/exported.ts";
import { textOf } from "./support/sdk.ts";
import { ask, traced } from "./support/traced.ts";

describe("without `content`", () => {
  test(
    "no text and no path of any stream is exported",
    () => {
      fc.assert(
        fc.property(fc.oneof(transcripts, wildEvents), (events) => {
          expect(textOf(exported(marked(events)).spans())).not.toContain("secret");
        }),
        runs(200),
      );
    },
    PATIENCE,
  );

  const words = fc.constantFrom("one", "two").map((word) => `${word} ${MARK}`);
  const step: fc.Arbitrary<MockAgentStep> = fc.oneof(
    words,
    words.map((text) => agentStep.reasoning(text)),
    words.map((text) =>
      agentStep.tool({ name: "shell", input: { text }, output: text, streams: [text], title: text }),
    ),
    words.map((text) => agentStep.tool({ name: "edit", error: text, locations: [{ path: text }] })),
    words.map((text) => agentStep.subagent({ type: "picker", name: text, prompt: text, steps: [text] })),
    words.map((text) => agentStep.plan([{ content: text, status: "pending" }])),
    words.map((text) => agentStep.notice(text)),
    words.map((text) => agentStep.compaction("completed", text)),
    words.map((text) => agentStep.file(text, { diff: text })),
    words.map((text) => agentStep.image(text)),
    words.map((text) => agentStep.error(text)),
    words.map((text) => agentStep.fail(text)),
    words.map((text) => agentStep.status("thinking", text)),
    words.map((text) => agentStep.data({ text })),
  );

  test(
    "no text and no path of any script of an agent is exported",
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 6 }), words, async (steps, prompt) => {
          const { chat, spans } = traced([steps]);
          await ask(chat, prompt);
          await chat.close();
          expect(spans().length).toBeGreaterThan(0);
          expect(textOf(spans())).not.toContain("secret");
        }),
        runs(60),
      );
    },
    PATIENCE,
  );
});

test(
  "every span of any stream ends, and ends once",
  () => {
    fc.assert(
      fc.property(fc.oneof(transcripts, wildEvents), fc.boolean(), (events, content) => {
        const { opened, spans } = exported(events, content);
        expect(spans().length).toBe(opened);
        expect(new Set(spans().map((span) => span.spanContext().spanId)).size).toBe(opened);
      }),
      runs(200),
    );
  },
  PATIENCE,
);

test(
  "every turn of a valid stream is a span with the turn's status",
  () => {
    fc.assert(
      fc.property(transcripts, (events) => {
        const ends = events.flatMap((event) =>
          event.type === "turn.ended" ? [event.data.metadata.status] : [],
        );
        const turns = exported(events)
          .spans()
          .filter(({ name }) => name === "invoke_agent fake");
        expect(turns.map(({ attributes }) => attributes["agentwire.status"])).toEqual(ends);
      }),
      runs(200),
    );
  },
  PATIENCE,
);

describe("with `content`", () => {
  test("the span of a turn has the prompt and the answer as messages", async () => {
    const { chat, span } = traced(
      [
        [
          agentStep.reasoning("Hm."),
          "Look. ",
          agentStep.tool({ name: "ls", input: { a: 1 }, output: "a.txt" }),
          "Done.",
        ],
      ],
      { content: true },
    );
    await ask(chat, "What is here?");
    await chat.close();
    const { attributes } = span("invoke_agent mock");
    expect(JSON.parse(String(attributes["gen_ai.input.messages"]))).toEqual([
      { role: "user", parts: [{ type: "text", content: "What is here?" }] },
    ]);
    expect(JSON.parse(String(attributes["gen_ai.output.messages"]))).toEqual([
      {
        role: "assistant",
        parts: [
          { type: "reasoning", content: "Hm." },
          { type: "text", content: "Look. " },
          { type: "tool_call", id: "call_1", name: "ls", arguments: '{"a":1}' },
          { type: "text", content: "Done." },
        ],
        finish_reason: "stop",
      },
    ]);
    expect(span("execute_tool ls").attributes).toMatchObject({
      "gen_ai.tool.call.arguments": '{"a":1}',
      "gen_ai.tool.call.result": "a.txt",
    });
  });

  test("a call has the backend's id, as its span has, and ours beside it; ours alone if the backend has none", () => {
    const script = new Script().session().turn("go");
    for (const native_item_id of ["toolu_9", null]) {
      const call_id = native_item_id === null ? "cass_1" : "toolu_9#2"; // a backend may repeat its ids
      const content = [{ type: "tool_call", name: "ls", arguments: "{}", call_id }] as const;
      script.item({ kind: "tool_call", native_item_id, content });
    }
    const { spans, span } = exported(script.turnEnded().events, true);
    const calls = spans().filter(({ name }) => name === "execute_tool ls");
    const ids = calls.map(({ attributes: of }) => [of["gen_ai.tool.call.id"], of["agentwire.tool.call_id"]]);
    expect(ids.sort()).toEqual([
      ["cass_1", "cass_1"],
      ["toolu_9", "toolu_9#2"],
    ]);
    const output = String(span("invoke_agent fake").attributes["gen_ai.output.messages"]);
    expect(JSON.parse(output)[0].parts.map(({ id }: { readonly id: string }) => id)).toEqual([
      "toolu_9",
      "cass_1",
    ]);
  });

  test("the span of a sub-agent has its own task and its own answer", async () => {
    const { chat, span } = traced(
      [[agentStep.subagent({ type: "picker", prompt: "Pick.", steps: ["Found."] }), "Done."]],
      { content: true },
    );
    await ask(chat);
    await chat.close();
    expect(textOf([span("invoke_agent picker")])).toMatch(/Pick\..*Found\./s);
    expect(textOf([span("invoke_agent mock")])).not.toContain("Found.");
  });

  test.each([
    ["completed", undefined, "stop"],
    ["failed", undefined, "error"],
    ["failed", "stop", "error"],
    ["cancelled", undefined, "cancelled"],
    ["cancelled", "timeout", "timeout"],
  ] as const)("the last message of a %s turn that states %s ends by %s", (status, stop_reason, reason) => {
    const script = new Script().session().turn("go");
    script.message(["a"]);
    script.turnEnded({ status, ...(stop_reason ? { stop_reason } : {}) });
    const { attributes } = exported(script.events, true).span("invoke_agent fake");
    expect(JSON.parse(String(attributes["gen_ai.output.messages"]))).toMatchObject([
      { finish_reason: reason },
    ]);
  });

  test("the last message of a sub-agent that is cut off with its turn does not end by `stop`", () => {
    const script = new Script().session().turn("go");
    script.message(["a"], { parent: script.subagent("picker") });
    const { attributes } = exported(script.turnEnded({ status: "failed" }).events, true).span(
      "invoke_agent picker",
    );
    expect(attributes["gen_ai.output.messages"]).toContain('"finish_reason":"abandoned"');
  });

  test("a reason to stop is the reason of the last message", () => {
    const script = new Script().session().turn("go");
    script.message(["a"]);
    script.turnEnded({ stop_reason: "max_tokens" });
    const { attributes } = exported(script.events, true).span("invoke_agent fake");
    expect(attributes["gen_ai.response.finish_reasons"]).toEqual(["max_tokens"]);
    expect(attributes["gen_ai.output.messages"]).toContain('"finish_reason":"max_tokens"');
  });
});
