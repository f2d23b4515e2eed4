import type { ChatRequest, CodebuffRunTool, ModelProvider, ToolOutput } from "agentwire/codebuff-run";

// A scripted run that can be killed at any moment and gone on with. A process of its own uses it, too: only types are imported.

/** The tasks of each step, by name. No name comes twice. */
export type Script = readonly (readonly string[])[];

/** What the model says when every task has a result. */
export const END = "All is done.";

const isKnown = (content: unknown): boolean => !String(content).includes("not known whether");

/** The tasks whose results the model sees. */
export function doneIn(messages: ChatRequest["messages"]): ReadonlySet<string> {
  const names = new Map<string, string>();
  for (const message of messages)
    if (message.role === "assistant")
      for (const { id, function: call } of message.tool_calls ?? [])
        names.set(id, JSON.parse(call.arguments).task);
  const done = new Set<string>();
  for (const message of messages)
    if (message.role === "tool" && isKnown(message.content)) done.add(names.get(message.tool_call_id) ?? "?");
  return done;
}

/** A model that calls the tasks of the first step that is not done, until all are done. */
export function scriptedModel(script: Script): ModelProvider {
  return {
    name: "scripted",
    supports: () => true,
    async *stream({ messages }) {
      const done = doneIn(messages);
      const tasks = script
        .map((step) => step.filter((task) => !done.has(task)))
        .find((step) => step.length > 0);
      const calls = (tasks ?? []).map((task, index) => ({
        index,
        function: { name: "work", arguments: JSON.stringify({ task }) },
      }));
      yield { choices: [{ delta: calls.length > 0 ? { tool_calls: calls } : { content: END } }] };
      yield { choices: [{ delta: {}, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }] };
    },
  };
}

/** A tool that does a task. `moment` may never resolve: the process is killed there. */
export function workTool(
  work: (task: string) => void,
  moment: () => Promise<void>,
  readOnly = false,
): CodebuffRunTool {
  return {
    description: "Does a task.",
    readOnly,
    parameters: { type: "object", properties: { task: { type: "string" } }, required: ["task"] },
    async execute({ input }): Promise<readonly ToolOutput[]> {
      const task = String((input as Readonly<Record<string, unknown>>)["task"]);
      await moment();
      work(task);
      await moment();
      return [{ type: "json", value: `done: ${task}` }];
    },
  };
}
