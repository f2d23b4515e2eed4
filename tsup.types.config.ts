import { defineConfig } from "tsup";

/** The declarations, each entry with the types it shares with others in common files. scripts/commonjs-types.ts makes those of CommonJS of them. */
export default defineConfig({
  name: "types",
  entry: {
    index: "src/index.ts",
    codebuff: "src/codebuff/index.ts",
    codey: "src/codey/index.ts",
    cass: "src/cass/index.ts",
    "codebuff-cli": "src/codebuff-cli/index.ts",
    acp: "src/acp/index.ts",
    "acp-agent": "src/acp-agent/index.ts",
    "codebuff-run": "src/codebuff-run/index.ts",
    "codebuff-run-tools": "src/codebuff-run/tools/index.ts",
    universal: "src/universal/index.ts",
    chat: "src/chat/index.ts",
    "chat-node": "src/chat/node.ts",
    react: "src/react/index.ts",
    "react-ui": "src/react/ui/index.ts",
    ink: "src/ink/index.ts",
    "ai-sdk": "src/ai-sdk/index.ts",
    "ag-ui": "src/ag-ui/index.ts",
    otel: "src/otel/index.ts",
    server: "src/server/index.ts",
    "server-node": "src/server/node.ts",
    "server-redis": "src/server/redis/index.ts",
    remote: "src/remote/index.ts",
    schemas: "src/schemas/index.ts",
    testing: "src/testing/index.ts",
    "testing-agent": "src/testing/agent/index.ts",
  },
  format: "esm",
  tsconfig: "tsconfig.ui.json",
  clean: true,
  // The reference brings `AsyncDisposable` to users whose own "lib" is older than it.
  dts: { only: true, banner: '/// <reference lib="esnext.disposable" />' },
});
