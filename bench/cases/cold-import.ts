import { join } from "node:path";
import { run, tail } from "../../scripts/support/run.ts";
import { median } from "../support/numbers.ts";
import type { Case } from "./figure.ts";

const ROOT = join(import.meta.dirname, "../..");
const EMPTY = join(import.meta.dirname, "../support/empty.js");

const ROUNDS = { full: 21, quick: 9 } as const;
const PEERS = { full: ["graphql-ws", "@atproto/ws-client", "zod/mini", "zod"], quick: [] } as const;

export const coldImport: Case = {
  name: "cold-import",
  about: "the first import of a protocol in a fresh process",
  async measure(effort, progress) {
    const rounds = ROUNDS[effort];
    const modules = ["agentwire/codebuff", "agentwire/codey", "agentwire/cass", ...PEERS[effort]];
    progress(`${rounds} processes for each of ${modules.length + 1} modules, in turns`);
    const ratios = new Map<string, number[]>(modules.map((name) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      const empty = await importTime(EMPTY);
      for (const [name, found] of ratios) found.push((await importTime(name)) / empty);
    }
    const [codebuff = Number.NaN, codey = Number.NaN, cass = Number.NaN, ...others] = [
      ...ratios.values(),
    ].map(median);
    return [
      {
        name: "cold-import",
        about: "cold import of `agentwire/codebuff`, over an empty module",
        unit: "x",
        bar: 6,
        aim: 4,
        measured: codebuff,
        peers: Object.fromEntries(others.map((value, index) => [modules[index + 3] ?? "", value])),
      },
      {
        name: "cold-import-codey",
        about: "cold import of `agentwire/codey`, over an empty module",
        unit: "x",
        bar: 6,
        aim: 4,
        measured: codey,
      },
      {
        name: "cold-import-cass",
        about: "cold import of `agentwire/cass`, over an empty module",
        unit: "x",
        bar: 6,
        aim: 4,
        measured: cass,
      },
    ];
  },
};

/**
 * ms from Node's own start to the first line of a program that imports a module: what its user waits for, and what
 * the loader does for every program is in it.
 */
async function importTime(name: string): Promise<number> {
  const program = `
    import ${JSON.stringify(name)};
    console.log(performance.now() - performance.nodeTiming.bootstrapComplete);`;
  const result = await run(process.execPath, ["--input-type=module", "--eval", program], { cwd: ROOT });
  const time = Number.parseFloat(result.stdout);
  if (!result.ok || Number.isNaN(time)) throw new Error(`importing ${name} failed:\n${tail(result)}`);
  return time;
}
