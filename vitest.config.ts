import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

/** The entries of the package, from the sources. */
export const SOURCES = {
  "#socket": source("core/link/socket.node.ts"),
  "agentwire/codebuff": source("codebuff/index.ts"),
  "agentwire/codey": source("codey/index.ts"),
  "agentwire/cass": source("cass/index.ts"),
  "agentwire/codebuff-cli": source("codebuff-cli/index.ts"),
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

export default defineConfig({
  resolve: {
    alias: SOURCES,
  },
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    testTimeout: 60_000, // some start a compiler, beside other workers on a slow machine
    maxWorkers: Math.ceil(availableParallelism() * 1.5), // many tests wait for processes: a core has work for more than one
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
        "src/codebuff-run/*.ts",
        "src/process/**/*.ts",
      ],
      reporter: ["text-summary"],
      thresholds: { lines: 95, branches: 95 },
    },
  },
});
