import { copyFile } from "node:fs/promises";
import { defineConfig, type Options } from "tsup";
import { noteBundled } from "./scripts/support/bundled.ts";
import { writeCommonJs } from "./scripts/support/commonjs.ts";
import { quietZod } from "./scripts/support/quiet-zod.ts";

const TARGET = "es2022";

const shared = {
  format: "esm",
  target: TARGET,
  platform: "neutral",
  removeNodeProtocol: false,
  minify: true,
  // "#socket" is resolved where the package runs: the platform is the user's, not the build's. "dependencies" of package.json
  // are external too. All else is bundled: so it loads four times faster, and p-retry in CommonJS at all.
  external: ["#socket", /^node:/],
  // zod is an optional peer, for `schemas` alone. tsup leaves out peers unless it is told not to.
  noExternal: [/^zod/],
  esbuildPlugins: [quietZod],
} satisfies Options;

/** All that shares what it has in common. */
const modules = {
  ...shared,
  entry: {
    index: "src/index.ts",
    codebuff: "src/codebuff/index.ts",
    codey: "src/codey/index.ts",
    cass: "src/cass/index.ts",
    "codebuff-cli": "src/codebuff-cli/index.ts",
    "codebuff-cli.unsupported": "src/codebuff-cli/unsupported.ts",
    acp: "src/acp/index.ts",
    "acp.unsupported": "src/acp/unsupported.ts",
    "acp-agent": "src/acp-agent/index.ts",
    "codebuff-run": "src/codebuff-run/index.ts",
    "codebuff-run-tools": "src/codebuff-run/tools/index.ts",
    universal: "src/universal/index.ts",
    chat: "src/chat/index.ts",
    "chat-node": "src/chat/node.ts",
    react: "src/react/index.ts",
    "react-ui": "src/react/ui/index.ts",
    "ai-sdk": "src/ai-sdk/index.ts",
    "ag-ui": "src/ag-ui/index.ts",
    otel: "src/otel/index.ts",
    server: "src/server/index.ts",
    "server-node": "src/server/node.ts",
    "server-redis": "src/server/redis/index.ts",
    remote: "src/remote/index.ts",
    ink: "src/ink/index.ts",
    "schemas.node": "src/schemas/node.ts",
    "socket.node": "src/core/link/socket.node.ts",
    "socket.global": "src/core/link/socket.global.ts",
    agentwire: "src/program/main.ts",
    testing: "src/testing/index.ts",
    "testing-agent": "src/testing/agent/index.ts",
    // No entry for users: it makes the core a chunk of its own, so that who imports an error gets no client.
    core: "src/core/index.ts",
  },
  splitting: true,
} satisfies Options;

/** The only entry that leaves zod to the user: the user composes its schemas with schemas of their own copy. */
const schemas = {
  ...shared,
  entry: { schemas: "src/schemas/index.ts" },
  external: [...shared.external, /^zod/],
  noExternal: [],
  splitting: false,
} satisfies Options;

/** The programs that `agentwire/testing` starts, and the thread of a search: CommonJS, so that each runs wherever it is copied to, and starts fast. */
const scripts = {
  ...shared,
  format: "cjs",
  outExtension: () => ({ js: ".cjs" }),
  entry: {
    "fake-codebuff": "src/testing/codebuff-cli/program/main.ts",
    "mock-acp-agent": "src/testing/acp/program/main.ts",
    "search-worker": "src/codebuff-run/tools/search/matching/worker.ts",
  },
  splitting: false,
} satisfies Options;

/** What the build of the modules takes away first is no file of another build. */
const OTHERS = [
  "!**/*.d.ts",
  "!**/*.d.cts",
  "!**/fake-codebuff.*",
  "!**/mock-acp-agent.*",
  "!**/search-worker.*",
  "!**/schemas.js",
];

/** The styles of `agentwire/react/ui`, as they are, and what CommonJS loads. */
async function finish(): Promise<void> {
  await copyFile("src/react/ui/ui.css", "dist/react-ui.css");
  await writeCommonJs(".");
}

function named(name: string, options: Options): Options {
  return { ...options, name, esbuildPlugins: [...shared.esbuildPlugins, noteBundled(name)] };
}

/** JavaScript only; the declarations, which take longer, are tsup.types.config.ts. */
export default defineConfig([
  { ...named("modules", modules), clean: OTHERS, onSuccess: finish },
  named("schemas", schemas),
  named("scripts", scripts),
]);
