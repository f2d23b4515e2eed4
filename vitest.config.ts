import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin, type TestProjectConfiguration } from "vitest/config";
import { filesApart, groupsBut } from "./test/apart.ts";
import { isWide } from "./test/helpers/runs.ts";
import { SOURCES } from "./test/helpers/sources.ts";

/**
 * Where a worker runs one file after the other: nothing of these replaces what others use, and module state may be shared. The groups are
 * apart, so that no worker runs files of two.
 */
const SHARED_GROUPS: Readonly<Record<string, readonly string[]>> = {
  shared: [
    "cass",
    "ag-ui",
    "ai-sdk",
    "chat",
    "otel",
    "codebuff",
    "codebuff-events",
    "codebuff-run",
    "codey",
    "core",
    "names",
    "properties",
    "schemas",
    "screens",
    "testing",
    "universal",
  ],
  // The more memory a worker holds, the longer it takes to start a process, and these start a thousand.
  programs: ["acp", "acp-agent", "codebuff-cli", "contract"],
  // Ink replaces the console.
  ink: ["ink"],
};

/** Where coverage is not counted: programs in other processes, and tests whose cost counting would multiply. */
const UNCOUNTED = [
  "test/{bench,browser,checks,docs,examples,foreign,interop,program,sixth,soak,tui}/**/*.test.{ts,tsx}",
  "test/**/*-cost.test.ts",
];

/**
 * The acceptance suites once more, on Node's own WebSocket in place of `ws`. `npm run test:browser` runs them in Chromium, so `npm test`
 * leaves them to `npm run full`, which sets this variable.
 */
const wide = isWide ? ["test/**/*.wide.ts"] : [];

const testsOf = (group: string) => `test/${group}/**/*.test.{ts,tsx}`;
const sharedGroups = Object.values(SHARED_GROUPS).flat();
const apart = filesApart(sharedGroups.map(testsOf));
const otherGroups = groupsBut(sharedGroups).map(testsOf);

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
        find: /^\.\.\/processes\/script-path\.ts$/,
        replacement: fileURLToPath(new URL("./test/helpers/script-path.ts", import.meta.url)),
      },
    ],
  },
  test: {
    globalSetup: ["test/helpers/build.ts"],
    testTimeout: 60_000, // some start a compiler, beside other workers on a slow machine
    maxWorkers: Math.ceil(availableParallelism() * 1.5), // many tests wait for processes: a core has work for more than one
    projects: [
      ...Object.entries(SHARED_GROUPS).map(
        ([name, groups]): TestProjectConfiguration => ({
          extends: true,
          test: {
            name,
            include: groups.map(testsOf),
            exclude: [...apart, ...UNCOUNTED],
            isolate: false,
            env: { NO_COLOR: "" }, // themes with colours are tested in CI too
          },
        }),
      ),
      {
        extends: true,
        test: {
          name: "apart",
          include: [...otherGroups, ...apart],
          exclude: UNCOUNTED,
        },
      },
      { extends: true, plugins: [uncounted], test: { name: "uncounted", include: [...UNCOUNTED, ...wide] } },
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
        "src/react/!(ui)/**/*.ts", // the page, and its words, are tested in Chromium
        "src/react/*.ts",
        "src/ink/**/*.{ts,tsx}",
        "src/screens/!(words-page).ts",
        "src/screens/*/**/*.ts",
        "src/schemas/**/*.ts",
        "src/ai-sdk/**/*.ts",
        "src/ag-ui/**/*.ts",
        "src/acp-agent/!(stdio).ts", // which runs in processes of its own
        "src/otel/**/*.ts",
        "src/server/**/*.ts",
        "src/remote/**/*.ts",
        "src/codebuff-cli/**/*.ts",
        "src/acp/**/*.ts",
        "src/codebuff-run/!(tools)/**/*.ts",
        "src/codebuff-run/*.ts",
        "src/process/**/*.ts",
      ],
      reporter: ["text-summary"],
      thresholds: { lines: 95, branches: 95 },
    },
  },
});
