import { parentPort } from "node:worker_threads";
import { checkSync, type Parameters } from "recheck";
import type { Form } from "./expressions.ts";
import type { Verdict } from "./judge.ts";

/** ms for one expression: those of `src/` take 2 s at most on an idle machine, and 10 s on one with ten times its work. */
const TIMEOUT = 60_000;

/**
 * Where recheck tries attacks, it counts characters, and no ms: a busy machine gives the same verdict. So many characters take a second, and
 * show whatever is quadratic.
 */
const PARAMETERS: Parameters = {
  timeout: TIMEOUT,
  seedingTimeout: null,
  incubationTimeout: null,
  attackTimeout: null,
  attackLimit: 30_000_000,
};

parentPort?.on("message", ({ source, flags }: Form) => {
  parentPort?.postMessage(judge(source, flags));
});

function judge(source: string, flags: string): Verdict {
  // recheck does not know the flag `d`, which costs no time: it keeps the places of groups.
  const found = checkSync(source, flags.replace("d", ""), PARAMETERS);
  if (found.status === "safe") return undefined;
  if (found.status === "unknown") return `recheck cannot judge it (${found.error.kind})`;
  return `takes ${found.complexity.summary} time, for example for ${found.attack.pattern}`;
}
