import { agentStep, MockAgent } from "agentwire/testing";
import type { UniversalEvent } from "agentwire/universal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { wellFormed } from "../../src/core/text.ts";
import { FakeSource } from "../helpers/fake-source.ts";
import { PATIENCE, runs } from "../helpers/runs.ts";
import { transcripts, wildEvents } from "../universal/support/arbitrary.ts";
import { type EditorWorld, play, tell, until } from "./support.ts";

/** Tells the events between a prompt and its end. */
async function translated(
  events: readonly UniversalEvent[],
  look: (world: EditorWorld) => void,
): Promise<void> {
  const source = new FakeSource();
  await play({ source: () => source }, async ({ world, id }) => {
    const response = world.prompt(id, "hi");
    await until(source, ({ turns }) => turns.length === 1);
    tell(source, events);
    source.turn.completes();
    await response;
    look(world);
  });
}

/** The text of the agents' messages outside of sub-agents. */
function textIn(events: readonly UniversalEvent[], type: "text" | "reasoning"): string {
  const agents = new Set<string>();
  const silent = new Set<string>();
  let text = "";
  for (const { type: name, data, session_id } of events) {
    const key = (id: string) => `${session_id}.${id}`;
    if (name === "item.started") {
      const { item } = data;
      if (item.kind === "status") agents.add(key(item.item_id));
      const isMain = item.kind === "message" && item.role !== "user";
      if (!isMain || (item.parent_id !== null && agents.has(key(item.parent_id))))
        silent.add(key(item.item_id));
    }
    if (name === "item.delta" && !silent.has(key(data.item_id)) && (data.part?.type ?? "text") === type)
      text += data.delta;
  }
  return wellFormed(text);
}

const thoughts = (world: EditorWorld): string =>
  world
    .of("agent_thought_chunk")
    .map(({ content }) => (content.type === "text" ? content.text : ""))
    .join("");

test(
  "the SDK accepts what any transcript says, the text is the same, and no call stays open",
  { timeout: PATIENCE },
  () =>
    fc.assert(
      fc.asyncProperty(transcripts, (events) =>
        translated(events, (world) => {
          expect(world.text).toBe(textIn(events, "text"));
          expect(thoughts(world)).toBe(textIn(events, "reasoning"));
        }),
      ),
      runs(200),
    ),
);

test("the SDK accepts what any events in any order say", { timeout: PATIENCE }, () =>
  fc.assert(
    fc.asyncProperty(wildEvents, (events) => translated(events, () => {})),
    runs(200),
  ),
);

/** To be replaced by the captures of real backends. */
async function capturedStreams(): Promise<
  readonly { readonly name: string; readonly events: readonly UniversalEvent[] }[]
> {
  const agent = new MockAgent({
    script: [
      [
        agentStep.reasoning("Hm. "),
        "Let me see. ",
        agentStep.plan([{ content: "Look", status: "pending" }]),
        agentStep.tool({ name: "shell", streams: ["a", "b"] }),
        agentStep.subagent({ type: "picker", steps: ["Found.", agentStep.tool({ name: "ls" })] }),
        "Done.",
      ],
    ],
  });
  const client = agent.client();
  const stream = agent.toUniversal(client);
  await client.prompt("hi").outcome;
  await client.close();
  const events: UniversalEvent[] = [];
  for await (const event of stream) events.push(event);
  return [{ name: "mock", events }];
}

test("the SDK accepts what each captured stream says, and the text is the same", {
  timeout: PATIENCE,
}, async () => {
  for (const { name, events } of await capturedStreams())
    await translated(events, (world) => {
      expect([name, world.text]).toEqual([name, textIn(events, "text")]);
      expect([name, thoughts(world)]).toEqual([name, textIn(events, "reasoning")]);
    });
});
