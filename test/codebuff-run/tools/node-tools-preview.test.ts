import { mkdir, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Call, call, type FolderWorld, folderWorld, replace, write } from "./tools-world.ts";

// What a preview has shown is what is written, or nothing is.

const deleted = (path: string): Call => call("apply_patch", { operation: { type: "delete_file", path } });
const readA = call("read_files", { paths: ["a.txt"] });
const AGAIN = expect.stringContaining("Read it again");
const FILES = { "a.txt": "on = false\n", "dir/a.txt": "on = false\n", "other/a.txt": "secret\n" };

/** A turn that previews calls and makes them. The input is a new object each time. */
function turnOf({ tools }: FolderWorld, turnId = "turn") {
  const { signal } = new AbortController();
  const made = ({ name, arguments: input }: Call) => ({ name, input: structuredClone(input), turnId });
  return {
    preview: (given: Call) => tools.preview(made(given)),
    use: async (given: Call): Promise<unknown> => {
      const [output] = (await tools.handlers[given.name]?.(made(given), { signal })) ?? [];
      return output?.type === "json" ? output.value : undefined;
    },
  };
}

const edit = replace("a.txt", "false", "true");

test.each<[string, Call, (world: FolderWorld) => Promise<unknown>]>([
  [
    "another content that the agent has read meanwhile",
    edit,
    async (world) => {
      await writeFile(join(world.root, "a.txt"), "deleteAll = false\n");
      await turnOf(world).use(readA);
    },
  ],
  [
    "what another call has made of the file",
    edit,
    (world) => turnOf(world).use(write("a.txt", "deleteAll = false\n")),
  ],
  [
    "a file in which the text is found now",
    replace("a.txt", "nope", "evil"),
    ({ root }) => writeFile(join(root, "a.txt"), "nope\n"),
  ],
  [
    "a file where there was none",
    replace("new.txt", "x", "y"),
    ({ root }) => writeFile(join(root, "new.txt"), "x\n"),
  ],
  ["no file where there was one", write("a.txt", "x\n"), ({ root }) => unlink(join(root, "a.txt"))],
  [
    "a file that was refused",
    write("folder", "x\n"),
    async ({ root }) => {
      await rm(join(root, "folder"), { recursive: true });
      await writeFile(join(root, "folder"), "precious\n");
    },
  ],
  [
    "a file in place of a link",
    deleted("link"),
    async ({ root }) => {
      await unlink(join(root, "link"));
      await writeFile(join(root, "link"), "precious\n");
    },
  ],
  [
    "a link in place of a file",
    deleted("a.txt"),
    async ({ root }) => {
      await unlink(join(root, "a.txt"));
      await symlink("dir", join(root, "a.txt"));
    },
  ],
  [
    "a missing file behind a link that leads elsewhere",
    write("to/new.txt", "x\n"),
    async ({ root }) => {
      await symlink("other", join(root, "next"));
      await rename(join(root, "next"), join(root, "to"));
    },
  ],
])("a previewed call is refused if it finds %s", async (_, given, change) => {
  await using world = await folderWorld(FILES);
  await mkdir(join(world.root, "folder"));
  await symlink("a.txt", join(world.root, "link"));
  await symlink("dir", join(world.root, "to"));
  const turn = turnOf(world);
  expect(await turn.preview(given)).toEqual(expect.any(String));
  await change(world);
  const before = world.tools.changes("turn").list();
  expect(await turn.use(given)).toMatchObject({ errorMessage: AGAIN });
  expect(world.tools.changes("turn").list()).toEqual(before);
});

test("a preview does not bind calls of another turn or with another input", async () => {
  await using world = await folderWorld(FILES);
  await turnOf(world, "other").preview(edit);
  await turnOf(world).preview(replace("a.txt", "on", "off"));
  await writeFile(join(world.root, "a.txt"), "mine = false\n");
  expect(await turnOf(world).use(edit)).toMatchObject({ message: "Updated file" });
});

test("of two previews of a call, the last one counts", async () => {
  await using world = await folderWorld(FILES);
  const turn = turnOf(world);
  await turn.preview(edit);
  await writeFile(join(world.root, "a.txt"), "mine = false\n");
  expect(await turn.preview(edit)).toContain("+mine = true");
  expect(await turn.use(edit)).toMatchObject({ message: "Updated file" });
});

