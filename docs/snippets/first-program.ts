// #region first-program
import { CodebuffClient } from "agentwire/codebuff";
import { MockCodebuffServer } from "agentwire/testing";

const server = await MockCodebuffServer.start({ answer: () => ["Frames cross ", "the quiet wire."] });
const client = new CodebuffClient({ url: server.url });
for await (const text of client.prompt("Write a haiku.").textStream) process.stdout.write(text);
await client.close();
await server.stop();
// #endregion
