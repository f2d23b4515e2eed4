import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { SOURCES } from "../helpers/sources.ts";

const exec = promisify(execFile);

const ROOT = join(import.meta.dirname, "../..");

const APP = `import { FakeCodebuffCli, MockAcpAgent } from "agentwire/testing";
for (const start of [() => FakeCodebuffCli.start(), () => new MockAcpAgent().program()])
  start().then(() => console.log("started"), ({ message }) => console.log(message));`;

test.each([
  ["esm", "mjs"],
  ["cjs", "cjs"],
] as const)("a program of a mock is not in a bundle (%s): the error says so", async (format, ending) => {
  await using folder = await tempFolder();
  const outfile = join(folder.path, `app.${ending}`);
  const entry = join(folder.path, "app.ts");
  await writeFile(entry, APP);
  const banner =
    format === "esm"
      ? { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' }
      : {};
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format,
    banner,
    platform: "node",
    target: "es2022",
    alias: { ...SOURCES },
    nodePaths: [join(ROOT, "node_modules")],
    logLevel: "silent",
  });
  const { stdout } = await exec(process.execPath, [outfile]);
  const lines = stdout.trim().split("\n").sort();
  expect(lines).toHaveLength(2);
  for (const [at, program] of ["fake-codebuff", "mock-acp-agent"].entries()) {
    expect(lines[at]).toContain(`no program ${program}`);
    expect(lines[at]).toContain("leave agentwire out of your bundle");
  }
});
