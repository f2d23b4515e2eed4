/** Streams one answer: `npm run example -- examples/stream.ts "Your question"` */
import { CodebuffClient } from "agentwire/codebuff";
import { openServer } from "./support/server.ts";

const server = await openServer();
const client = new CodebuffClient({ url: server.url });
try {
  const turn = client.prompt(process.argv[2] ?? "Write a haiku about sockets.");
  for await (const text of turn.textStream) process.stdout.write(text);
  const { promptId } = await turn.result;
  console.log(`\n(${promptId})`);
} finally {
  await client.close();
  await server.stop();
}
