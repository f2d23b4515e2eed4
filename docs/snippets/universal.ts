// What docs/universal.md shows besides its first program. Each function holds one region and gives it what it takes for granted.
import { appendFile, readFile, truncate } from "node:fs/promises";
import type { AnyAgentClient } from "agentwire";
import { universalEventSchema } from "agentwire/schemas";
import {
  type AgentSource,
  checkTranscript,
  fold,
  JsonlReader,
  reduce,
  sourceOf,
  type Telling,
  toJsonl,
  type UniversalEvent,
  type UniversalStream,
} from "agentwire/universal";

export async function store(path: string, more: readonly UniversalEvent[]): Promise<void> {
  // #region universal-store
  const reader = new JsonlReader();
  const events = [...reader.push(await readFile(path))];
  const { events: last, end, separator } = reader.end();
  console.log(events.length + last.length, reader.problems);
  await truncate(path, end); // cuts off the half line that a crash has left
  await appendFile(path, separator + toJsonl(more));
  // #endregion
}

export function sourceOfMine(makeClient: () => AnyAgentClient & Telling): AgentSource {
  // #region universal-source
  return sourceOf({ name: "my-backend", connect: makeClient }); // createChat, the hooks and the TUI take it
  // #endregion
}

export function check(events: readonly UniversalEvent[]): void {
  // #region universal-check
  for (const { index, invariant, message } of checkTranscript(events)) console.log(index, invariant, message);
  // #endregion
}

export function state(stream: UniversalStream, stored: readonly UniversalEvent[]): void {
  // #region universal-reduce
  let now = fold(stored); // the same as `reduce` over each event, from `emptyTranscript`
  stream.on("event", (event) => {
    now = reduce(now, event);
    console.log(now.messages.at(-1)?.parts.at(-1)); // the part of the answer that has just grown
    console.log(now.pending, now.plan, now.context, now.usage.output_tokens);
  });
  // #endregion
}

export function schema(line: string): void {
  // #region universal-schema
  const parsed = universalEventSchema.safeParse(JSON.parse(line));
  console.log(parsed.success ? parsed.data.type : parsed.error.issues);
  // #endregion
}
