// Reads a long stream slowly, and tells what that took: `node --expose-gc slow-reader.ts <what the client is given, as JSON>`.
import { setImmediate } from "node:timers/promises";
import { CodebuffCli, type CodebuffCliOptions } from "agentwire/codebuff-cli";

const options: CodebuffCliOptions = JSON.parse(process.argv[2] ?? "{}");
const client = new CodebuffCli(options);
const turn = client.prompt("hi");

let pushed = 0;
let read = 0;
let waiting = 0;
turn.on("event", () => {
  pushed++;
  waiting = Math.max(waiting, pushed - read);
});

/** Bytes that are in use, but for the text of the turn itself. */
function used(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external - turn.text.length;
}

const samples: number[] = [];
for await (const _ of turn) {
  read++;
  if (read % 100 === 0) await setImmediate(); // as slow as what else there is to do
  if (read % 250_000 === 0) samples.push(used());
}
const { text } = await turn.result;
console.log(JSON.stringify({ read, waiting, samples, characters: text.length }));
