import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const source = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));

// A project of yours has none of this: after `npm install agentwire react react-dom`, Vite finds the packages by itself, and the page
// imports `agentwire/react` as it does here. In this repository there is only the source. TSX needs no plugin.
export default defineConfig({
  root: import.meta.dirname,
  // The page can be put under any path of a host.
  base: "./",
  resolve: {
    alias: {
      "agentwire/cass": source("cass/index.ts"),
      "agentwire/chat": source("chat/index.ts"),
      "agentwire/codebuff": source("codebuff/index.ts"),
      "agentwire/codey": source("codey/index.ts"),
      "agentwire/react/ui.css": source("react/ui/ui.css"),
      "agentwire/react/ui": source("react/ui/index.ts"),
      "agentwire/react": source("react/index.ts"),
      "agentwire/remote": source("remote/index.ts"),
      "agentwire/testing/agent": source("testing/agent/index.ts"),
      "agentwire/universal": source("universal/index.ts"),
      "#socket": source("core/link/socket.global.ts"),
    },
  },
  // What the sources import. Found while somebody looks at the page, it would be loaded anew under them.
  optimizeDeps: {
    include: [
      "eventemitter3",
      "lowlight",
      "p-retry",
      "react",
      "react-dom/client",
      "react/jsx-dev-runtime",
      "zod/mini",
    ],
  },
  // Every backend is in the page, and the agent that runs in it.
  build: { target: "es2022", emptyOutDir: true, chunkSizeWarningLimit: 1_000 },
  clearScreen: false,
});
