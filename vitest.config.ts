import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vitest/config";
import { filesApart, groupsBut } from "./test/apart.ts";

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

/** The entries of the package, from the sources. */
export const SOURCES = {
  "#socket": source("core/link/socket.node.ts"),
  "agentwire/codebuff": source("codebuff/index.ts"),
  "agentwire/codey": source("codey/index.ts"),
  "agentwire/cass": source("cass/index.ts"),
  "agentwire/codebuff-cli": source("codebuff-cli/index.ts"),
  "agentwire/acp": source("acp/index.ts"),
  "agentwire/codebuff-run/tools": source("codebuff-run/tools/index.ts"),
  "agentwire/codebuff-run": source("codebuff-run/index.ts"),
  "agentwire/universal": source("universal/index.ts"),
  "agentwire/chat/node": source("chat/node.ts"),
  "agentwire/chat": source("chat/index.ts"),
  "agentwire/react": source("react/index.ts"),
  "agentwire/ink": source("ink/index.ts"),
  "agentwire/schemas": source("schemas/index.ts"),
  "agentwire/testing/agent": source("testing/agent/index.ts"),
  "agentwire/testing": source("testing/index.ts"),
  agentwire: source("index.ts"),
};

/** Where a worker runs one file after the other: nothing of these is in another process, and module state may be shared. */
const SHARED_GROUPS = [
  "cass",
  "chat",
  "codebuff",
  "codebuff-events",
  "codebuff-run",
  "codey",
  "contract",
  "core",
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
    alias: SOURCES,
  },
  test: {
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
