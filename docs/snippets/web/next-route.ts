// A route handler of Next for docs/react.md. Web standards only: it needs no import of Next.
// #region react-next-route
// app/api/agent/route.ts
import { codebuff } from "agentwire/codebuff";
import { toJsonl } from "agentwire/universal";

const authToken = process.env["AGENT_TOKEN"]; // stays on the server
const source = codebuff({
  url: process.env["AGENT_URL"] ?? "ws://127.0.0.1:4242/ws",
  ...(authToken ? { authToken } : {}),
});

export async function POST(request: Request): Promise<Response> {
  const prompt = await request.text();
  if (prompt.trim() === "") return new Response("A blank prompt", { status: 400 });
  const client = source.client();
  const turn = client.prompt(prompt, { read: false, signal: request.signal }); // a closed page cancels the turn
  const events = source.toUniversal(turn).events()[Symbol.asyncIterator]();
  const lines = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await events.next();
      if (!done) return controller.enqueue(new TextEncoder().encode(toJsonl([value])));
      controller.close();
      await client.close();
    },
    async cancel() {
      await turn.cancel(); // `close` alone waits for the end of the turn
      await client.close();
    },
  });
  return new Response(lines, { headers: { "content-type": "application/x-ndjson" } });
}
// #endregion
