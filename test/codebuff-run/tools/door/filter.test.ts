import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { doorWorld, GUARDS, readText, reasonOf, writeText } from "./world.ts";

describe.each(GUARDS)("file guard %s: the caller's filter", (guard) => {
  test("blocks every use of a path", async () => {
    const fileFilter = (path: string) => ({
      status: path.startsWith("private") ? ("blocked" as const) : ("allow" as const),
    });
    await using world = await doorWorld({ guard, fileFilter });
    world.file("private/a", "text");
    const { door } = world;
    for (const work of [
      () => readText(door, "private/a"),
      () => door.writeFile("private/b", Buffer.from(""), { replaces: undefined }),
      () => door.removeFile("private/a"),
      () => door.removeFolder("private"),
      () => door.readFolder("private", { maxEntries: 9 }),
      () => door.openFolder("private"),
      () => door.look("private/a"),
    ])
      expect(await reasonOf(work())).toBe("blocked");
    expect(await door.status("private/a", "file")).toBe("blocked");
    expect(world.text("private/a")).toBe("text");
  });

  test("is also called for the target of a link", async () => {
    const asked: string[] = [];
    const fileFilter = (path: string) => {
      asked.push(path);
      return { status: path === "private/a" ? ("blocked" as const) : ("allow" as const) };
    };
    await using world = await doorWorld({ guard, fileFilter });
    world.file("private/a", "text");
    symlinkSync("private", join(world.root, "folder"));
    symlinkSync("folder/a", join(world.root, "link"));
    expect(await reasonOf(readText(world.door, "link"))).toBe("blocked");
    expect(asked[0]).toBe("link");
    expect(asked.at(-1)).toBe("private/a");
    expect(await reasonOf(writeText(world.door, "folder/a", ""))).toBe("blocked");
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no"))],
    ["returns an unknown status", () => JSON.parse('{"status":"maybe"}')],
    ["returns nothing", () => JSON.parse("null")],
  ])("blocks when it %s", async (_, fileFilter) => {
    await using world = await doorWorld({ guard, fileFilter });
    world.file("a", "text");
    expect(await reasonOf(readText(world.door, "a"))).toBe("blocked");
    expect(await world.door.status("a", "file")).toBe("blocked");
  });

  test("may be asynchronous, and may return `allow-example`", async () => {
    const fileFilter = async () => ({ status: "allow-example" as const });
    await using world = await doorWorld({ guard, fileFilter });
    world.file("a", "text");
    expect(await world.door.status("a", "file")).toBe("allow-example");
    expect(await readText(world.door, "a")).toBe("text");
  });
});

describe.each(GUARDS)("file guard %s: `.env` files", (guard) => {
  test.each([
    [".env", "blocked"],
    [".env.local", "blocked"],
    ["deep/.Env.Production", "blocked"],
    [".env.example.local", "blocked"],
    [".env.example", "allow-example"],
    [".env.local.SAMPLE", "allow-example"],
    ["deep/.env.template", "allow-example"],
    [".environment", "allow"],
    [".envrc", "blocked"],
    [".envrc.local", "blocked"],
    [".envrc.example", "allow-example"],
    [".env~", "blocked"],
    [".env.local~", "blocked"],
    ["deep/#.env#", "blocked"],
    ["#.env.local#", "blocked"],
    [".#.env", "blocked"],
    ["prod.env", "allow"],
    ["#env#", "allow"],
    ["env", "allow"],
    [".env.example/a", "allow"],
  ] as const)("%s has the status %s", async (path, status) => {
    await using world = await doorWorld({ guard });
    expect(await world.door.status(path, "file")).toBe(status);
  });

  test("are neither read nor written without `allowEnvFiles`", async () => {
    await using strict = await doorWorld({ guard });
    strict.file(".env", "KEY=1");
    expect(await reasonOf(readText(strict.door, ".env"))).toBe("blocked");
    expect(await reasonOf(strict.door.removeFile(".env"))).toBe("blocked");
    await using lenient = await doorWorld({ guard, allowEnvFiles: true });
    lenient.file(".env", "KEY=1");
    await writeText(lenient.door, ".env", "KEY=2");
    expect(await readText(lenient.door, ".env")).toBe("KEY=2");
  });

  test("may be folders, whose files are not blocked", async () => {
    await using world = await doorWorld({ guard });
    world.file(".env/bin/python", "text");
    expect(await readText(world.door, ".env/bin/python")).toBe("text");
  });

  test("appear in listings", async () => {
    await using world = await doorWorld({ guard });
    world.file(".env", "KEY=1");
    expect(await world.door.readFolder("", { maxEntries: 9 })).toEqual([{ name: ".env", kind: "file" }]);
    expect(await world.door.look(".env")).toMatchObject({ kind: "file" });
  });
});

describe.each(GUARDS)("file guard %s: `.git`", (guard) => {
  test.each([".git/config", "sub/.git", "sub/.git/hooks/pre-commit"])(
    "%s cannot be written or removed",
    async (path) => {
      await using world = await doorWorld({ guard, ignoreFiles: false });
      const { door } = world;
      expect(await reasonOf(door.writeFile(path, Buffer.from(""), { replaces: undefined }))).toBe(
        "protected",
      );
      mkdirSync(join(world.root, path, ".."), { recursive: true });
      writeFileSync(join(world.root, path), "");
      expect(await reasonOf(door.removeFile(path))).toBe("protected");
      expect(await reasonOf(door.removeFolder(path))).toBe("protected");
    },
  );

  test("cannot be read or opened, but its names are listed", async () => {
    await using world = await doorWorld({ guard });
    world.file(".git/config", "token");
    const { door } = world;
    expect(await reasonOf(readText(door, ".git/config"))).toBe("blocked");
    expect(await reasonOf(door.openFolder(".git"))).toBe("blocked");
    expect(await door.status(".git/config", "file")).toBe("blocked");
    expect(await door.readFolder(".git", { maxEntries: 9 })).toEqual([{ name: "config", kind: "file" }]);
  });

  test("does not cover `.github` and `.gitignore`", async () => {
    await using world = await doorWorld({ guard, ignoreFiles: false });
    await writeText(world.door, ".github/workflows/ci.yml", "on: push");
    await writeText(world.door, ".gitignore", "dist");
    expect(await readText(world.door, ".gitignore")).toBe("dist");
  });
});
