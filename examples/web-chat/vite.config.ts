import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const source = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));

// A project of yours has none of this: after `npm install agentwire`, Vite finds the package by itself, and the page
// imports `agentwire/cass` as it does here. In this repository there is only its source.
export default defineConfig({
  root: import.meta.dirname,
  // The page can be put under any path of a host.
  base: "./",
  resolve: {
    alias: {
      "agentwire/cass": source("cass/index.ts"),
      "#socket": source("core/link/socket.global.ts"),
    },
  },
  // What the sources import. Found while somebody looks at the page, it would be loaded anew under them.
  optimizeDeps: { include: ["eventemitter3", "p-retry", "zod/mini"] },
  build: { target: "es2022", emptyOutDir: true },
  clearScreen: false,
});
