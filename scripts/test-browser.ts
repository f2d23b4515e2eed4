/**
 * `npm run test:browser -- [options of vitest]`: in headless Chromium, the tests of the clients, and the pages. Where there is none,
 * it says so and passes, but fails with `CI=true`: there nobody reads what was not tested.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { findChromium } from "./support/chromium.ts";

if (findChromium() === undefined) {
  console.error(
    "!!! NOT TESTED IN A BROWSER: no Chromium on the PATH. Install the package `chromium`, or set AGENTWIRE_CHROMIUM to the program.",
  );
  process.exitCode = process.env["CI"] === "true" ? 1 : 0;
} else {
  const vitest = fileURLToPath(new URL("vitest.mjs", import.meta.resolve("vitest/package.json")));
  const args = ["run", "--config", "vitest.browser.config.ts", ...process.argv.slice(2)];
  const child = spawn(process.execPath, [vitest, ...args], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    stdio: "inherit",
  });
  child.once("close", (code) => {
    process.exitCode = code ?? 1;
  });
}
