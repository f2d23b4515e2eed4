import {
  appendFile,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { directoryStore } from "../../src/chat/node.ts";
import { InvalidInputError } from "../../src/core/errors.ts";
import { toJsonl } from "../../src/universal/jsonl/jsonl.ts";
import { describeError } from "../../src/universal/words/describe-error.ts";
import { ChatStoreError, isChatStoreError } from "../../src/universal/words/store-error.ts";
import { delta, deltas } from "../universal/support/events.ts";
import { brokenDisk, temporaryFolder } from "./support/stores.ts";

const isPosix = process.platform !== "win32";

async function rejection(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => "resolved",
    (error: unknown) => error,
  );
}

describe("the files of a directory store", () => {
  test("are JSONL, one per chat, and only in the given folder", async () => {
    await using folder = await temporaryFolder();
    const store = directoryStore(join(folder.path, "chats"));
    await store.append("../../a", deltas(1, 2));
    await store.append("A b", deltas(1, 1));
    expect(await readdir(folder.path)).toEqual(["chats"]);
    expect((await readdir(join(folder.path, "chats"))).sort()).toEqual([
      "chat-%2e%2e%2f%2e%2e%2fa.jsonl",
      "chat-%41%20b.jsonl",
    ]);
    expect(await readFile(join(folder.path, "chats", "chat-%41%20b.jsonl"), "utf8")).toBe(
      toJsonl(deltas(1, 1)),
    );
  });

  test.runIf(isPosix)(
    "are private to this user, and so are the folder and parents that the store creates",
    async () => {
      await using folder = await temporaryFolder();
      const store = directoryStore(join(folder.path, "a", "b"));
      await store.append("x", deltas(1, 1));
      await store.append("x".repeat(500), deltas(1, 1));
      const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);
      expect(await modeOf(join(folder.path, "a"))).toBe("700");
      expect(await modeOf(join(folder.path, "a", "b"))).toBe("700");
      for (const name of await readdir(join(folder.path, "a", "b")))
        expect([name, await modeOf(join(folder.path, "a", "b", name))]).toEqual([name, "600"]);
    },
  );

  test("are not created by reading", async () => {
    await using folder = await temporaryFolder();
    const store = directoryStore(join(folder.path, "chats"));
    await store.load("a");
    await store.list();
    expect(await readdir(folder.path)).toEqual([]);
  });

  test("are the only ones listed: other files, folders and invalid names are not chats", async () => {
    await using folder = await temporaryFolder();
    const store = directoryStore(folder.path);
    await store.append("a", deltas(1, 1));
    await store.append("y".repeat(300), deltas(1, 1));
    for (const name of [
      "notes.txt",
      "chat-.jsonl",
      "chat-B.jsonl",
      "chat-%6a.jsonl",
      "chat-%zz.jsonl",
      "b.jsonl",
      `long-${"0".repeat(64)}.jsonl`,
    ])
      await writeFile(join(folder.path, name), "");
    await mkdir(join(folder.path, "chat-folder.jsonl"));
    expect(await store.list()).toEqual(["a", "y".repeat(300)]);
  });

  test("include a second file for a long id, which the next append repairs", async () => {
    await using folder = await temporaryFolder();
    const id = "long ".repeat(100);
    const store = directoryStore(folder.path);
    await store.append(id, deltas(1, 1));
    const beside = (await readdir(folder.path)).find((name) => name.endsWith(".id")) ?? "";
    for (const broken of ["", '"other"', "5"]) {
      await writeFile(join(folder.path, beside), broken);
      expect(await store.list()).toEqual([]);
      await store.append(id, deltas(2, 2));
      expect(await store.list()).toEqual([id]);
    }
    expect(await store.load(id)).toEqual(deltas(1, 2));
    expect(await readdir(folder.path)).toHaveLength(2);
  });
});

