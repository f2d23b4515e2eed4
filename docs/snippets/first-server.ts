// #region first-server
import { CodebuffClient } from "agentwire/codebuff";

const url = process.env["AGENTWIRE_URL"] ?? "ws://127.0.0.1:8000/ws";
const client = new CodebuffClient({ url });
try {
  const turn = client.prompt("Write a haiku about sockets.");
  for await (const text of turn.textStream) process.stdout.write(text);
  const { promptId } = await turn.result;
  console.log(`\n(prompt ${promptId} is complete)`);
} finally {
  await client.close();
}
// #endregion
