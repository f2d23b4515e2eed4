import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../../../helpers/runs.ts";
import { type DoorWorld, doorWorld, GUARDS, readText, reasonOf, refusalOf, writeText } from "./world.ts";

const blocked = async ({ door }: DoorWorld, path: string) => (await door.status(path, "file")) === "blocked";

describe.each(GUARDS)("file guard %s: ignore files", (guard) => {
  test("block the paths that they name, for reads, writes and commands", async () => {
    await using world = await doorWorld({ guard });
    world.file(".gitignore", "dist/\n*.log\n");
    world.file("dist/a.js", "text");
    const { door } = world;
    expect(await reasonOf(readText(door, "dist/a.js"))).toBe("blocked");
    expect(await reasonOf(readText(door, "deep/down/x.log"))).toBe("blocked");
    expect(await reasonOf(door.openFolder("dist"))).toBe("blocked");
    expect(await reasonOf(door.writeFile("x.log", Buffer.from(""), { replaces: undefined }))).toBe("blocked");
    expect(await door.readFolder("dist", { maxEntries: 9 })).toEqual([{ name: "a.js", kind: "file" }]);
    expect(await door.status("dist", "folder")).toBe("blocked");
    expect(await door.status("dist", "file")).toBe("allow");
  });

  test("apply below their own folder, and the deepest file decides", async () => {
    await using world = await doorWorld({ guard });
    world.file(".gitignore", "*.log\n/top\n");
    world.file("a/.gitignore", "!keep.log\n/own\n# note\n\\#sharp\nsub/x\nboth/\n");
    world.file("a/[odd] name/.gitignore", "*.txt\n");
    expect(await blocked(world, "a/b/x.log")).toBe(true);
    expect(await blocked(world, "a/b/keep.log")).toBe(false);
    expect(await blocked(world, "keep.log")).toBe(true);
    expect(await blocked(world, "top")).toBe(true);
    expect(await blocked(world, "a/top")).toBe(false);
    expect(await blocked(world, "a/own")).toBe(true);
    expect(await blocked(world, "a/b/own")).toBe(false);
    expect(await blocked(world, "a/#sharp")).toBe(true);
    expect(await blocked(world, "a/sub/x")).toBe(true);
    expect(await blocked(world, "a/b/sub/x")).toBe(false);
    expect(await blocked(world, "a/b/both/x")).toBe(true);
    expect(await blocked(world, "a/[odd] name/x.txt")).toBe(true);
    expect(await blocked(world, "a/o name/x.txt")).toBe(false);
  });

  test("are read again when they change, appear and go", async () => {
    await using world = await doorWorld({ guard });
    expect(await blocked(world, "a/x")).toBe(false);
    world.file("a/.gitignore", "x");
    expect(await blocked(world, "a/x")).toBe(true);
    world.file("a/.gitignore", "y");
    expect(await blocked(world, "a/x")).toBe(false);
    world.file(".gitignore", "a");
    expect(await blocked(world, "a/x")).toBe(true);
    rmSync(join(world.root, ".gitignore"));
    expect(await blocked(world, "a/x")).toBe(false);
  });

  test.each([".gitignore", ".codebuffignore", "a/.gitignore", "link/.gitignore", ".GitIgnore", "GITIGN~1"])(
    "cannot be written or deleted: %s",
    async (path) => {
      await using world = await doorWorld({ guard });
      for (const name of [".gitignore", ".codebuffignore", "a/.gitignore"]) world.file(name, "secret\n");
      symlinkSync("a", join(world.root, "link"));
      const { door } = world;
      const error = await refusalOf(door.writeFile(path, Buffer.from("!secret"), { replaces: undefined }));
      expect(error.message).toBe(`Path '${path}' is an ignore file, which tools do not write.`);
      expect(error.reason).toBe("protected");
      expect(await reasonOf(door.removeFile(path))).toBe("protected");
      expect(await readText(door, "a/.gitignore")).toBe("secret\n");
      expect(await blocked(world, "secret")).toBe(true);
    },
  );

  test("can be written when they are turned off; files with similar names always can", async () => {
    await using off = await doorWorld({ guard, ignoreFiles: false });
    await writeText(off.door, ".codebuffignore", "x");
    await off.door.removeFile(".codebuffignore");
    await using world = await doorWorld({ guard });
    for (const path of [".gitignore.md", "x.gitignore", "gitignore", ".gitignored/a"])
      await writeText(world.door, path, "x");
    expect(world.text("x.gitignore")).toBe("x");
  });

  test("include .codebuffignore, which overrides .gitignore", async () => {
    await using world = await doorWorld({ guard });
    world.file(".gitignore", "generated\n");
    world.file(".codebuffignore", "!generated\nfixtures\n");
    expect(await blocked(world, "generated")).toBe(false);
    expect(await blocked(world, "fixtures/a")).toBe(true);
  });

  test("also apply to the target of a link", async () => {
    await using world = await doorWorld({ guard });
    world.file(".gitignore", "/secret\n");
    world.file("secret/a", "text");
    symlinkSync("secret", join(world.root, "folder"));
    symlinkSync("secret/a", join(world.root, "file"));
    expect(await reasonOf(readText(world.door, "folder/a"))).toBe("blocked");
    expect(await reasonOf(readText(world.door, "file"))).toBe("blocked");
  });

  test("have no effect if they are links or pipes", async () => {
    await using world = await doorWorld({ guard });
    symlinkSync(join(world.outside, "secret.txt"), join(world.root, ".gitignore"));
    mkdirSync(join(world.root, "a"));
    execFileSync("mkfifo", [join(world.root, "a/.gitignore")]);
    expect(await blocked(world, "outside-canary")).toBe(false);
    expect(await blocked(world, "a/x")).toBe(false);
  });

  test("block all below their folder when they are too large", async () => {
    await using world = await doorWorld({ guard });
    world.file("a/.gitignore", "x\n".repeat(131_073));
    expect(await blocked(world, "a/y")).toBe(true);
    expect(await blocked(world, "b/y")).toBe(false);
  });

  test("block everything below the folder where a path reaches more than 2,000 rules", async () => {
    await using world = await doorWorld({ guard });
    world.file(".gitignore", `${"# note\n\n".repeat(9)}${"r\n".repeat(1_000)}`);
    world.file("a/.gitignore", "s\n".repeat(999));
    world.file("a/.codebuffignore", "t\n");
    world.file("a/b/.gitignore", "!y\n");
    world.file("a/b/c/.gitignore", "!*\n!y\n");
    world.file("d/.gitignore", "s\n".repeat(1_000));
    expect(await blocked(world, "a/y")).toBe(false);
    expect(await blocked(world, "a/t")).toBe(true);
    expect(await blocked(world, "a/b/y")).toBe(true);
    expect(await blocked(world, "a/b/c/y")).toBe(true);
    expect(await blocked(world, "d/y")).toBe(false);
    world.file("a/.codebuffignore", "");
    expect(await blocked(world, "a/b/y")).toBe(false);
  });

  test("block a path of more than 100 names", async () => {
    await using world = await doorWorld({ guard });
    expect(await blocked(world, `${"b/".repeat(100)}x`)).toBe(false);
    world.file(".gitignore", "a\n");
    expect(await blocked(world, `${"b/".repeat(99)}x`)).toBe(false);
    expect(await blocked(world, `${"b/".repeat(100)}x`)).toBe(true);
  });

  test("with many wildcards in a line block too much rather than take long", async () => {
    await using world = await doorWorld({ guard });
    world.file(".gitignore", `src/${"*a".repeat(60)}b\n!${"*a".repeat(60)}b\n`);
    world.file("deep/.gitignore", `${"*a".repeat(60)}b\n`);
    expect(await blocked(world, `src/${"a".repeat(200)}`)).toBe(true);
    expect(await blocked(world, `deep/${"a".repeat(200)}`)).toBe(true);
    expect(await blocked(world, `other/${"a".repeat(200)}`)).toBe(false);
  });

  test("block nothing with `ignoreFiles: false`", async () => {
    await using world = await doorWorld({ guard, ignoreFiles: false });
    world.file(".gitignore", "a\n");
    expect(await blocked(world, "a")).toBe(false);
  });
});

