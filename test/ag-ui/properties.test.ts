import type { AgUiEvent } from "agentwire/ag-ui";
import { agentStep, type MockAgentStep } from "agentwire/testing/agent";
import type { UniversalEvent } from "agentwire/universal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { PATIENCE, runs } from "../helpers/runs.ts";
import { transcripts, wildEvents } from "../universal/support/arbitrary.ts";
import { Bench, inputOf, type Resume, resumeOf } from "./support/client.ts";
import { ofType } from "./support/judge.ts";
import { mapped } from "./support/mapped.ts";

/** The text of the answers, by turns. */
function textIn(events: readonly UniversalEvent[], type: "text" | "reasoning"): string {
  let text = "";
  let isTurn = false;
  const user = new Set<string>();
  for (const { type: kind, data } of events) {
    if (kind === "turn.started") isTurn = true;
    if (kind === "turn.ended") isTurn = false;
    if (kind === "item.started" && data.item.role === "user") user.add(data.item.item_id);
    if (kind === "item.delta" && isTurn && data.part?.type === type) text += data.delta;
  }
  return text;
}

const deltas = (events: readonly AgUiEvent[], type: "TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT") =>
  ofType(events, type)
    .map(({ delta }) => delta)
    .join("");

test(
  "any universal stream gives runs that the other side accepts, with the same text",
  async () => {
    await fc.assert(
      fc.asyncProperty(transcripts, async (events) => {
        const all = await mapped(events);
        const isSystem = (event: UniversalEvent) =>
          event.type === "item.completed" && event.data.item.kind === "system";
        if (!events.some(isSystem)) expect(deltas(all, "TEXT_MESSAGE_CONTENT")).toBe(textIn(events, "text"));
        expect(deltas(all, "REASONING_MESSAGE_CONTENT")).toBe(textIn(events, "reasoning"));
        const turns = events.filter(({ type }) => type === "turn.started").length;
        expect(ofType(all, "RUN_STARTED")).toHaveLength(turns);
      }),
      runs(400),
    );
  },
  PATIENCE,
);

test(
  "any events in any order give runs that the other side accepts",
  () =>
    fc.assert(
      fc.asyncProperty(wildEvents, async (events) => void (await mapped(events))),
      runs(400),
    ),
  PATIENCE,
);

const step: fc.Arbitrary<MockAgentStep> = fc.oneof(
  fc.string({ minLength: 1, maxLength: 8 }).map((text) => agentStep.text(text)),
  fc.string({ minLength: 1, maxLength: 8 }).map((text) => agentStep.reasoning(text)),
  fc
    .record({ approval: fc.boolean(), fails: fc.boolean() })
    .map(({ approval, fails }) =>
      agentStep.tool({ name: "t", approval, output: "out", ...(fails ? { error: "no" } : {}) }),
    ),
  fc.constant(agentStep.question("Which?")),
  fc.constant(agentStep.plan([{ content: "a", status: "pending" }])),
  fc.constant(agentStep.notice("slow", "warning")),
  fc.constant(agentStep.error("odd")),
  fc.constant(agentStep.data({ a: 1 })),
);

const script: fc.Arbitrary<readonly MockAgentStep[]> = fc
  .array(fc.oneof({ weight: 3, arbitrary: step }, fc.array(step, { maxLength: 3 })), { maxLength: 5 })
  .map((steps) =>
    steps.map((each) =>
      Array.isArray(each) ? agentStep.subagent({ type: "a", name: "A", steps: each }) : each,
    ),
  );

const ruling = fc.constantFrom("approve", "reject", "cancel");

test(
  "any script of an agent, with any answers, gives complete runs with the text of the chat",
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(script, { minLength: 1, maxLength: 2 }),
        fc.array(ruling),
        async (scripts, rulings) => {
          await using bench = new Bench({ script: scripts.map((steps) => [...steps]) });
          let ruled = 0;
          const prompts: string[] = [];
          for (const [at] of scripts.entries()) {
            prompts.push(`prompt ${at}`);
            let events = await bench.run(inputOf(prompts));
            const all = [...events];
            for (;;) {
              const [last] = ofType(events, "RUN_FINISHED");
              if (last?.outcome?.type !== "interrupt") break;
              const entries = last.outcome.interrupts.map(({ id, reason }): Resume[number] => {
                const how = rulings[ruled++ % Math.max(1, rulings.length)] ?? "approve";
                if (how === "cancel") return { interruptId: id, status: "cancelled" };
                const payload =
                  reason === "input_required" ? { answers: [["a"]] } : { approved: how === "approve" };
                return { interruptId: id, status: "resolved", payload };
              });
              events = await bench.run(inputOf(prompts, resumeOf(...entries)));
              all.push(...events);
            }
            const shown = JSON.stringify(bench.chat.getSnapshot().messages.at(-1)?.parts.toArray());
            for (const { delta } of ofType(all, "TEXT_MESSAGE_CONTENT"))
              expect(shown).toContain(JSON.stringify(delta).slice(1, -1));
            expect(bench.isBusy).toBe(false);
          }
        },
      ),
      runs(100),
    );
  },
  PATIENCE,
);
