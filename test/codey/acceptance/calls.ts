import type { CodeyEvent, CodeyResult } from "agentwire/codey";
import { type CodeyCall, codeyStep, codeyTool } from "agentwire/testing";
import { eventsOf } from "../../helpers/codey.ts";
import type { Scene } from "./both.ts";

/** A read of a file that holds `alpha`. */
export const read = (more: Partial<CodeyCall> = {}): CodeyCall => codeyTool.readFile("a.txt", "alpha", more);

const LETTERS = new Map<string, string>([
  ["ToolAwaitingApproval", "A"],
  ["ToolStarted", "S"],
  ["ToolDelta", "D"],
  ["ToolCompleted", "C"],
  ["ToolError", "E"],
]);

/** What users heard of the calls, in the letters of the protocol's description; `s` is a start that was inferred. */
export function lettersOf(events: readonly CodeyEvent[]): string {
  return events
    .map((event) => (event.type === "ToolStarted" && event.inferred ? "s" : (LETTERS.get(event.type) ?? "")))
    .join("");
}

/** What the server said of calls, in the same letters. */
export function lettersSaid({ server }: Pick<Scene, "server">): string {
  return server.frames
    .filter(({ direction }) => direction === "s2c")
    .map(({ raw }) => LETTERS.get(/^\{"type":"(\w+)"/.exec(raw)?.[1] ?? "") ?? "")
    .join("");
}

/** What came of a round of calls. */
export interface Played {
  /** What users heard of the calls. */
  readonly heard: string;
  /** What the server said of them. */
  readonly said: string;
  readonly calls: CodeyResult["toolCalls"];
}

/** Plays a turn of one round with these calls, and one round behind it. */
export async function play(scene: Scene, ...calls: readonly CodeyCall[]): Promise<Played> {
  scene.server.answer = () => ["before", codeyStep.calls(...calls), "after"];
  const turn = scene.client.prompt("go");
  const events = eventsOf(turn);
  const { toolCalls, rounds } = await turn.result;
  if (rounds.map(({ text }) => text).join() !== "before,after") throw new Error("The turn lost a round");
  return { heard: lettersOf(events), said: lettersSaid(scene), calls: toolCalls };
}
