import { execFile } from "node:child_process";
import { chmod, link, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import { directoryStore } from "../../src/chat/node.ts";
import { toJsonl } from "../../src/universal/jsonl/jsonl.ts";
import { ChatStoreError } from "../../src/universal/words/store-error.ts";
import { deltas } from "../universal/support/events.ts";
import { temporaryFolder } from "./support/stores.ts";

const pipe = (path: string) => promisify(execFile)("mkfifo", [path]);

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o7777).toString(8);

afterEach(() => void vi.restoreAllMocks());

describe.runIf(process.platform !== "win32")("a directory store", () => {
  test.each<[string, string, (path: string, folder: string) => Promise<unknown>, RegExp]>([
    ["a link", "link", (path, folder) => symlink(join(folder, "other"), path), /its file is a link/],
    [
      "a link to nowhere",
      "link",
      (path, folder) => symlink(join(folder, "gone"), path),
      /its file is a link/,
    ],
    [
      "a second name of a file",
      "link",
      (path, folder) => link(join(folder, "other"), path),
      /has a second name/,
    ],
    ["a pipe, which would block", "not-a-file", (path) => pipe(path), /its file is a pipe or a device/],
  ])("refuses %s as a chat's file with advice, and changes nothing", async (_what, reason, plant, words) => {
    await using folder = await temporaryFolder();
    const [path, other] = [join(folder.path, "chat-a.jsonl"), join(folder.path, "other")];
    await writeFile(other, "mine", { mode: 0o644 });
    await plant(path, folder.path);
    const store = directoryStore(folder.path);
    for (const call of [() => store.load("a"), () => store.append("a", deltas(1, 1))]) {
      const error = await call().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ChatStoreError);
      expect(error).toMatchObject({ reason, id: "a", message: expect.stringMatching(words) });
      expect(String(error)).toContain("move it away, or pass another folder");
    }
    expect(await readFile(other, "utf8")).toBe("mine");
    expect(await modeOf(other)).toBe("644");
    expect(await readdir(folder.path)).not.toContain("gone");
    await rm(path);
    await store.append("a", deltas(1, 1));
    expect(await store.load("a")).toEqual(deltas(1, 1));
  });

  test("refuses another user's files, and a folder of another user who is not root", async () => {
    await using folder = await temporaryFolder();
    const store = directoryStore(folder.path);
    await store.append("a", deltas(1, 1));
    const { uid } = await stat(folder.path);
    vi.spyOn(process, "geteuid").mockReturnValue(uid + 1);
    for (const call of [() => store.load("a"), () => store.append("a", deltas(2, 2))])
      await expect(call()).rejects.toMatchObject({
        reason: "foreign-owner",
        message: expect.stringContaining(
          `${uid === 0 ? "its file" : "the folder"} belongs to another user (uid ${uid})`,
        ),
      });
    vi.restoreAllMocks();
    expect(await store.load("a")).toEqual(deltas(1, 1));
  });

  test.each<[string, (path: string) => Promise<unknown>]>([
    ["load", (path) => directoryStore(path).load("a")],
    ["append", (path) => directoryStore(path).append("a", deltas(3, 3))],
  ])("removes other users' permissions from the file and its folder at %s", async (_name, call) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "chat-a.jsonl");
    await writeFile(path, toJsonl(deltas(1, 2)));
    await chmod(path, 0o664);
    await chmod(folder.path, 0o755);
    await call(folder.path);
    expect([await modeOf(path), await modeOf(folder.path)]).toEqual(["600", "700"]);
    expect((await directoryStore(folder.path).load("a")).slice(0, 2)).toEqual(deltas(1, 2));
  });

  test("leaves the permissions of a folder with the sticky bit, which is shared on purpose", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "shared");
    await mkdir(path);
    await chmod(path, 0o1777);
    await directoryStore(path).append("a", deltas(1, 1));
    expect([await modeOf(path), await modeOf(join(path, "chat-a.jsonl"))]).toEqual(["1777", "600"]);
  });

  test.each<[string, (path: string, folder: string) => Promise<unknown>]>([
    ["a link", (path, folder) => symlink(join(folder, "other"), path)],
    ["a pipe", (path) => pipe(path)],
  ])("ignores %s in place of the file of a long id, and writes that file again", async (_what, plant) => {
    await using folder = await temporaryFolder();
    const id = "long ".repeat(100);
    const store = directoryStore(folder.path);
    await store.append(id, deltas(1, 1));
    const beside = join(folder.path, (await readdir(folder.path)).find((name) => name.endsWith(".id")) ?? "");
    await writeFile(join(folder.path, "other"), await readFile(beside));
    await rm(beside);
    await plant(beside, folder.path);
    expect(await store.list()).toEqual([]);
    await store.append(id, deltas(2, 2));
    expect(await store.list()).toEqual([id]);
    expect((await stat(beside)).isFile()).toBe(true);
  });
});
