// #region universal-first
import { appendFile } from "node:fs/promises";
import { CodeyClient, toUniversal } from "agentwire/codey";
import { codeyStep, codeyTool, MockCodeyServer } from "agentwire/testing";
import { toJsonl } from "agentwire/universal";

const server = await MockCodeyServer.start({
  answer: () => ["Let me ", "look. ", codeyStep.calls(codeyTool.shell("ls", "a.txt\n")), "One file."],
});
const client = new CodeyClient({ url: server.url, onToolApproval: () => true });
const stream = toUniversal(client.prompt("What is here?")); // in the tick of prompt(): nothing is missed
for await (const event of stream) {
  if (event.type === "item.delta") process.stdout.write(event.data.delta);
  await appendFile("transcript.jsonl", toJsonl([event])); // one line for each event
}
await client.close();
await server.stop();
// #endregion
