import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { expect, onTestFinished, test } from "vitest";
import { findRipgrep } from "../../../../src/codebuff-run/tools/search/find-ripgrep.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "find-rg-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

test("`ripgrepPath` comes first", async () => {
  expect(await findRipgrep({ ripgrepPath: "/opt/rg", env: { PATH: folder() } })).toBe("/opt/rg");
});

test.runIf(process.platform !== "win32")("an executable rg on the PATH comes next", async () => {
  const [noProgram, aFolder, found] = [folder(), folder(), folder()];
  writeFileSync(join(noProgram, "rg"), "", { mode: 0o644 });
  mkdirSync(join(aFolder, "rg"));
  writeFileSync(join(found, "rg"), "#!/bin/sh\n");
  chmodSync(join(found, "rg"), 0o755);
  const PATH = ["", noProgram, aFolder, "/nowhere", found].join(delimiter);
  expect(await findRipgrep({ env: { PATH } })).toBe(join(found, "rg"));
});

test("relative folders of the PATH are skipped, as an agent may write there; ripgrep's package is next", async () => {
  expect(await findRipgrep({ env: { PATH: ["", ".", "node_modules/.bin"].join(delimiter) } })).toBe(rgPath);
  expect(await findRipgrep({ env: {} })).toBe(rgPath);
});