test("of two equal previewed calls, the second one is refused, as the first changed the file", async () => {
  await using world = await folderWorld({ "a.txt": "a\n" });
  const turn = turnOf(world);
  const longer = replace("a.txt", "a", "aa");
  expect(await turn.preview(longer)).toBe(await turn.preview(longer));
  expect(await turn.use(longer)).toMatchObject({ message: "Updated file" });
  expect(await turn.use(longer)).toMatchObject({ errorMessage: AGAIN });
  expect(await world.text("a.txt")).toBe("aa\n");
  expect(await turn.use(readA)).toHaveLength(1);
  const shorter = replace("a.txt", "aa", "a");
  expect(await turn.use(shorter)).toMatchObject({ message: "Updated file" });
  expect(await turn.use(longer)).toMatchObject({ message: "Updated file" }); // both previews are used
});

test("an edit of a server is refused if the file is no longer as previewed", async () => {
  await using world = await folderWorld({ "a.txt": "one\n" });
  const turn = turnOf(world);
  const patch = call("str_replace", { type: "patch", path: "a.txt", content: "@@ -1,1 +1,1 @@\n-one\n+1\n" });
  expect(await turn.preview(patch)).toContain("+1\n");
  await writeFile(join(world.root, "a.txt"), "one\nmore\n");
  expect(await turn.use(patch)).toMatchObject({ errorMessage: AGAIN });
});

describe("the preview in an approval", () => {
  const told = async ({ tools }: FolderWorld, { name, arguments: input }: Call, id?: string) =>
    tools.handlers[name]?.preview?.(
      { name, input, turnId: "turn", ...(id === undefined ? {} : { id }) },
      { signal: new AbortController().signal },
    );

  test("has no old text of a new file, no new text of a deleted file, and no long text", async () => {
    const long = `${"x".repeat(99)}\n`.repeat(700);
    await using world = await folderWorld({ "a.txt": "one\n", "long.txt": long });
    expect(await told(world, write("dir/new.txt", "new\n"))).toEqual([
      { path: "dir/new.txt", diff: "@@ -0,0 +1,1 @@\n+new\n", by: "tool", new_text: "new\n" },
    ]);
    expect(await told(world, deleted("a.txt"))).toEqual([
      { path: "a.txt", diff: "@@ -1,1 +0,0 @@\n-one\n", by: "tool", old_text: "one\n" },
    ]);
    expect(await told(world, write("long.txt", "short\n"))).toEqual([
      { path: "long.txt", diff: expect.stringContaining("+short\n"), by: "tool", new_text: "short\n" },
    ]);
  });

  test("has the real path of a file behind a link", async () => {
    await using world = await folderWorld({ "dir/a.txt": "one\n" });
    await symlink("dir", join(world.root, "to"));
    expect(await told(world, replace("to/a.txt", "one", "1"))).toMatchObject([{ path: "dir/a.txt" }]);
  });

  test.each([
    [replace("a.txt", "nope", "x"), "a.txt"],
    [write("../a.txt", "x"), "../a.txt"],
  ])("says in brackets that the call would fail: %j", async (given, path) => {
    await using world = await folderWorld({ "a.txt": "one\n" });
    expect(await told(world, given)).toEqual([
      { path, diff: expect.stringMatching(/^\[the call would fail: [\s\S]*\]\n$/), by: "tool" },
    ]);
  });

  test("is missing for an input without a file, and for tools that do not edit", async () => {
    await using world = await folderWorld({}, { terminal: true });
    expect(await told(world, call("write_file", {}))).toBeUndefined();
    const { handlers } = world.tools;
    expect(Object.keys(handlers).filter((name) => handlers[name]?.preview !== undefined)).toEqual([
      "write_file",
      "str_replace",
      "apply_patch",
    ]);
  });

  test("with the id of a call binds only this call, however often it is made", async () => {
    await using world = await folderWorld({ "a.txt": "a\n" });
    const { tools } = world;
    const { signal } = new AbortController();
    const { name, arguments: input } = replace("a.txt", "a", "aa");
    const use = (id: string) => tools.handlers[name]?.({ id, name, input, turnId: "turn" }, { signal });
    await told(world, replace("a.txt", "a", "aa"), "one"); // as the client does
    await tools.preview({ id: "one", name, input, turnId: "turn" }); // and once more, for a dialog
    await told(world, replace("a.txt", "a", "aa"), "denied");
    expect(await use("one")).toMatchObject([{ value: { message: "Updated file" } }]);
    await writeFile(join(world.root, "a.txt"), "a b\n");
    await tools.handlers["read_files"]?.(
      { name: "read_files", input: { paths: ["a.txt"] }, turnId: "turn" },
      { signal },
    );
    expect(await use("allowed without a question")).toMatchObject([{ value: { message: "Updated file" } }]);
    expect(await use("denied")).toMatchObject([{ value: { errorMessage: AGAIN } }]);
  });
});
