import { CodebuffRun } from "agentwire/codebuff-run";
import { MockCodebuffBackend } from "agentwire/testing";
import { label, type Stage } from "./stage.ts";

const FIRST = "Is there a test for the parser?";
const SECOND = "What did you search for?";

/**
 * An agent that runs in this process: it calls a tool of this machine, asks a sub-agent, and remembers. Returns what
 * there is to say of it in the summary.
 */
export async function localRun(stage: Stage, pace: number): Promise<string> {
  const said = (text: string) => ({ text: text.split(/(?<= )/), gapMs: pace, usage: { cost: 0.02 } });
  await using backend = await MockCodebuffBackend.start({
    answer: ({ agentId, request: { messages } }) => {
      if (agentId === "reader") return said("It covers numbers alone.");
      const results = messages.filter(({ role }) => role === "tool").length;
      if (messages.some(({ text }) => text.includes(SECOND))) return said("For parser.test.ts, as I said.");
      if (results === 0)
        return {
          ...said("I search. "),
          toolCalls: [{ name: "find_file", arguments: { name: "parser.test.ts" } }],
        };
      if (results === 1)
        return {
          ...said("There is one. "),
          toolCalls: [{ name: "reader", arguments: { prompt: "Read it." } }],
        };
      return said("Yes, but it covers numbers alone.");
    },
  });
  const client = new CodebuffRun({
    baseUrl: backend.url,
    apiKey: backend.apiKey,
    agent: { id: "helper", displayName: "Helper", model: "openai/gpt-5-mini", spawnableAgents: ["reader"] },
    agentDefinitions: [{ id: "reader", displayName: "Reader", model: "openai/gpt-5-mini" }],
    tools: {
      find_file: {
        description: "Finds a file by its name.",
        parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
        execute: ({ input }) => [{ type: "json", value: { found: [`test/${input["name"]}`] } }],
      },
    },
  });
  try {
    const chat = client.conversation();
    let credits = 0;
    for (const prompt of [FIRST, SECOND]) {
      stage.line(`${label("you")}${prompt}`);
      const turn = chat.prompt(prompt);
      let speaks = false;
      turn.on("event", (event) => {
        if (event.type === "chunk") {
          if (!speaks) stage.write(label("agent"));
          speaks = true;
          stage.write(event.chunk);
        } else if (event.type === "tool_call" || event.type === "subagent_start") {
          if (speaks) stage.line();
          speaks = false;
          stage.note(event.type === "tool_call" ? `uses ${event.toolName}` : `${event.displayName} joins`);
        }
      });
      credits += (await turn.result).cost?.amount ?? 0;
      stage.line();
    }
    stage.note(`the tool ran here; the state of the run is JSON: ${chat.messages.length} messages`);
    const { length } = backend.runs();
    return `2 prompts of an agent in this process: ${length} runs with its sub-agent, ${credits} credits`;
  } finally {
    await client.close();
  }
}
