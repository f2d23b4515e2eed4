import {
  agentStep,
  ManualClock,
  MockAgent,
  type MockAgentClient,
  type MockAgentScript,
  type MockTurn,
} from "agentwire/testing";
import type { UniversalEvent } from "agentwire/universal";
import { expect, test } from "vitest";

/** An answer with everything that can be open when it is cut short. */
const SCRIPT: MockAgentScript = [
  [
    agentStep.reasoning("hm hm"),
    "one two ",
    agentStep.tool({ name: "ls", approval: true, streams: ["a", "b"], during: ["while "] }),
    agentStep.subagent({ type: "picker", steps: ["deep", agentStep.tool({ name: "cat", error: "no" })] }),
    agentStep.question("Which one?", () => ["three "]),
    agentStep.usage({ outputTokens: 1 }),
    "end",
  ],
];

/** What may happen at any event of a turn. */
const ACTS: Readonly<Record<string, (agent: MockAgent, client: MockAgentClient, turn: MockTurn) => void>> = {
  "a cancel": (_agent, _client, turn) => void turn.cancel(),
  "a close": (_agent, client) => void client.close(),
  "a loss": (agent) => agent.disconnect(),
  "a loss that is recovered from": (agent) => agent.disconnect({ recovers: true }),
  "a loss of the memory": (agent) => agent.disconnect({ forgets: true }),
  "a loss for good": (agent) => agent.disconnect({ forGood: true }),
  "a loss without a way back": (agent) => agent.disconnect({ back: false, recovers: true }),
};

/** Plays the script, and acts at one of its events; 0: at none. */
async function play(act: (typeof ACTS)[string] | undefined, moment: number) {
  const clock = new ManualClock();
  const agent = new MockAgent({ clock, idleTimeout: 60_000 }).script(SCRIPT);
  const client = agent.client();
  client.on("approval", ({ id }) => client.decide(id, true));
  client.on("question", ({ id }) => client.answer(id, "this one"));
  const events: UniversalEvent[] = [];
  const stream = agent.toUniversal(client);
  stream.on("event", (event) => events.push(event));
  const turn = client.prompt("hello");
  let count = 0;
  turn.on("event", () => {
    if (++count === moment) act?.(agent, client, turn);
  });
  const outcome = await turn.outcome;
  await client.close();
  return { outcome, turn, events, count, pending: [client.pending, clock.pending] };
}

/** What was opened and not closed, or closed twice. */
function unpaired(events: readonly UniversalEvent[]): readonly string[] {
  const open = new Map<string, number>();
  const note = (id: string, change: number): void => void open.set(id, (open.get(id) ?? 0) + change);
  for (const { type, data } of events) {
    if (type === "item.started") note(data.item.item_id, 1);
    if (type === "item.completed") note(data.item.item_id, -1);
    if (type === "turn.started") note(data.turn_id, 1);
    if (type === "turn.ended") note(data.turn_id, -1);
    if (type === "permission.requested") note(data.permission_id, 1);
    if (type === "permission.resolved") note(data.permission_id, -1);
    if (type === "question.requested") note(data.question_id, 1);
    if (type === "question.resolved") note(data.question_id, -1);
  }
  return [...open].filter(([, count]) => count !== 0).map(([id]) => id);
}

test("without an interruption the whole answer arrives", async () => {
  const { outcome, events, pending } = await play(undefined, 0);
  expect(outcome).toMatchObject({ status: "completed", result: { text: "one two while three end" } });
  expect([unpaired(events), pending]).toEqual([[], [[], 0]]);
});

test.each(Object.entries(ACTS))("%s at any event leaves nothing open", async (name, act) => {
  const { count: total } = await play(undefined, 0);
  expect(total).toBeGreaterThan(15);
  const ends = new Set<string>();
  for (let moment = 1; moment < total; moment++) {
    const { outcome, turn, events, pending } = await play(act, moment);
    const where = `event ${moment} of ${total}`;
    ends.add(outcome.status === "failed" ? outcome.error.code : outcome.status);
    expect(turn.status, where).toBe(outcome.status);
    expect(turn.text, where).toMatch(/^(one )?(two )?(while )?(three )?(end)?$/); // a call that was refused by a loss does not run
    expect(
      turn.toolCalls.filter(({ state }) => state === "running" || state === "awaiting"),
      where,
    ).toEqual([]);
    expect([unpaired(events), pending], where).toEqual([[], [[], 0]]);
    expect(
      events.filter(({ type }) => type === "agent.unparsed"),
      where,
    ).toEqual([]);
  }
  expect([...ends]).toEqual(
    {
      "a cancel": ["cancelled"],
      "a close": ["closed"],
      "a loss": ["connection-lost"],
      "a loss that is recovered from": ["completed"],
      "a loss of the memory": ["context-lost"],
      "a loss for good": ["connection-lost"],
      "a loss without a way back": ["connection-lost"],
    }[name],
  );
});