describe("after a crash in the middle of a line", () => {
  test("at any byte, no event before or after the cut line is lost", async () => {
    await using folder = await temporaryFolder();
    const [whole, last] = [toJsonl(deltas(1, 2)), toJsonl([delta(3, "größe 😀")])];
    const path = join(folder.path, "chat-a.jsonl");
    const bytes = Buffer.from(whole + last);
    for (let size = Buffer.byteLength(whole); size < bytes.length; size += 11) {
      await writeFile(path, bytes.subarray(0, size));
      const problems: unknown[] = [];
      const store = directoryStore(folder.path, { onProblem: (problem) => problems.push(problem) });
      expect(await store.load("a")).toEqual(deltas(1, 2));
      const isCut = size > Buffer.byteLength(whole);
      expect(problems.splice(0)).toEqual(
        isCut ? [{ id: "a", line: 3, message: "the end was cut off, as by a crash" }] : [],
      );
      await store.append("a", [delta(3, "größe 😀"), ...deltas(4, 5)]);
      expect(await store.load("a")).toEqual([...deltas(1, 2), delta(3, "größe 😀"), ...deltas(4, 5)]);
      expect(problems).toEqual(isCut ? [{ id: "a", line: 3, message: "it is no JSON, or was cut" }] : []);
    }
  });

  test("keeps the event if only its line feed is missing", async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, "chat-a.jsonl"), toJsonl(deltas(1, 2)).trimEnd());
    const store = directoryStore(folder.path);
    expect(await store.load("a")).toEqual(deltas(1, 2));
    await store.append("a", deltas(3, 3));
    expect(await readFile(join(folder.path, "chat-a.jsonl"), "utf8")).toBe(toJsonl(deltas(1, 3)));
  });

  test("skips zero bytes that a file system left", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "chat-a.jsonl");
    const store = directoryStore(folder.path);
    await store.append("a", deltas(1, 2));
    await truncate(path, (await stat(path)).size + 4_096);
    await store.append("a", deltas(3, 3));
    expect(await store.load("a")).toEqual(deltas(1, 3));
  });
});

describe("several writers", () => {
  test("on one folder with different spellings never mix their lines", async () => {
    await using folder = await temporaryFolder();
    const real = join(folder.path, "real");
    await mkdir(real);
    await symlink(real, join(folder.path, "link"));
    const stores = [real, join(folder.path, "link"), join(real, "..", "real"), `${real}/`].map((path) =>
      directoryStore(path),
    );
    const long = "x".repeat(20_000);
    await Promise.all(
      stores.flatMap((store, at) =>
        deltas(1, 20, `ses_${at}`).map((event) => store.append("a", [{ ...event, raw: long }])),
      ),
    );
    const problems: unknown[] = [];
    const events = await directoryStore(real, { onProblem: (problem) => problems.push(problem) }).load("a");
    expect(problems).toEqual([]);
    expect(events).toHaveLength(80);
    for (const at of stores.keys())
      expect(
        events.filter(({ session_id }) => session_id === `ses_${at}`).map(({ sequence }) => sequence),
      ).toEqual(deltas(1, 20).map(({ sequence }) => sequence));
  });

  test("let a reader get only whole events, and never fewer than before", async () => {
    await using folder = await temporaryFolder();
    const writer = directoryStore(folder.path);
    const path = join(folder.path, "chat-a.jsonl");
    await writer.append("a", deltas(1, 1));
    const text = toJsonl(deltas(2, 4));
    let before = 1;
    for (let at = 0; at < text.length; at += 37) {
      await appendFile(path, text.slice(at, at + 37)); // another program, in small writes
      const events = await writer.load("a");
      expect(events).toEqual(deltas(1, events.length));
      expect(events.length).toBeGreaterThanOrEqual(before);
      before = events.length;
    }
    expect(before).toBe(4);
  });

  test("create a removed folder again", async () => {
    await using folder = await temporaryFolder();
    const store = directoryStore(join(folder.path, "chats"));
    await store.append("a", deltas(1, 2));
    await rm(join(folder.path, "chats"), { recursive: true });
    expect(await store.load("a")).toEqual([]);
    await store.append("a", deltas(3, 4));
    expect(await store.load("a")).toEqual(deltas(3, 4));
  });
});

