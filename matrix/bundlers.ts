import { readFile, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { build as viteBuild } from "vite";
import { run, tail } from "../scripts/support/run.ts";
import { started } from "./beside.ts";
import { served, visit } from "./browsers.ts";
import { failed, NONE, type Outcome, outcomeOf, type Row } from "./outcome.ts";
import { copyTo, MATRIX, ROOT } from "./place.ts";
import { RUNTIMES, runIn } from "./runtimes.ts";
import { versionIn } from "./workerd.ts";

/** What an ES module for Node needs if it holds CommonJS, such as `ws`: esbuild gives it no `require`. */
const REQUIRE =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/** Without the mocks that are programs of their own: these are files of the package, which no bundle has. */
const APP = `
import { program } from "./program.mjs";
program(JSON.parse(process.argv[2])).then((report) => console.log(JSON.stringify(report)));
`;

/** Bundles for Node, the package included. */
export async function esbuildRow(folder: string, addresses: string): Promise<Row> {
  const bundled = async (outfile: string, options: BuildOptions): Promise<Outcome> => {
    await build({
      absWorkingDir: folder,
      stdin: { contents: APP, resolveDir: folder },
      outfile,
      bundle: true,
      platform: "node",
      target: "node22",
      tsconfigRaw: {},
      logLevel: "silent",
      ...options,
    });
    return runIn(RUNTIMES.node24, folder, outfile, addresses);
  };
  return {
    version: await versionIn("esbuild", ROOT),
    module: await bundled("bundle.mjs", { format: "esm", banner: { js: REQUIRE } }),
    commonJs: await bundled("bundle.cjs", { format: "cjs" }),
  };
}

/** A page, in Chromium. */
export async function viteRow(folder: string, addresses: string): Promise<Row> {
  await writeFile(
    join(folder, "index.html"),
    '<!doctype html><meta charset="utf-8"><script type="module" src="/page.mjs"></script>',
  );
  await viteBuild({ root: folder, configFile: false, logLevel: "error", build: { outDir: "out" } });
  await using pages = await served((path) =>
    readFile(join(folder, "out", path === "/" ? "index.html" : path), "utf8").catch(() => undefined),
  );
  const { module } = await visit("chromium", pages.url, addresses);
  return { version: await versionIn("vite", ROOT), module, commonJs: NONE };
}

/** ms. */
const BUILD = 300_000;

/** Builds and starts an app: its route runs the program on the server, and its page in Chromium. */
export async function nextRows(
  folder: string,
  addresses: string,
): Promise<{ readonly route: Row; readonly page: Row }> {
  const version = await versionIn("next");
  const rows = (route: Outcome, page: Outcome) => ({
    route: { version, module: route, commonJs: NONE },
    page: { version, module: page, commonJs: NONE },
  });
  await copyTo(folder, "next", ".");
  const program = join(MATRIX, "node_modules/next/dist/bin/next");
  const built = await run(process.execPath, [program, "build"], {
    cwd: folder,
    timeout: BUILD,
    env: { NEXT_TELEMETRY_DISABLED: "1" },
  });
  if (!built.ok) {
    const outcome = failed(`the build: ${built.ending}: ${tail(built)}`);
    return rows(outcome, outcome);
  }
  const port = await freePort();
  const args = [program, "start", "--hostname", "127.0.0.1", "--port", String(port)];
  await using _ = await started(process.execPath, args, folder, (line) => line.includes("Ready"));
  const url = `http://127.0.0.1:${port}`;
  const response = await fetch(`${url}/run`, { method: "POST", body: addresses });
  return rows(outcomeOf(await response.text()), (await visit("chromium", url, addresses)).module);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => void server.close(() => resolve()));
  return port;
}
