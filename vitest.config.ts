import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vitest/config";
import { filesApart, groupsBut } from "./test/apart.ts";
import { SOURCES } from "./test/helpers/sources.ts";

/** Where a worker runs one file after the other: nothing of these is in another process, and module state may be shared. */
const SHARED_GROUPS = [
  "cass",
  "chat",
  "codebuff",
  "codebuff-cli",
  "codebuff-events",
  "codebuff-run",
  "codey",
  "contract",
  "core",
  "ink",
  "names",
  "properties",
  "schemas",
  "testing",
  "universal",
];

/** Where coverage is not counted: programs in other processes, and tests whose cost counting would multiply. */
const UNCOUNTED = [
  "test/{bench,browser,checks,docs,examples,foreign,interop,sixth,soak,tui}/**/*.test.{ts,tsx}",
  "test/**/*-cost.test.ts",
  "test/*/acceptance/browser.test.ts", // a suite that is counted already, on another socket
];

const testsOf = (group: string) => `test/${group}/**/*.test.{ts,tsx}`;
const shared = SHARED_GROUPS.map(testsOf);
const apart = filesApart(shared);
const otherGroups = groupsBut(SHARED_GROUPS).map(testsOf);

/** Workers of this project count no coverage, whatever `--coverage` says. */
const uncounted: Plugin = {
  name: "uncounted",
  configureVitest({ project }) {
    project.config.coverage = { ...project.config.coverage, enabled: false };
  },
};

export default defineConfig({
  resolve: {
    alias: [
      ...Object.entries(SOURCES).map(([find, replacement]) => ({ find, replacement })),
      // The fake CLI of the build that this run has made.
      {
        find: /^\.\/script-path\.ts$/,
        replacement: fileURLToPath(new URL("./test/helpers/script-path.ts", import.meta.url)),
      },
    ],
  },
  test: {
    globalSetup: ["test/helpers/build.ts"],
    testTimeout: 60_000, // some start a compiler, beside other workers on a slow machine
    maxWorkers: Math.ceil(availableParallelism() * 1.5), // many tests wait for processes: a core has work for more than one
    projects: [
      {
        extends: true,
        test: { name: "shared", include: shared, exclude: [...apart, ...UNCOUNTED], isolate: false },
      },
      {
        extends: true,
        test: {
          name: "apart",
          include: [...otherGroups, ...apart],
          exclude: UNCOUNTED,
        },
      },
      { extends: true, plugins: [uncounted], test: { name: "uncounted", include: UNCOUNTED } },
    ],
    coverage: {
      provider: "v8",
      include: [
        "src/core/**/*.ts",
        "src/codebuff-events/**/*.ts",
        "src/codebuff/**/*.ts",
        "src/codey/**/*.ts",
        "src/cass/**/*.ts",
        "src/universal/**/*.ts",
        "src/chat/**/*.ts",
        "src/react/**/*.ts",
        "src/ink/**/*.{ts,tsx}",
        "src/schemas/**/*.ts",
        "src/codebuff-cli/**/*.ts",
        "src/codebuff-run/!(tools)/**/*.ts",
        "src/codebuff-run/*.ts",
        "src/process/**/*.ts",
      ],
      reporter: ["text-summary"],
      thresholds: { lines: 95, branches: 95 },
    },
  },
});
