import { type AgUiEvent, toAgUi } from "agentwire/ag-ui";
import type { UniversalEvent } from "agentwire/universal";
import { collect, judge } from "./judge.ts";

export const RUN = { threadId: "thread", runId: "run" };

async function* streamOf(events: readonly UniversalEvent[]): AsyncGenerator<UniversalEvent, void> {
  yield* events;
}

/** The AG-UI events of stored events, which the other side accepts. */
export async function mapped(events: readonly UniversalEvent[]): Promise<AgUiEvent[]> {
  const all = await collect(toAgUi(streamOf(events), RUN));
  await judge(all);
  return all;
}
