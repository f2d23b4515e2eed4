import { copyFile } from "node:fs/promises";
import { transform } from "esbuild";
import { defineConfig, type Options } from "tsup";
import { quietZod } from "./scripts/support/quiet-zod.ts";

type Plugin = NonNullable<Options["plugins"]>[number];

const TARGET = "es2022";

const URL_OF_MODULE = "import.meta.url";
const URL_IN_COMMONJS = 'const moduleUrl = require("node:url").pathToFileURL(__filename).href;';

/**
 * CommonJS is built as ES modules, split like them, and each file is turned into CommonJS by itself. esbuild
 * does not split CommonJS: it would put a copy of every shared class into every entry, and an error of
 * `agentwire/codebuff` would be no `instanceof` the class in `agentwire`. tsup's own splitting for CommonJS
 * also rewrites `?.` and `??` into calls, which the hot path would pay for.
 */
const toCommonJs: Plugin = {
  name: "to-commonjs",
  renderChunk: (code) =>
    transform(code, {
      format: "cjs",
      platform: "node",
      target: TARGET,
      // What an ES module is without saying so; and where it is, which CommonJS says by another name.
      banner: code.includes(URL_OF_MODULE) ? `"use strict"; ${URL_IN_COMMONJS}` : '"use strict";',
      define: { [URL_OF_MODULE]: "moduleUrl" },
      // `require`, so that the "require" condition of "#socket" is the one that counts.
      supported: { "dynamic-import": false },
    }),
};

const shared = {
  format: "esm",
  target: TARGET,
  platform: "neutral",
  removeNodeProtocol: false,
  // "#socket" is resolved where the package runs: the platform is the user's, not the build's. "dependencies" of package.json
  // are external too. All else is bundled: so it loads four times faster, and p-retry in CommonJS at all.
  external: ["#socket", /^node:/],
  // zod is an optional peer, for `schemas` alone. tsup leaves out peers unless it is told not to.
  noExternal: [/^zod/],
  esbuildPlugins: [quietZod],
} satisfies Options;

/** The clients, which share what they have in common. */
const clients = {
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
    "schemas.node": "src/schemas/node.ts",
    // No entry for users: it makes the core a chunk of its own, so that who imports an error gets no client.
    core: "src/core/index.ts",
  },
  splitting: true,
} satisfies Options;

/** What no client shares anything with, each a file by itself: split together, every client would load the pieces one by one. */
const apart = {
  ...shared,
  entry: {
    testing: "src/testing/index.ts",
    "testing-agent": "src/testing/agent/index.ts",
    "socket.node": "src/core/link/socket.node.ts",
    "socket.global": "src/core/link/socket.global.ts",
  },
  splitting: false,
} satisfies Options;

/** The only entry that leaves zod to the user: the user composes its schemas with schemas of their own copy. */
const schemas = {
  ...shared,
  entry: { schemas: "src/schemas/index.ts" },
  external: [...shared.external, /^zod/],
  noExternal: [],
  splitting: false,
} satisfies Options;

/** The mocks are files by themselves, which the program loads as they are. */
const builtMocks: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "built-mocks",
  setup({ onResolve }) {
    onResolve({ filter: /\/testing\/(?:agent\/)?index\.ts$/ }, ({ path, kind }) =>
      kind === "dynamic-import"
        ? { path: path.includes("/agent/") ? "./testing-agent.js" : "./testing.js", external: true }
        : undefined,
    );
  },
};

/**
 * Ink is an ES module that awaits at its top level, which CommonJS cannot load. The program shares the chunks of the clients, and takes
 * the packages of the user's that it needs.
 */
const esmClients = {
  ...clients,
  entry: { ...clients.entry, ink: "src/ink/index.ts", agentwire: "src/program/main.ts" },
  esbuildPlugins: [...clients.esbuildPlugins, builtMocks],
} satisfies Options;

const commonJs = { outExtension: () => ({ js: ".cjs" }), plugins: [toCommonJs] } satisfies Options;

/** The programs that `agentwire/testing` starts: CommonJS, so that they run wherever they are copied to, and start fast. */
const programs = {
  ...shared,
  ...commonJs,
  entry: {
    "fake-codebuff": "src/testing/codebuff-cli/program/main.ts",
    "mock-acp-agent": "src/testing/acp/program/main.ts",
  },
  splitting: false,
} satisfies Options;

const TYPES_AND_APART = [
  "!**/*.d.ts",
  "!**/*.d.cts",
  "!**/*.css",
  "!**/testing*",
  "!**/socket.*",
  "!**/fake-codebuff.*",
  "!**/mock-acp-agent.*",
  "!**/search-worker.*",
  "!**/schemas.*",
];

/** A thread that the search of `agentwire/codebuff-run/tools` starts: one file for both formats. */
const searchWorker = {
  ...shared,
  ...commonJs,
  entry: { "search-worker": "src/codebuff-run/tools/search/matching/worker.ts" },
  splitting: false,
} satisfies Options;

/** The styles of `agentwire/react/ui`, as they are. */
const copyStyles = () => copyFile("src/react/ui/ui.css", "dist/react-ui.css");

/** JavaScript only; the declarations, which take longer, are tsup.types.config.ts. Each cleans up its own files. */
export default defineConfig([
  { ...esmClients, name: "esm", clean: ["!**/*.cjs", ...TYPES_AND_APART], onSuccess: copyStyles },
  { ...clients, ...commonJs, name: "cjs", clean: ["!**/*.js", ...TYPES_AND_APART] },
  { ...apart, name: "esm apart" },
  { ...apart, ...commonJs, name: "cjs apart" },
  { ...schemas, name: "esm schemas" },
  { ...schemas, ...commonJs, name: "cjs schemas" },
  { ...programs, name: "programs" },
  { ...searchWorker, name: "search worker" },
]);
