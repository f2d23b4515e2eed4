// A program that uses the client and dies in the middle of a turn: `node parent.ts <how> <what the client is given, as JSON>`.
import { writeSync } from "node:fs";
import { CodebuffCli, type CodebuffCliOptions } from "agentwire/codebuff-cli";
import { onExit } from "signal-exit";

const [how, given = "{}"] = process.argv.slice(2);
// Before there are clients: who listens first decides first.
if (how === "with another library") onExit(() => void writeSync(1, "the other library\n"));
const options: CodebuffCliOptions = JSON.parse(given);
const clients = [new CodebuffCli(options), ...(how === "two clients" ? [new CodebuffCli(options)] : [])];
const [client] = clients;
if (how === "listens itself" || how === "prompts twice")
  process.on("SIGTERM", () => process.stdout.write("heard\n")); // and lives on

for (let prompts = how === "prompts twice" ? 2 : 1; prompts > 0; prompts--) {
  const turn = client?.prompt("hi");
  turn?.on("event", ({ type }) => {
    if (type !== "text") return;
    if (how === "cancels") void turn.cancel();
    process.stdout.write("started\n");
    if (how === "exits") process.exit(3);
    if (how === "throws") throw new Error("mine");
    if (how === "throws later") setImmediate(() => Promise.reject(new Error("mine")));
  });
  const outcome = await turn?.outcome;
  process.stdout.write(`${JSON.stringify({ status: outcome?.status })}\n`);
}
if (how === "idles") setInterval(() => {}, 1_000_000);
