// What docs/universal.md shows besides its first program. Each function holds one region and gives it what it takes for granted.
import { appendFile, readFile, truncate } from "node:fs/promises";
import type { AnyAgentClient } from "agentwire";
import type { CodeyClient } from "agentwire/codey";
import { toUniversal } from "agentwire/codey";
import { universalEventSchema } from "agentwire/schemas";
import { agentStep, MockAgent } from "agentwire/testing";
import {
  type AgentSource,
  checkTranscript,
  closeTranscript,
  emptyTranscript,
  fold,
  JsonlReader,
  reduce,
  sourceOf,
  type Telling,
  toJsonl,
  type UniversalEvent,
  type UniversalStream,
} from "agentwire/universal";

export function attach(client: CodeyClient): UniversalStream {
  // #region universal-attach
  const ofClient = toUniversal(client, { includeRaw: true }); // all turns that follow, and what the server says besides
  ofClient.on("event", ({ type, raw }) => console.log(type, raw));
  const turn = client.prompt("Tidy up.", { read: false }); // the stream listens: nobody has to read the turn itself
  const ofTurn = toUniversal(turn); // this turn
  // #endregion
  return ofTurn;
}

export async function resume(stream: UniversalStream, show: (event: UniversalEvent) => void): Promise<void> {
  // #region universal-resume
  let seen = 0;
  for await (const event of stream) {
    show(event);
    seen = event.sequence;
    if (event.type === "permission.requested") break; // such as a page that is left
  }
  for await (const event of stream.events({ after: seen })) show(event); // goes on behind it, without a gap
  // #endregion
}

export async function store(path: string, more: readonly UniversalEvent[]): Promise<void> {
  // #region universal-store
  const reader = new JsonlReader();
  const events = [...reader.push(await readFile(path))]; // in one piece, or in many
  const { events: last, end, separator } = reader.end();
  console.log(events.length + last.length, reader.problems); // a line that is no event is a problem; the rest is read
  await truncate(path, end); // cuts off the half line that a crash has left
  await appendFile(path, separator + toJsonl(more));
  // #endregion
}

export function afterACrash(stored: readonly UniversalEvent[]): readonly UniversalEvent[] {
  // #region universal-close
  const error = { message: "the program has crashed", code: "crashed" };
  const ends = closeTranscript(stored, { time: new Date().toISOString(), error });
  console.log(ends.map(({ type }) => type)); // such as [ "item.completed", "error", "turn.ended", "session.ended" ]
  return [...stored, ...ends]; // complete: `checkTranscript` finds nothing open
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

export async function words(): Promise<void> {
  // #region universal-words
  const agent = new MockAgent().script([
    [
      agentStep.plan([
        { content: "Find the bug", status: "completed" },
        { content: "Mend it", status: "in_progress" },
      ]),
      agentStep.context({ used: 90_000, size: 100_000 }),
      agentStep.notice("The model is slow today.", "warning"),
      agentStep.compaction("completed", "The bug is in line 3."),
      agentStep.tool({
        name: "patch",
        kind: "edit",
        locations: [{ path: "lamp.py", line: 3 }],
        approval: true,
        preview: [{ path: "lamp.py", diff: "@@ -3,1 +3,1 @@\n-off()\n+on()\n", by: "tool" }],
      }),
    ],
  ]);
  const client = agent.client();
  client.on("approval", ({ id }) => client.decide(id, "once"));
  let now = emptyTranscript;
  agent.toUniversal(client).on("event", (event) => {
    now = reduce(now, event);
    if (event.type === "permission.requested") console.log(event.data.preview?.[0]?.diff);
  });
  await client.prompt("Mend the lamp.").result;
  console.log(now.plan, now.context);
  for (const part of now.messages.at(-1)?.parts ?? []) {
    if (part.type === "status") console.log(part.label, part.severity, part.detail);
    if (part.type === "tool") console.log(part.name, part.kind, part.locations, part.state);
  }
  await client.close();
  // #endregion
}
