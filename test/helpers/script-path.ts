import { join } from "node:path";
import type { FakeScript } from "../../src/testing/codebuff-cli/script-path.ts";
import { BUILD } from "./sources.ts";

/** In place of the file of the same name in `src/`: the fake program as one file, as the package has it, which starts faster. */
export function findScript(): FakeScript {
  const { [BUILD]: build } = process.env;
  if (build === undefined) throw new Error("test/helpers/build.ts did not run before the tests");
  return { path: join(build, "fake-codebuff.cjs"), env: {} };
}
