// Goes on with the run in `folder`, and stops for ever at one moment: `node killed-run.ts <folder> <script> <moment>`.
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CodebuffRun } from "agentwire/codebuff-run";
import { scriptedModel, workTool } from "../scripted-work.ts";

const [, , folder = "", script = "[]", last = "0"] = process.argv;
const file = join(folder, "state.json");

let moments = 0;
const moment = async (): Promise<void> => {
  if (++moments !== Number(last)) return;
  console.log("here");
  setInterval(() => {}, 1e6);
  await new Promise(() => {});
};

const client = new CodebuffRun({
  providers: [scriptedModel(JSON.parse(script))],
  agent: { id: "worker", displayName: "Worker", model: "any" },
  tools: { work: workTool((task) => appendFileSync(join(folder, "ran"), `${task}\n`), moment) },
});
const isBegun = existsSync(file);
const turn = client.prompt(isBegun ? "Go on." : "Do it.", {
  ...(isBegun ? { previousRun: JSON.parse(readFileSync(file, "utf8")) } : {}),
  onState: async (state) => {
    await moment();
    writeFileSync(`${file}.new`, JSON.stringify(state));
    renameSync(`${file}.new`, file);
    await moment();
  },
});
console.log(`end: ${(await turn.result).text}`);
