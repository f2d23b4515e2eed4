import { readdir } from "node:fs/promises";
import {
  type AgentDefinition,
  type CodebuffRunOptions,
  type CodebuffRunTool,
  openAiCompatible,
} from "agentwire/codebuff-run";
import { type BackendScript, MockCodebuffBackend } from "agentwire/testing";

/** Where models answer. */
export interface RunServer {
  readonly options: Pick<CodebuffRunOptions, "apiKey" | "baseUrl" | "providers">;
  stop(): Promise<void>;
}

/** An agent that looks around. Every agent may call the tools of the client. */
export function lookingAgent(model = "openai/gpt-5-mini"): AgentDefinition {
  return {
    id: "looker",
    displayName: "Looker",
    model,
    systemPrompt: "You answer questions about the current folder. Use your tools. Be short.",
    toolNames: ["ask_user"],
  };
}

/** A tool of this machine. It only reads, and only this folder; it is asked about all the same. */
export const listFolder: CodebuffRunTool = {
  description: "Lists the names in the current folder.",
  parameters: { type: "object", properties: {} },
  execute: async () => {
    const names = (await readdir(".")).filter((name) => !name.startsWith("."));
    return [{ type: "json", value: { names } }];
  },
};

/** A server with OpenAI's API, such as http://127.0.0.1:11434/v1. Its key, if it needs one, is OPENAI_API_KEY. */
export function openAiServer(baseUrl: string, model: string): RunServer {
  const apiKey = process.env["OPENAI_API_KEY"];
  const provider = openAiCompatible({ baseUrl, model, ...(apiKey ? { apiKey } : {}) });
  return { options: { providers: [provider] }, stop: async () => {} };
}

/** A backend inside this process, with a scripted model. */
export async function scriptedServer(): Promise<RunServer> {
  const backend = await MockCodebuffBackend.start({ answer: script });
  const { apiKey, url: baseUrl } = backend;
  return { options: { apiKey, baseUrl }, stop: () => backend.stop() };
}

/** Looks once in a conversation; later it goes by what it has seen and heard. */
const script: BackendScript = ({ request: { messages } }) => {
  const prompts = messages.flatMap(({ role, text }) => (role === "user" ? promptIn(text) : []));
  const seen = messages.findLast(({ role }) => role === "tool")?.text;
  const pace = { gapMs: 20, usage: { cost: 0.02 } };
  if (seen === undefined)
    return { text: words("Let me look around. "), toolCalls: [{ name: "list_folder" }], ...pace };
  if (prompts.length > 1)
    return { text: words(`Before that you asked: ${prompts[0]} I have not looked again.`), ...pace };
  const { names }: { readonly names?: readonly string[] } = JSON.parse(seen);
  return {
    text: words(names ? `There are ${names.length} names here.` : "As you like: I have looked at nothing."),
    ...pace,
  };
};

/** What the user said, without the marks around it. */
function promptIn(text: string): readonly string[] {
  return [...text.matchAll(/<user_message>(.*?)<\/user_message>/gs)].map(([, said = ""]) => said);
}

function words(text: string): readonly string[] {
  return text.split(/(?<= )/);
}
