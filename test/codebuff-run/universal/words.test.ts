import type { UniversalEvent } from "agentwire/universal";
import { expect, test } from "vitest";
import { goldenOptions } from "../../universal/golden-options.ts";
import { expectInvariants } from "../../universal/invariants.ts";
import { collected, runWorld, toUniversal } from "./world.ts";

// What a run says of its plan and its context, as statuses that every reader knows.

/** The JSON of the statuses with a label. */
const statusesIn = (events: readonly UniversalEvent[], label: string): readonly unknown[] =>
  events.flatMap((event) => {
    if (event.type !== "item.completed") return [];
    const { content } = event.data.item;
    if (!content.some((part) => part.type === "status" && part.label === label)) return [];
    return content.flatMap((part) => (part.type === "json" ? [part.json] : []));
  });

const todos = (...done: readonly boolean[]) => ({
  name: "write_todos",
  arguments: { todos: done.map((completed, at) => ({ task: `Task ${at + 1}`, completed })) },
});

test("`write_todos` is the status `plan`; the first task that is not completed is in progress", async () => {
  await using at = await runWorld({
    answer: [{ toolCalls: [todos(false, false)] }, { toolCalls: [todos(true, false)] }, "Done."],
  });
  const events = await collected(toUniversal(at.client.prompt("hi"), goldenOptions()));
  expectInvariants(events);
  const entries = (...states: readonly string[]) => ({
    entries: states.map((status, place) => ({ content: `Task ${place + 1}`, status })),
  });
  expect(statusesIn(events, "plan")).toEqual([
    entries("in_progress", "pending"),
    entries("completed", "in_progress"),
  ]);
});

test("a plan of a sub-agent is not the plan of the run", async () => {
  await using at = await runWorld({
    answer: [
      { match: { agentId: "helper", call: 1 }, toolCalls: [{ name: "picker", arguments: { prompt: "go" } }] },
      { match: { agentId: "picker", call: 1 }, toolCalls: [todos(false)] },
      "Done.",
      "Done.",
    ],
  });
  const events = await collected(toUniversal(at.client.prompt("hi"), goldenOptions()));
  expect(statusesIn(events, "plan")).toEqual([]);
});

test("each step but the last says its context, and the end of the turn that of the last", async () => {
  await using at = await runWorld(
    { answer: [{ toolCalls: [todos()] }, { toolCalls: [todos()] }, "Done."], tokenCount: 700 },
    { maxContextTokens: 1_000 },
  );
  const events = await collected(toUniversal(at.client.prompt("hi"), goldenOptions()));
  expectInvariants(events);
  const said = { used: 700, size: 1_000 };
  expect(statusesIn(events, "context")).toEqual([said, said]);
  const end = events.find(({ type }) => type === "turn.ended");
  expect(end?.data).toMatchObject({ metadata: { usage: { context_tokens: 700, context_window: 1_000 } } });
});
