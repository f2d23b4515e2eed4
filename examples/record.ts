/** Records a session, credentials taken out, and plays it back: `npm run example -- examples/record.ts [file]` */
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CodebuffClient } from "agentwire/codebuff";
import { Recorder, Replayer, toFile } from "agentwire/testing";
import { openServer } from "./support/server.ts";

const file = process.argv[2] ?? join(tmpdir(), "agentwire-session.jsonl");
const question = "Write a haiku about sockets.";

const server = await openServer();
const recorder = new Recorder({ output: toFile(file) });
const recorded = new CodebuffClient({
  url: server.url,
  authToken: "a-token-that-nobody-should-read",
  createWebSocket: recorder.createWebSocket,
});
const { text } = await recorded.prompt(question).result;
await recorded.close();
await recorder.stop();
await server.stop();
console.log("recorded:", text);
console.log("the token is in the file:", readFileSync(file, "utf8").includes("nobody-should-read"));

const replayer = await Replayer.start({ file });
const client = new CodebuffClient({ url: replayer.url });
console.log("replayed:", (await client.prompt(question).result).text);
await client.close();
await replayer.stop();
console.log("the file:", file);
