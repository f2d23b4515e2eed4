// #region start-first
import { MockAgent } from "agentwire/testing/agent";

const client = new MockAgent().client();
for await (const text of client.prompt("Hello!").textStream) process.stdout.write(text);
await client.close();
// #endregion
