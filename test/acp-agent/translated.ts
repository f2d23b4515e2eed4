// Universal events as a client of the ACP agent gets them, and what it must get.
import type { UniversalEvent } from "agentwire/universal";
import { wellFormed } from "../../src/core/text.ts";
import { FakeSource } from "../helpers/fake-source.ts";
import { type EditorWorld, play, tell, until } from "./support.ts";

/** Tells the events between a prompt and its end. */
export async function translated(
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
export function textIn(events: readonly UniversalEvent[], type: "text" | "reasoning"): string {
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

export const thoughts = (world: EditorWorld): string =>
  world
    .of("agent_thought_chunk")
    .map(({ content }) => (content.type === "text" ? content.text : ""))
    .join("");
