import { defineConfig } from "vitest/config";
import base from "./vitest.config.ts";

/**
 * The tests that `npm run mutation` runs: those of `core` that stay in this process and are quick. Stryker runs them in
 * one thread, thousands of times.
 */
export default defineConfig({
  ...base,
  test: {
    include: ["test/core/**/*.test.ts", "test/properties/{event-buffer,frames,gate}.test.ts"],
    exclude: [
      "test/core/**/*-cost.test.ts", // they count steps, which the instrumented source multiplies
      "test/core/**/socket.test.ts", // real sockets
    ],
    testTimeout: 20_000,
  },
});
