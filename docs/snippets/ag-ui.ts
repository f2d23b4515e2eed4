import type { HttpAgent, RunAgentInput } from "@ag-ui/client";
import { AG_UI_HEADERS, type AgUiAgent, agUiAgent, encodeSse } from "agentwire/ag-ui";
import { createChat } from "agentwire/chat";
import type { AgentSource } from "agentwire/universal";

export function routeOf(source: AgentSource): (request: Request) => Promise<Response> {
  // #region ag-ui-route
  const agents = new Map<string, AgUiAgent>(); // by thread; check first that the thread is this user's
  async function POST(request: Request): Promise<Response> {
    const input = (await request.json()) as RunAgentInput; // a run checks it
    const agent = agents.get(input.threadId) ?? agUiAgent(createChat(source));
    agents.set(input.threadId, agent);
    const events = agent.run(input, { signal: request.signal });
    return new Response(encodeSse(events), { headers: AG_UI_HEADERS });
  }
  // #endregion
  return POST;
}

// #region ag-ui-client
async function send(client: HttpAgent, text: string): Promise<void> {
  const resume = client.pendingInterrupts.map(({ id }) => ({
    interruptId: id,
    status: "cancelled" as const,
  }));
  client.addMessage({ id: crypto.randomUUID(), role: "user", content: text });
  await client.runAgent({ resume });
}

async function decide(client: HttpAgent, approved: boolean): Promise<void> {
  const resume = client.pendingInterrupts.map(({ id, reason }) => {
    if (reason === "input_required") return { interruptId: id, status: "cancelled" as const }; // a question
    return { interruptId: id, status: "resolved" as const, payload: { approved } };
  });
  await client.runAgent({ resume });
}

// #endregion
export { decide, send };
