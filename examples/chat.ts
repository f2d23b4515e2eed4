/** A chat in the terminal that remembers: `npm run example -- examples/chat.ts` */
import { createInterface } from "node:readline/promises";
import { CodebuffClient, isAgentwireError } from "agentwire/codebuff";
import { openServer } from "./support/server.ts";

const server = await openServer();
const client = new CodebuffClient({ url: server.url });
client.on("reconnecting", ({ delay }) => console.log(`(link lost, trying again in ${Math.round(delay)} ms)`));
const chat = client.conversation();
const terminal = createInterface({ input: process.stdin });
console.log("An empty line or Ctrl-D ends the chat.");
process.stdout.write("you> ");
try {
  for await (const question of terminal) {
    if (question.trim() === "") break;
    try {
      for await (const text of chat.prompt(question).textStream) process.stdout.write(text);
    } catch (error) {
      if (!isAgentwireError(error)) throw error;
      process.stdout.write(`\n${error.message}`);
    }
    process.stdout.write("\nyou> ");
  }
} finally {
  terminal.close();
  await client.close();
  await server.stop();
}
