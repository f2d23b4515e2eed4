// Prompts when the system has no more files to give: `node no-files.ts`, with a low limit. Says what the turn came to.
import { openSync } from "node:fs";
import { CodebuffCli } from "agentwire/codebuff-cli";

const client = new CodebuffCli({ command: process.execPath, homeDir: "/nowhere/at/all" });
console.log("begins"); // what this opens is open by then
try {
  for (;;) openSync(process.execPath, "r");
} catch {
  const outcome = await client.prompt("hi").outcome;
  console.log(outcome.status === "failed" ? outcome.error.message : outcome.status);
}
await client.close();
