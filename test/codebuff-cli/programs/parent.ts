// A program that uses the client and dies in the middle of a turn: `node parent.ts <how> <what the client is given, as JSON>`.
import { CodebuffCli, type CodebuffCliOptions } from "../../../src/codebuff-cli/index.ts";

const [how, given = "{}"] = process.argv.slice(2);
const options: CodebuffCliOptions = JSON.parse(given);
const clients = [new CodebuffCli(options), ...(how === "two clients" ? [new CodebuffCli(options)] : [])];
const [client] = clients;
let heard = 0;
if (how === "listens itself") process.on("SIGTERM", () => heard++); // and lives on

const turn = client?.prompt("hi");
turn?.on("event", ({ type }) => {
  if (type !== "text") return;
  process.stdout.write("started\n");
  if (how === "exits") process.exit(3);
  if (how === "throws") throw new Error("mine");
  if (how === "throws later") setImmediate(() => Promise.reject(new Error("mine")));
});
const outcome = await turn?.outcome;
process.stdout.write(`${JSON.stringify({ status: outcome?.status, heard })}\n`);
