import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folderWorld } from "./tools-world.ts";

// The files of a folder for prompts: a completion, and the files that a prompt names.

const signal = new AbortController().signal;

const PROJECT = {
  ".gitignore": "dist/\n*.log\n",
  ".env": "KEY=1",
  ".env.example": "KEY=",
  "README.md": "# Read me\n",
  "build.log": "no",
  "dist/app.js": "no",
  "src/chat/chat.ts": "let chat;",
  "src/chat/view.ts": "let view;",
  "src/app.ts": "let app;",
  "docs/chat.md": "# Chat",
  ".git/config": "secret",
};

describe("listFiles", () => {
  test.each<[typed: string, paths: readonly string[]]>([
    ["", [".env.example", ".gitignore", "README.md", "docs/", "src/"]],
    ["rea", ["README.md"]],
    ["./src/", ["src/app.ts", "src/chat/"]],
    ["src/c", ["src/chat/", "src/chat/chat.ts", "src/chat/view.ts"]],
    ["SRC/chat/v", ["src/chat/view.ts"]],
    ["chat.", ["docs/chat.md", "src/chat/chat.ts"]],
    ["chat/ch", ["src/chat/chat.ts"]],
    ["nothing", []],
    [".env", [".env.example"]],
    ["dist/", []],
    ["dist/a", []],
    [".git/", []],
    [".git/c", []],
    ["log", []],
    ["../", []],
    ["/etc/", []],
    ["a\0", []],
  ])("%j fits %j", async (typed, paths) => {
    await using folder = await folderWorld(PROJECT);
    expect(await folder.tools.listFiles(typed, { signal })).toEqual({ paths, more: false });
  });

  test("leaves out what the app's filter blocks, and follows no link", async () => {
    await using folder = await folderWorld(PROJECT, {
      fileFilter: (path) => ({ status: path.startsWith("src") ? "blocked" : "allow" }),
    });
    await symlink(join(folder.root, "docs"), join(folder.root, "chat-docs"));
    const { paths } = await folder.tools.listFiles("chat", { signal });
    expect(paths).toEqual(["docs/chat.md"]);
  });

  test("lists 100 paths of many, the folder's own ones first, and says that there are more", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 150 }, (_, at) => [`a/deep/file-${String(at).padStart(3, "0")}.txt`, ""]),
    );
    await using folder = await folderWorld({ ...many, "file.txt": "" });
    const { paths, more } = await folder.tools.listFiles("fil", { signal });
    expect(paths).toHaveLength(100);
    expect(paths[0]).toBe("file.txt");
    expect(more).toBe(true);
    const inFolder = await folder.tools.listFiles("a/deep/", { signal });
    expect(inFolder.paths).toHaveLength(100);
    expect(inFolder.more).toBe(true);
  });

  test("ends when its signal aborts, and after `close()`", async () => {
    await using folder = await folderWorld(PROJECT);
    const stopped = AbortSignal.abort(new Error("typed on"));
    await expect(folder.tools.listFiles("a", { signal: stopped })).rejects.toThrow("typed on");
    await folder.tools.close();
    await expect(folder.tools.listFiles("a", { signal })).rejects.toMatchObject({ code: "invalid-input" });
  });
});

describe("promptFiles", () => {
  test("reads each file once, by its path in the folder", async () => {
    await using folder = await folderWorld(PROJECT);
    const paths = ["./src/app.ts", "src/../src/app.ts", join(folder.root, "README.md"), ".env.example"];
    expect(await folder.tools.promptFiles(paths, { signal })).toEqual([
      { path: "src/app.ts", location: join(folder.root, "src/app.ts"), text: "let app;" },
      { path: "README.md", location: join(folder.root, "README.md"), text: "# Read me\n" },
      { path: ".env.example", location: join(folder.root, ".env.example"), text: "KEY=" },
    ]);
  });

  test.each([
    ["missing.ts", "does not exist"],
    ["src", "is not a regular file"],
    [".env", "blocked"],
    ["dist/app.js", "blocked"],
    ["build.log", "blocked"],
    [".git/config", "blocked"],
    ["../outside.txt", "outside"],
    ["/etc/passwd", "outside"],
    ["out.txt", "outside"],
  ])("%s is refused: it %s, and no absolute path is told", async (path, words) => {
    await using folder = await folderWorld(PROJECT);
    await symlink("/etc/passwd", join(folder.root, "out.txt"));
    const error: unknown = await folder.tools
      .promptFiles(["README.md", path], { signal })
      .catch((thrown) => thrown);
    expect(error).toMatchObject({ code: "invalid-input", message: expect.stringContaining(words) });
    expect(String(error)).not.toContain(folder.root);
  });

  test("gives no text of a file that is no text, that is too large, or too large beside the others", async () => {
    await using folder = await folderWorld({
      "a.txt": "a".repeat(1_048_576),
      "b.txt": "b".repeat(1_048_576),
    });
    await mkdir(join(folder.root, "more"));
    await writeFile(join(folder.root, "more/c.bin"), new Uint8Array([0, 255]));
    await writeFile(join(folder.root, "more/d.txt"), "d".repeat(1_048_577));
    await writeFile(join(folder.root, "more/e.txt"), "e");
    const files = await folder.tools.promptFiles(
      ["more/c.bin", "a.txt", "b.txt", "more/d.txt", "more/e.txt"],
      { signal },
    );
    expect(files.map(({ path, text }) => [path, text?.length])).toEqual([
      ["more/c.bin", undefined],
      ["a.txt", 1_048_576],
      ["b.txt", 1_048_576],
      ["more/d.txt", undefined],
      ["more/e.txt", undefined],
    ]);
  });
});
