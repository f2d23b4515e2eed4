import type { CodebuffRunOptions, CodebuffRunTool } from "agentwire/codebuff-run";
import { json, read, runWorld, textIn } from "./world.ts";

/** A run in which the model calls `own` once, and what came of it. */
export async function runOwn(
  tool: Partial<CodebuffRunTool>,
  input: object | string = { text: "hi" },
  options: CodebuffRunOptions = {},
) {
  const toolCall =
    typeof input === "string"
      ? { name: "own", rawArguments: input }
      : { name: "own", arguments: { ...input } };
  const own = { description: "Mine.", parameters: { type: "object" }, execute: () => json("ok"), ...tool };
  await using at = await runWorld(
    { answer: [{ toolCalls: [toolCall] }, "Done"] },
    { tools: { own }, ...options },
  );
  const turn = at.client.prompt("hi");
  const events = await read(turn);
  const result = await turn.result;
  const message = at.chats()[1]?.messages.find(({ role }) => role === "tool");
  return { events, result, chats: at.chats(), warnings: at.warnings, told: message && textIn(message) };
}
