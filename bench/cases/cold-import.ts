import { join } from "node:path";
import { run, tail } from "../../scripts/support/run.ts";
import { median } from "../support/numbers.ts";
import type { Case } from "./figure.ts";

const ROOT = join(import.meta.dirname, "../..");
/** What a program imports that speaks to a GraphQL server. */
const PEER = join(import.meta.dirname, "../support/graphql-ws.js");

const ROUNDS = { full: 21, quick: 9 } as const;
const PEERS = { full: ["@atproto/ws-client", "zod/mini", "zod"], quick: [] } as const;

export const coldImport: Case = {
  name: "cold-import",
  about: "the first import of a protocol in a fresh process",
  async measure(effort, progress) {
    const rounds = ROUNDS[effort];
    const modules = ["agentwire/codebuff", "agentwire/codey", "agentwire/cass", ...PEERS[effort]];
    progress(`${rounds} processes for each of ${modules.length + 1} modules, in turns`);
    const ratios = new Map<string, number[]>(modules.map((name) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      const peer = await importTime(PEER);
      for (const [name, found] of ratios) found.push((await importTime(name)) / peer);
    }
    const [codebuff = Number.NaN, codey = Number.NaN, cass = Number.NaN, ...others] = [
      ...ratios.values(),
    ].map(median);
    return [
      {
        name: "cold-import",
        about: "cold import of `agentwire/codebuff`, over `graphql-ws` and `ws`",
        unit: "x",
        bar: 0.6,
        aim: 0.3,
        measured: codebuff,
        peers: Object.fromEntries(others.map((value, index) => [modules[index + 3] ?? "", value])),
      },
      {
        name: "cold-import-codey",
        about: "cold import of `agentwire/codey`, over `graphql-ws` and `ws`",
        unit: "x",
        bar: 0.6,
        aim: 0.3,
        measured: codey,
      },
      {
        name: "cold-import-cass",
        about: "cold import of `agentwire/cass`, over `graphql-ws` and `ws`",
        unit: "x",
        bar: 0.6,
        aim: 0.3,
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
