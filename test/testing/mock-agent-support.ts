import { MockAgent, type MockAgentEvent, type MockAgentStep } from "agentwire/testing";
import { eventsOf } from "../helpers/turns.ts";

/** The events of one answer. */
export async function played(
  steps: readonly MockAgentStep[],
  agent = new MockAgent(),
): Promise<readonly MockAgentEvent[]> {
  const turn = agent.script([steps]).client().prompt("hello");
  const events = eventsOf(turn);
  await turn.outcome;
  return events;
}

export const END: MockAgentEvent = { type: "finish" };
