import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import base from "./vitest.config.ts";

/** What stays behind after a thousand times: `npm run test:leaks`. Apart, because the collector has to be at hand. */
export default defineConfig({
  // Not merged: that would add the files of this suite to all the others.
  ...base,
  test: {
    globalSetup: ["test/helpers/build.ts"],
    include: ["test/leaks/**/*.leaks.ts"],
    pool: "forks",
    maxWorkers: availableParallelism(), // a file measures its own process alone
    execArgv: ["--expose-gc", "--disable-warning=ExperimentalWarning"],
    testTimeout: 120_000,
  },
});
