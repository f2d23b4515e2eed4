import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { privacy } from "../../scripts/checks/privacy.ts";
import { type Files, lines, tree } from "./tree.ts";

const git = async (folder: string, ...args: readonly string[]) => {
  await promisify(execFile)("git", args, { cwd: folder, timeout: 10_000 });
};

async function repository(files: Files) {
  const folder = await tree(files);
  await git(folder.path, "init", "--quiet");
  await git(folder.path, "add", "--all");
  return folder;
}

async function findingsInRepository(files: Files): Promise<string[]> {
  await using folder = await repository(files);
  return lines(await privacy(folder.path, () => {}));
}

/** Joined here, or this file would be a finding of the check that it tests. */
const path = (...names: readonly string[]) => ["", ...names].join("/");
const host = (...labels: readonly string[]) => labels.join(".");

const CLEAN: Files = {
  ".gitignore": "dist\n",
  "README.md": "See https://example.com/work/item, ./work/a and src/home/page.ts.",
  "package-lock.json": { packages: { "": {}, "node_modules/ws": { version: "8.0.0" } } },
  "image.png": "\0\0\0",
};

describe("the check for private data", () => {
  test("passes relative paths, other hosts and similar words", async () => {
    expect(await findingsInRepository(CLEAN)).toEqual([]);
  });

  test.each([
    ["a path of one machine", `const root = "${path("work", "project")}";`, "a path of one machine"],
    ["a fixed temporary path", `cd ${path("tmp", "build")}`, "a fixed temporary path"],
    ["the temporary folder itself", `join("${path("tmp")}", name)`, "a fixed temporary path"],
    ["a home folder on Linux", `${path("home", "ada", "project")}`, "a home folder"],
    ["a home folder on macOS", `(${path("Users", "ada", "project")})`, "a home folder"],
    ["a home folder on Windows", ["C:", "Users", "ada"].join("\\"), "a home folder"],
    ["root's home", `HOME=${path("root")}`, "a home folder"],
    ["npm's registry", `https://${host("registry", "npmjs", "org")}${path("ws")}`, "a registry host"],
    ["a package mirror", `deb http://${host("deb", "debian", "org")}${path("debian")}`, "a package mirror"],
  ])("refuses %s", async (_, line, says) => {
    const findings = await findingsInRepository({ ...CLEAN, "notes.md": `first line\n${line}\n` });
    expect(findings).toEqual([expect.stringContaining(`notes.md:2 ${says}`)]);
  });

  test("refuses a lock file that contains the packages' download URLs", async () => {
    const resolved = "https://mirror.example/ws.tgz";
    const lock = { packages: { "node_modules/ws": { version: "8.0.0", resolved } } };
    expect(await findingsInRepository({ ...CLEAN, "package-lock.json": lock })).toEqual([
      expect.stringContaining('package-lock.json node_modules/ws has a "resolved" URL'),
    ]);
  });

  test("reads untracked files, but not ignored ones", async () => {
    await using folder = await repository(CLEAN);
    await mkdir(join(folder.path, "dist"));
    await writeFile(join(folder.path, "dist/built.js"), path("work", "ignored"));
    await writeFile(join(folder.path, "new.md"), path("work", "new"));
    expect(lines(await privacy(folder.path, () => {}))).toEqual([expect.stringContaining("new.md:1")]);
  });

  test("ignores a tracked file that was deleted", async () => {
    await using folder = await repository(CLEAN);
    await rm(join(folder.path, "README.md"));
    expect(await privacy(folder.path, () => {})).toEqual([]);
  });

  test("fails outside a repository", async () => {
    await using folder = await tree({ "README.md": "x" });
    await expect(privacy(folder.path, () => {})).rejects.toThrow("git ls-files failed");
  });
});