describe("file system failures reject with a ChatStoreError, and later calls work:", () => {
  test("a full disk", async () => {
    await using folder = await temporaryFolder();
    const store = directoryStore(folder.path);
    const disk = await brokenDisk(folder.path, "ENOSPC");
    const [first, second] = [store.append("a", deltas(1, 1)), store.append("a", deltas(2, 2))];
    for (const error of [await rejection(first), await rejection(second)]) {
      expect(error).toBeInstanceOf(ChatStoreError);
      expect(error).toMatchObject({ code: "store-failed", operation: "append", id: "a", reason: "ENOSPC" });
      expect(JSON.parse(JSON.stringify(error))).toMatchObject({
        message: expect.stringContaining("the disk is full"),
        reason: "ENOSPC",
      });
      expect(String(error)).toMatch(
        /^ChatStoreError \[store-failed\]: the chat "a" could not be saved in .*: the disk is full/,
      );
      expect(describeError(error)).toMatchObject({ title: "The chat could not be saved", retry: "no" });
    }
    disk.mend();
    await store.append("a", deltas(1, 2));
    expect(await store.load("a")).toEqual(deltas(1, 2));
  });

  test("a file in place of the folder", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "file");
    await writeFile(path, "");
    for (const below of [path, join(path, "deeper")]) {
      const store = directoryStore(below);
      const calls = [() => store.append("a", deltas(1, 1)), () => store.load("a"), () => store.list()];
      for (const call of calls) {
        const error = await rejection(call());
        expect(isChatStoreError(error)).toBe(true);
        expect(error).toMatchObject({
          reason: expect.stringMatching(/^(ENOTDIR|EEXIST)$/),
          cause: expect.any(Error),
        });
      }
    }
    const store = directoryStore(path);
    await rejection(store.append("a", deltas(1, 1)));
    await rm(path);
    await store.append("a", deltas(1, 1));
    expect(await store.load("a")).toEqual(deltas(1, 1));
  });

  test("a folder in place of the file", async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, "chat-a.jsonl"));
    const store = directoryStore(folder.path);
    expect(await rejection(store.append("a", deltas(1, 1)))).toMatchObject({
      operation: "append",
      reason: "EISDIR",
    });
    expect(await rejection(store.load("a"))).toMatchObject({ operation: "load", reason: "EISDIR" });
    await store.append("b", deltas(1, 1));
    expect(await store.list()).toEqual(["b"]);
  });

  test.runIf(isPosix && process.getuid?.() !== 0)("a folder without permission", async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, "closed"), { mode: 0o500 });
    const store = directoryStore(join(folder.path, "closed"));
    expect(await rejection(store.append("a", deltas(1, 1)))).toMatchObject({ reason: "EACCES" });
  });

  test("`onProblem` throws: only the load rejects", async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, "chat-a.jsonl"), "oops\n");
    const store = directoryStore(folder.path, {
      onProblem: ({ id, line }) => {
        throw new Error(`${id} ${line}`);
      },
    });
    expect(await rejection(store.load("a"))).toEqual(new Error("a 1"));
    await store.append("a", deltas(1, 1));
    expect(await directoryStore(folder.path).load("a")).toEqual(deltas(1, 1));
  });
});

describe("directoryStore refuses", () => {
  test.each([
    ["no folder", () => directoryStore(Object(undefined)), /the folder is an object/],
    ["a blank folder", () => directoryStore(" "), /the folder is a blank string/],
    [
      "an option that does not exist",
      () => directoryStore("x", { durabel: true } as object),
      /Did you mean `durable`/,
    ],
    ["an option of another type", () => directoryStore("x", { durable: 1 } as object), /`durable` is 1/],
  ])("%s", (_name, call, message) => {
    expect(call).toThrow(InvalidInputError);
    expect(call).toThrow(message);
  });
});
