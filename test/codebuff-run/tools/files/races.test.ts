import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CHANGED } from "../../../../src/codebuff-run/tools/files/edit.ts";
import { PathLocks } from "../../../../src/codebuff-run/tools/files/locks.ts";
import { strReplaceEdit } from "../../../../src/codebuff-run/tools/files/str-replace.ts";
import { deferred } from "../../../../src/core/deferred.ts";
import { doorThat, fileWorld } from "./world.ts";

const refused = { file: "a", errorMessage: CHANGED };

describe("edits of one file at once", () => {
  test("by two runs are each made or refused, also through a link to the folder", async () => {
    await using world = await fileWorld();
    const numbers = Array.from({ length: 100 }, (_, number) => number);
    world.file("dir/a", numbers.map((number) => `<${number}>\n`).join(""));
    symlinkSync("dir", join(world.root, "link"));
    const other = world.job({ changes: world.files.changes(world.door) });
    const results = await Promise.all(
      numbers.map((number) =>
        world.replace(
          number % 3 === 0 ? "link/a" : "dir/a",
          `<${number}>`,
          `[${number}]`,
          number % 2 ? world.job() : other,
        ),
      ),
    );
    // A run is refused once the other one has written: it has not read that.
    const failed = results.filter((result) => "errorMessage" in result);
    for (const result of failed) expect(result).toMatchObject({ errorMessage: CHANGED });
    const done = world.text("dir/a").match(/\[/g) ?? [];
    expect(done.length).toBe(100 - failed.length);
  });

  test("by one run all take effect", async () => {
    await using world = await fileWorld();
    const numbers = Array.from({ length: 100 }, (_, number) => number);
    world.file("dir/a", numbers.map((number) => `<${number}>\n`).join(""));
    symlinkSync("dir", join(world.root, "link"));
    const results = await Promise.all(
      numbers.map((number) => world.replace(number % 2 ? "link/a" : "./dir/a", `<${number}>`, `[${number}]`)),
    );
    expect(results.map((result) => ("message" in result ? result.message : result))).toEqual(
      numbers.map(() => "Updated file"),
    );
    expect(world.text("dir/a")).toBe(numbers.map((number) => `[${number}]\n`).join(""));
    expect(world.changes.list()).toHaveLength(1);
    expect(readdirSync(join(world.root, "dir"))).toEqual(["a"]);
  });
});

describe("a file that another program changes", () => {
  test.each<[string, (path: string) => void]>([
    ["written", (path) => writeFileSync(path, "other\n")],
    ["deleted", unlinkSync],
    ["made executable", (path) => chmodSync(path, 0o755)],
  ])("(%s) is not edited until the agent reads it again", async (_, change) => {
    await using world = await fileWorld();
    world.file("a", "a\n");
    await world.read("a");
    change(join(world.root, "a"));
    expect(await world.write("a", "b\n")).toEqual(refused);
    expect(await world.replace("a", "a", "b")).toEqual(refused);
    expect(await world.patch("update_file", "a", "@@\n-a\n+b")).toEqual({
      errorMessage: `Failed to apply patch to a. ${CHANGED}`,
    });
    await world.read("a");
    expect(await world.write("a", "b\n")).not.toHaveProperty("errorMessage");
  });

  test("is not overwritten if the agent saw it missing", async () => {
    await using world = await fileWorld();
    await world.read("a");
    world.file("a", "other\n");
    expect(await world.write("a", "b\n")).toEqual(refused);
    expect(world.text("a")).toBe("other\n");
  });

  test("needs no other read between the run's own edits", async () => {
    await using world = await fileWorld();
    world.file("a", "a\n");
    await world.read("a");
    for (const [old, by] of [
      ["a", "b"],
      ["b", "c"],
      ["c", "d"],
    ] as const)
      expect(await world.replace("a", old, by)).toMatchObject({ message: "Updated file" });
  });

  test.each<[string, (path: string) => void]>([
    ["written", (path) => writeFileSync(path, "other\n")],
    ["deleted", unlinkSync],
    [
      "replaced by a link",
      (path) => {
        unlinkSync(path);
        symlinkSync("../outside/secret.txt", path);
      },
    ],
    [
      "replaced by a folder",
      (path) => {
        unlinkSync(path);
        mkdirSync(path);
      },
    ],
  ])("is not overwritten if it is %s between the read and the write", async (_, change) => {
    await using world = await fileWorld();
    world.file("a", "a\n");
    const outside = world.outsideNow();
    const door = doorThat(world.door, { writeFile: () => change(join(world.root, "a")) });
    expect(await world.write("a", "b\n", world.job({ door }))).toHaveProperty("errorMessage");
    expect(readdirSync(world.root).filter((name) => name !== "a")).toEqual([]);
    expect(statSync(join(world.root, "a"), { throwIfNoEntry: false })?.isFile() && world.text("a")).not.toBe(
      "b\n",
    );
    expect(world.outsideNow()).toEqual(outside);
    expect(world.changes.list()).toEqual([]);
  });

  test("is not overwritten if it appears while the run creates the same file", async () => {
    await using world = await fileWorld();
    const door = doorThat(world.door, { writeFile: () => world.file("a", "other\n") });
    expect(await world.write("a", "b\n", world.job({ door }))).toEqual(refused);
    expect(world.text("a")).toBe("other\n");
  });
});

describe("a cancelled or failed call", () => {
  const interrupted = { file: "a", errorMessage: "Interrupted." };

  test.each(["readFile", "before"] as const)(
    "that is cancelled before the write (%s) writes nothing",
    async (when) => {
      await using world = await fileWorld();
      world.file("a", "a\n");
      const controller = new AbortController();
      if (when === "before") controller.abort();
      const door = doorThat(world.door, { readFile: () => controller.abort() });
      const job = world.job({ door, signal: controller.signal });
      expect(await world.write("a", "b\n", job)).toEqual(interrupted);
      expect(world.text("a")).toBe("a\n");
      expect(await world.replace("a", "a", "c")).toMatchObject({ message: "Updated file" });
    },
  );

  test("that is cancelled during the write completes it and records the change", async () => {
    await using world = await fileWorld();
    world.file("a", "a\n");
    const controller = new AbortController();
    const door = doorThat(world.door, { writeFile: () => controller.abort() });
    const job = world.job({ door, signal: controller.signal });
    expect(await world.write("a", "b\n", job)).toMatchObject({ message: "Updated file" });
    expect(world.changes.list()).toMatchObject([{ path: "a", action: "update" }]);
  });

  test("that is cancelled between two replacements writes nothing", async () => {
    await using world = await fileWorld();
    world.file("a", "a b\n");
    const file = await world.door.readFile("a", { maxBytes: 99 });
    const controller = new AbortController();
    const replacements = [
      { old: "a", new: "x" },
      { old: "b", new: "y" },
    ];
    const plan = strReplaceEdit({ path: "a", replacements }).plan(file, controller.signal);
    controller.abort(new Error("enough"));
    await expect(plan).rejects.toThrow("enough");
  });

  test("that is cancelled while it waits for the file's lock leaves the queue to the next call", async () => {
    const locks = new PathLocks();
    const first = deferred<string>();
    const order: string[] = [];
    const controller = new AbortController();
    const held = locks.hold("a", undefined, () => first.promise);
    const left = locks.hold("A", controller.signal, async () => order.push("left"));
    const next = locks.hold("a", controller.signal, async () => order.push("next")).catch(() => "left too");
    const last = locks.hold("a", new AbortController().signal, async () => order.push("last"));
    const other = await locks.hold("b", undefined, async () => "other");
    controller.abort(new Error("enough"));
    await expect(left).rejects.toThrow("enough");
    first.resolve("first");
    expect([await held, other, await next, await last]).toEqual(["first", "other", "left too", 1]);
    expect(order).toEqual(["last"]);
    expect(locks.size).toBe(0);
  });

  test("that fails releases the file's lock to the next call", async () => {
    const locks = new PathLocks();
    const failed = locks.hold("a", undefined, () => Promise.reject(new Error("no")));
    const next = locks.hold("a", undefined, async () => "next");
    await expect(failed).rejects.toThrow("no");
    expect(await next).toBe("next");
    expect(locks.size).toBe(0);
  });
});
