// What @ag-ui/client and the schemas of @ag-ui/core say of our events.
import { enforceEvents, verifyEvents } from "@ag-ui/client";
import { EventSchemas } from "@ag-ui/core/schemas";
import type { AgUiEvent } from "agentwire/ag-ui";
import { from } from "rxjs";
import { expect } from "vitest";

export async function collect(events: AsyncIterable<AgUiEvent>): Promise<AgUiEvent[]> {
  const all: AgUiEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** Every event has only fields that the protocol knows, is JSON, and each run is complete. */
export async function judge(events: readonly AgUiEvent[]): Promise<void> {
  const wire: AgUiEvent[] = JSON.parse(JSON.stringify(events));
  expect(events).toEqual(wire);
  for (const event of wire) EventSchemas.parse(event);
  expect(await verified(wire)).toEqual(wire);
  assertComplete(wire);
}

/** What the pipeline of the client lets through. */
function verified(events: readonly AgUiEvent[]): Promise<unknown[]> {
  const passed: unknown[] = [];
  return new Promise((resolve, reject) => {
    verifyEvents()(enforceEvents()(from(events))).subscribe({
      next: (event) => passed.push(event),
      error: reject,
      complete: () => resolve(passed),
    });
  });
}

/** `verifyEvents` asks for closed messages at `RUN_FINISHED` only, and never for the end of a run. */
function assertComplete(events: readonly AgUiEvent[]): void {
  const open = new Set<string>();
  let isRunning = false;
  for (const event of events) {
    const id = "messageId" in event ? event.messageId : "toolCallId" in event ? event.toolCallId : "";
    if (event.type === "RUN_STARTED") isRunning = true;
    else if (event.type === "TEXT_MESSAGE_START") open.add(`text ${id}`);
    else if (event.type === "TEXT_MESSAGE_END") open.delete(`text ${id}`);
    else if (event.type === "REASONING_START") open.add(`reasoning ${id}`);
    else if (event.type === "REASONING_END") open.delete(`reasoning ${id}`);
    else if (event.type === "TOOL_CALL_START") open.add(`call ${id}`);
    else if (event.type === "TOOL_CALL_END") open.delete(`call ${id}`);
    else if (event.type === "SUBAGENT_STARTED") open.add(`agent ${event.subagentRunId}`);
    else if (event.type === "SUBAGENT_FINISHED" || event.type === "SUBAGENT_ERROR")
      open.delete(`agent ${event.subagentRunId}`);
    else if (event.type === "RUN_FINISHED" || event.type === "RUN_ERROR") {
      isRunning = false;
      expect([...open]).toEqual([]);
    }
  }
  expect(isRunning).toBe(false);
}

/** The events without their ids and facts: `TYPE what`. */
export function told(events: readonly AgUiEvent[]): string[] {
  return events.map((event) => {
    switch (event.type) {
      case "TEXT_MESSAGE_CONTENT":
      case "REASONING_MESSAGE_CONTENT":
      case "TOOL_CALL_ARGS":
        return `${event.type} ${event.delta}`;
      case "TOOL_CALL_START":
        return `${event.type} ${event.toolCallName}`;
      case "TOOL_CALL_RESULT":
        return `${event.type} ${typeof event.content === "string" ? event.content : "parts"}`;
      case "ACTIVITY_SNAPSHOT":
        return `${event.type} ${event.activityType}`;
      case "CUSTOM":
        return `${event.type} ${event.name}`;
      case "RUN_FINISHED":
        return `${event.type} ${event.outcome?.type}`;
      case "RUN_ERROR":
        return `${event.type} ${event.code}`;
      default:
        return event.type;
    }
  });
}

export function ofType<Type extends AgUiEvent["type"]>(
  events: readonly AgUiEvent[],
  type: `${Type}`,
): Extract<AgUiEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<AgUiEvent, { type: Type }> => event.type === type);
}
