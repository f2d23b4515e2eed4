import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import type { UniversalEvent } from "agentwire/universal";
import { expect, test } from "vitest";
import { capturedStreams } from "../helpers/captured-streams.ts";
import { exported, marked } from "./support/exported.ts";
import { textOf } from "./support/sdk.ts";

test("each turn of a capture is a span with the turn's status, and every span ends", async () => {
  for (const { name, events } of await capturedStreams()) {
    const { spans, opened } = exported(events);
    const ends = events.flatMap((event) => (event.type === "turn.ended" ? [event.data.metadata.status] : []));
    const turns = spans().filter((span) => span.name === "invoke_agent fake");
    expect(
      turns.map(({ attributes }) => attributes["agentwire.status"]),
      name,
    ).toEqual(ends);
    expect(spans().length, name).toBe(opened);
  }
});

test("each finished call of a capture is a span with the tool's name, and each approval is two events", async () => {
  for (const { name, events } of await capturedStreams()) {
    const spans = exported(events).spans();
    const calls = events.flatMap((event) =>
      event.type === "item.completed" &&
      event.data.item.kind === "tool_call" &&
      event.data.item.status === "completed"
        ? event.data.item.content.flatMap((part) =>
            part.type === "tool_call" ? [`execute_tool ${part.name}`] : [],
          )
        : [],
    );
    const tools = spans.map((span) => span.name).filter((each) => each.startsWith("execute_tool"));
    expect(tools.sort(), name).toEqual(calls.sort());
    const asked = events.filter(({ type }) => type.startsWith("permission."));
    const told = spans
      .flatMap((span) => span.events)
      .filter((event) => event.name.startsWith("agentwire.approval."));
    expect(told, name).toHaveLength(asked.length);
  }
});

test("with `content`, the answers of a capture are the answers in the spans", async () => {
  for (const { name, events } of await capturedStreams())
    expect(answersIn(exported(events, true).spans()), name).toEqual(answersOf(events));
});

test("without `content`, no text and no path of a capture is exported", async () => {
  for (const { name, events } of await capturedStreams())
    expect(textOf(exported(marked(events)).spans()), name).not.toContain("secret");
});

/** All texts of assistants in turns, sorted: the spans of sub-agents and turns end in another order than their texts. */
function answersOf(events: readonly UniversalEvent[]): readonly string[] {
  const texts: string[] = [];
  let isInTurn = false;
  for (const { type, data } of events) {
    if (type === "turn.started") isInTurn = true;
    if (type === "turn.ended") isInTurn = false;
    if (!isInTurn || type !== "item.completed") continue;
    const { kind, role, content } = data.item;
    if (kind === "message" && role === "assistant")
      for (const part of content) if (part.type === "text") texts.push(part.text);
  }
  return texts.sort();
}

function answersIn(spans: readonly ReadableSpan[]): readonly string[] {
  return spans
    .flatMap(({ attributes }) => {
      const messages: unknown = JSON.parse(String(attributes["gen_ai.output.messages"] ?? "[]"));
      return messages as readonly {
        readonly parts: readonly { readonly type: string; readonly content: string }[];
      }[];
    })
    .flatMap(({ parts }) => parts.filter(({ type }) => type === "text").map(({ content }) => content))
    .sort();
}