test("ignore files block exactly what git ignores", async () => {
  await using world = await doorWorld();
  execFileSync("git", ["init", "-q", world.root], { env: gitEnv });
  const path = fc
    .tuple(fc.array(fc.constantFrom("a", "b"), { maxLength: 3 }), fc.constantFrom("c.log", "d", "e"))
    .map(([folders, name]) => [...folders, name].join("/"));
  const line = fc
    .tuple(
      fc.constantFrom("", "", "!"),
      fc.constantFrom("", "/", "**/", "a/"),
      fc.constantFrom("a", "b", "c.*", "*.log", "d", "*", "?", "[ab]", "a/**"),
      fc.constantFrom("", "", "/", "/b"),
    )
    .map((parts) => parts.join(""));
  const file = fc.tuple(
    fc.constantFrom("", "a/", "a/b/", "b/"),
    fc.array(line, { maxLength: 4 }).map((lines) => lines.join("\n")),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(file, { maxLength: 4 }),
      fc.array(path, { minLength: 1 }),
      async (files, paths) => {
        for (const folder of ["", "a/", "a/b/", "b/"]) world.file(`${folder}.gitignore`, "");
        for (const [folder, text] of files) world.file(`${folder}.gitignore`, text);
        const ours: string[] = [];
        for (const path of paths) if (await blocked(world, path)) ours.push(path);
        expect(ours).toEqual(ignoredByGit(world.root, paths));
      },
    ),
    runs(100),
  );
});

const gitEnv = { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };

function ignoredByGit(cwd: string, paths: readonly string[]): readonly string[] {
  const options = { cwd, env: gitEnv, input: paths.join("\0"), encoding: "utf8" } as const;
  try {
    return execFileSync("git", ["check-ignore", "--no-index", "-z", "--stdin"], options)
      .split("\0")
      .slice(0, -1);
  } catch (error) {
    // Status 1: none is ignored.
    if (error instanceof Error && "status" in error && error.status === 1) return [];
    throw error;
  }
}
