import { join } from "node:path";
import type { FakeScript } from "../../src/testing/processes/script-path.ts";
import { BUILD } from "./sources.ts";

/** In place of the file of the same name in `src/`: the program of a mock as one file, as the package has it, which starts faster. */
export function findScript(name: string): FakeScript {
  const { [BUILD]: build } = process.env;
  if (build === undefined) throw new Error("test/helpers/build.ts did not run before the tests");
  return { path: join(build, `${name}.cjs`), env: {} };
}
