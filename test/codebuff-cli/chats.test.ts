import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { listCodebuffChats } from "agentwire/codebuff-cli";
import { expect } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { describe, test } from "./rows.ts";

async function kept(configDirName: string, project: string, ids: readonly string[]) {
  const folder = await tempFolder();
  const chats = join(folder.path, ".config", configDirName, "projects", project, "chats");
  for (const id of ids) {
    await mkdir(join(chats, id), { recursive: true });
    await writeFile(join(chats, id, "run-state.json"), "{}");
  }
  return { homeDir: folder.path, chats, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const IDS = ["2026-02-04T10-00-00.000Z", "2026-02-05T09-00-00.000Z", "2025-12-31T23-59-59.999Z"];

describe("the chats of a folder", () => {
  test("3.3 chats: are listed newest first", async () => {
    await using at = await kept("manicode", "shop", IDS);
    const chats = listCodebuffChats("/projects/shop", { homeDir: at.homeDir });
    expect(chats.map(({ id }) => id)).toEqual([IDS[1], IDS[0], IDS[2]]);
    expect(chats[0]?.path).toBe(join(at.chats, IDS[1] ?? ""));
  });

  test("3.3 chats of one name: are shared by folders of the same name, within one `configDirName`", async () => {
    await using at = await kept("manicode-dev", "shop", IDS);
    const { homeDir } = at;
    expect(listCodebuffChats("/elsewhere/shop/", { homeDir, configDirName: "manicode-dev" })).toHaveLength(3);
    expect(listCodebuffChats("/projects/shop", { homeDir })).toEqual([]);
    expect(listCodebuffChats("/projects/other", { homeDir, configDirName: "manicode-dev" })).toEqual([]);
  });

  test("3.3 chats are read only: skip plain files, and listing changes nothing", async () => {
    await using at = await kept("manicode", "shop", IDS);
    await writeFile(join(at.chats, "notes.txt"), "");
    expect(listCodebuffChats("/projects/shop", { homeDir: at.homeDir })).toHaveLength(3);
    expect((await readdir(at.chats)).sort()).toEqual([...IDS, "notes.txt"].sort());
  });

  test("are those of this process's folder by default", async () => {
    await using at = await kept("manicode", process.cwd().split("/").at(-1) ?? "", ["now"]);
    expect(listCodebuffChats(undefined, { homeDir: at.homeDir }).map(({ id }) => id)).toEqual(["now"]);
  });

  test("are an empty list if there is nothing to read", () => {
    expect(listCodebuffChats("/", { homeDir: "/nowhere/at/all" })).toEqual([]);
  });
});
