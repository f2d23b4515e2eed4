import type { AnyAgentClient, Decision, ToolCall } from "agentwire";

/** Decides on each call that waits, in order; then `once`. Returns the calls that were asked about. */
export function deciding(client: AnyAgentClient, ...decisions: readonly Decision[]): readonly ToolCall[] {
  const asked: ToolCall[] = [];
  client.on("approval", (call) => {
    asked.push(call);
    client.decide(call.id, decisions[asked.length - 1] ?? "once");
  });
  return asked;
}
