import { existsSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { ENGINES, searchWorld, writeTree } from "./world.ts";

describe.each(ENGINES)("`code_search` with $name", ({ options }) => {
  test("links to files and folders are not followed, even in place of a hidden folder", async () => {
    await using world = await searchWorld({ "a.ts": "needle\n" });
    await writeTree(world.base, { "outside/s.ts": "needle secret\n", "outside/.x/s.ts": "needle secret\n" });
    const outside = join(world.base, "outside");
    await symlink(outside, join(world.root, "link"));
    await symlink(outside, join(world.root, ".github"));
    await symlink(join(outside, "s.ts"), join(world.root, "s.ts"));
    expect(await world.search({}, options)).toEqual({ stdout: "./a.ts:\n1:needle", message: "Exit code: 0" });
    expect(await world.search({ cwd: "link" }, options)).toEqual({
      errorMessage: "Invalid cwd: Path 'link' is outside the project directory.",
    });
  });

  test.each(["../outside/*", "/**", "**/../../outside/**", "/etc/**", "../**"])(
    "the glob %s finds nothing outside",
    async (glob) => {
      await using world = await searchWorld({ "sub/a.ts": "needle\n" });
      await writeTree(world.base, { "outside/s.ts": "needle secret\n" });
      const result = JSON.stringify(await world.search({ flags: `-g ${glob}`, cwd: "sub" }, options));
      expect(result).not.toContain("secret");
    },
  );

  test("files blocked by the filter, an ignore file or their name are neither shown nor counted", async () => {
    const tree = {
      ".env": "needle\n",
      ".gitignore": "ignored\n",
      ".git/config": "needle\n",
      ".codebuffignore": "mine\n",
      "blocked.ts": "needle\n",
      ignored: "needle\n",
      mine: "needle\n",
    };
    const fileFilter = (path: string) =>
      ({ status: path.startsWith("blocked") ? "blocked" : "allow" }) as const;
    await using world = await searchWorld(tree, { fileFilter });
    for (const flags of ["", "-g *", "-g .env -g ignored -g .git/** -g mine -g blocked.ts"]) {
      expect(await world.search({ flags }, options)).toEqual({
        stdout: "No results",
        message: "Exit code: 1",
      });
    }
  });

  test.each([".agents", ".claude", ".github", ".gitlab", ".circleci", ".husky"])(
    "a filter that blocks %s does not affect the rest of the search",
    async (folder) => {
      const fileFilter = (path: string) =>
        ({ status: path.split("/")[0] === folder ? "blocked" : "allow" }) as const;
      const tree = { "a.ts": "needle\n", [`${folder}/b.ts`]: "needle\n" };
      await using world = await searchWorld(tree, { fileFilter });
      expect(await world.search({}, options)).toEqual({
        stdout: "./a.ts:\n1:needle",
        message: "Exit code: 0",
      });
    },
  );

  test("`ignoreFiles: false` makes ignored files visible", async () => {
    await using world = await searchWorld(
      { ".gitignore": "*\n", "a.ts": "needle\n" },
      { ignoreFiles: false },
    );
    expect(await world.search({}, { ...options, ignoreFiles: false })).toMatchObject({
      stdout: "./a.ts:\n1:needle",
    });
  });

  test("a blocked cwd is refused", async () => {
    await using world = await searchWorld({ ".gitignore": "dist/\n", "dist/a": "needle\n" });
    expect(await world.search({ cwd: "dist" }, options)).toEqual({
      errorMessage: expect.stringMatching(/^Invalid cwd: /),
    });
  });

  test("no result and no error has an absolute path", async () => {
    await using world = await searchWorld({ "a.ts": "needle\n" });
    for (const input of [{}, { pattern: "(" }, { cwd: world.base }, { cwd: "nowhere" }, { flags: "-t x" }])
      expect(JSON.stringify(await world.search(input, options))).not.toContain(world.root);
  });

  test("an ignore file above the root has no effect", async () => {
    await using world = await searchWorld({ "a.ts": "needle\n" });
    await writeTree(world.base, { ".gitignore": "*\n", ".ignore": "*\n", ".git/HEAD": "ref: x\n" });
    expect(await world.search({}, options)).toMatchObject({ stdout: "./a.ts:\n1:needle" });
  });

  test("a folder that is swapped for a link during a search shows nothing from outside", async () => {
    await using world = await searchWorld({ "d/a.ts": "needle inside\n".repeat(50) });
    await writeTree(world.base, { "outside/a.ts": "needle secret\n".repeat(50) });
    const [inside, kept] = [join(world.root, "d"), join(world.base, "kept")];
    await using swapper = swap(inside, kept, join(world.base, "outside"));
    for (let n = 0; n < 20; n++)
      expect(JSON.stringify(await world.search({ maxResults: 50 }, options))).not.toContain("secret");
    expect(swapper.worker.threadId).toBeGreaterThan(0);
  });
});

test("flags that would run a program are refused", async () => {
  await using world = await searchWorld({ "a.ts": "needle\n" });
  const proof = join(world.base, "proof");
  await writeTree(world.root, { "x.sh": `#!/bin/sh\ntouch ${proof}\n` });
  for (const flags of ["--pre ./x.sh", "--pre=./x.sh", "--hostname-bin=./x.sh", "-zi", "-f x.sh", "-L"]) {
    expect(await world.search({ flags }, ENGINES[0].options)).toEqual({
      errorMessage: expect.stringContaining("is not allowed"),
    });
  }
  expect(existsSync(proof)).toBe(false);
});

/** A thread that swaps a folder for a link and back as fast as it can. */
function swap(folder: string, kept: string, outside: string) {
  const code = `
    const { renameSync, symlinkSync, unlinkSync } = require("node:fs");
    const { workerData: { folder, kept, outside } } = require("node:worker_threads");
    for (;;) {
      renameSync(folder, kept); symlinkSync(outside, folder);
      unlinkSync(folder); renameSync(kept, folder);
    }`;
  const worker = new Worker(code, { eval: true, workerData: { folder, kept, outside } });
  return { worker, [Symbol.asyncDispose]: async () => void (await worker.terminate()) };
}
