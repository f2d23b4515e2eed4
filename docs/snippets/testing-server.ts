// #region testing-server
import { CodebuffClient } from "agentwire/codebuff";
import { MockCodebuffServer, step } from "agentwire/testing";

const server = await MockCodebuffServer.start({
  answer: ({ messages }) => ["Hello ", step.delay(20), `you said ${messages.at(-1)?.content}`],
});
const client = new CodebuffClient({ url: server.url });
const { text } = await client.prompt("hello").result; // in place of your app
console.log(text);
console.log(server.prompts.length, server.violations); // what it received, and what the client did wrong
await client.close();
await server.stop();
// #endregion
