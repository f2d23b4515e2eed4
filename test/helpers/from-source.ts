// For a program in a process of its own that is to run from the sources: `node --import <this file> program.ts`.
import { registerHooks } from "node:module";
import "../../scripts/support/tsx.ts";

const SOURCES: Readonly<Record<string, string>> = {
  "#socket": "core/link/socket.node.ts",
  agentwire: "index.ts",
  "agentwire/cass": "cass/index.ts",
  "agentwire/chat": "chat/index.ts",
  "agentwire/chat/node": "chat/node.ts",
  "agentwire/codebuff": "codebuff/index.ts",
  "agentwire/codebuff-cli": "codebuff-cli/index.ts",
  "agentwire/codebuff-run/tools": "codebuff-run/tools/index.ts",
  "agentwire/codebuff-run": "codebuff-run/index.ts",
  "agentwire/codey": "codey/index.ts",
  "agentwire/ink": "ink/index.ts",
  "agentwire/react": "react/index.ts",
  "agentwire/schemas": "schemas/index.ts",
  "agentwire/testing": "testing/index.ts",
  "agentwire/testing/agent": "testing/agent/index.ts",
  "agentwire/universal": "universal/index.ts",
};

registerHooks({
  resolve: (specifier, context, next) => {
    const source = Object.hasOwn(SOURCES, specifier) ? SOURCES[specifier] : undefined;
    return next(source ? new URL(`../../src/${source}`, import.meta.url).href : specifier, context);
  },
});
