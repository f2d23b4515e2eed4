import { fileURLToPath } from "node:url";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { findChromium } from "./scripts/support/chromium.ts";
import { omissions } from "./test/browser/omissions.ts";
import { isWide } from "./test/helpers/runs.ts";
import { SOURCES } from "./test/helpers/sources.ts";

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const executablePath = findChromium();

/**
 * The tests of the client in a page of Chromium: the same files as on Node but for `omissions.ts`, the code that a
 * browser gets, and mock servers whose ports are in a relay on Node (`test/browser/relay.ts`).
 */
const client = {
  resolve: {
    alias: [
      { find: "#socket", replacement: path("./src/core/link/socket.global.ts") },
      { find: "agentwire/codebuff", replacement: path("./src/codebuff/index.ts") },
      { find: "agentwire/codey", replacement: path("./src/codey/index.ts") },
      { find: "agentwire/codebuff-run", replacement: path("./src/codebuff-run/index.ts") },
      { find: "agentwire/cass", replacement: path("./src/cass/index.ts") },
      { find: "agentwire/testing", replacement: path("./test/browser/testing.ts") },
      { find: /^agentwire$/, replacement: path("./src/index.ts") },
      { find: "node:timers/promises", replacement: path("./test/browser/timers.ts") },
      // The ports of the mock servers are in the relay.
      { find: /^\.\.\/server\/port\.ts$/, replacement: path("./test/browser/page-loopback.ts") },
    ],
  },
  // Found while tests run, they would reload the page under them.
  optimizeDeps: { include: ["eventemitter3", "p-retry", "zod/mini"] },
  test: {
    name: "client",
    // Of Cass, what its client does; the tables and the REST of `test/cass` itself play on servers of Node.
    include: [
      "test/{codebuff,codey}/**/*.test.ts",
      "test/cass/acceptance/*.test.ts",
      "test/browser/*.page.ts",
    ],
    exclude: omissions.filter(({ test }) => test === undefined).map(({ file }) => file),
    globalSetup: ["test/browser/relay.ts"],
    setupFiles: ["test/browser/omit.ts"],
    testTimeout: 20_000,
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      instances: [{ browser: "chromium" }],
      provider: playwright({
        launchOptions: {
          ...(executablePath ? { executablePath } : {}),
          // In containers and for root it cannot start; the pages are our own.
          args: ["--no-sandbox"],
        },
      }),
    },
  },
} satisfies TestProjectInlineConfiguration;

/** The tests that drive pages in Chromium from Node: the web chat, programs of the documentation, chats over a relay. */
const pages: TestProjectInlineConfiguration = {
  resolve: { alias: SOURCES },
  test: {
    name: "pages",
    include: ["test/**/*.pages.ts"],
    // `npm run full -- browser` sets the variable.
    exclude: isWide ? [] : ["test/**/*.wide.pages.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
};

export default defineConfig({ test: { projects: [client, pages] } });
