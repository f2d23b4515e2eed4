/** Three ways to end an answer early: `npm run example -- examples/cancel.ts` */
import { CodebuffClient, isAgentwireError } from "agentwire/codebuff";
import { openServer } from "./support/server.ts";

const server = await openServer();
const client = new CodebuffClient({ url: server.url });
try {
  // Leaving the loop cancels the turn.
  for await (const text of client.prompt("Count to a thousand.").textStream) {
    console.log("first piece:", JSON.stringify(text));
    break;
  }

  // cancel() ends the loop without a throw; the outcome says what there was.
  const turn = client.prompt("Count to a thousand.");
  const outcome = await turn.cancel();
  console.log("cancelled:", outcome.status);

  // A signal is thrown, with its reason as the cause.
  const { result } = client.prompt("Count to a thousand.", { signal: AbortSignal.timeout(0) });
  await result.catch((error: unknown) => {
    if (!isAgentwireError(error, "turn-cancelled")) throw error;
    console.log("aborted:", error.message);
  });
} finally {
  // Waits until the server is done with what was cancelled: it cannot be told to stop.
  await client.close();
  await server.stop();
}
