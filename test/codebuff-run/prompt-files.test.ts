import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { deferred } from "../../src/core/deferred.ts";
import { folderWorld } from "./tools/tools-world.ts";
import { runWorld, textIn } from "./world.ts";

// Prompts of a run that name files of a folder.

describe("a prompt with files", () => {
  test("has their texts behind the user's, and keeps them for the next prompt", async () => {
    await using folder = await folderWorld({ "src/a.ts": "let a;\n", "b.md": "# B" });
    await using world = await runWorld({}, { files: folder.tools });
    expect(world.client.capabilities.files).toBe(true);
    const conversation = world.client.conversation();
    await conversation.prompt({ text: "Compare them", files: ["src/a.ts", "./b.md", "src/a.ts"] }).result;
    await conversation.prompt("Again").result;
    const [first, second] = world.chats().map(({ messages }) => messages.map(textIn).join("\n"));
    const said =
      '<user_message>Compare them</user_message><attachment name="src/a.ts">\nlet a;\n\n</attachment><attachment name="b.md">\n# B\n</attachment>';
    expect(first).toContain(said);
    expect(second).toContain(said);
  });

  test.each([
    [".env", "blocked"],
    ["missing.md", "does not exist"],
    ["../a.md", "outside"],
    ["c.bin", "not UTF-8 text"],
  ])("fails if %s %s, and nothing is sent", async (path, words) => {
    await using folder = await folderWorld({ ".env": "KEY=1", "a.md": "" });
    await writeFile(join(folder.root, "c.bin"), new Uint8Array([0, 1]));
    await using world = await runWorld({}, { files: folder.tools });
    const input = { text: "Read it", files: ["a.md", path] };
    expect(await world.client.prompt(input).outcome).toMatchObject({
      status: "failed",
      error: { code: "invalid-input", delivery: "not-sent", input, message: expect.stringContaining(words) },
    });
    expect(world.calls()).toEqual([]);
    expect(await world.client.prompt("Go on").result).toMatchObject({ stopReason: "completed" });
  });

  test("can be cancelled while the files are read", async () => {
    await using folder = await folderWorld();
    const reading = deferred<AbortSignal>();
    const files = {
      ...folder.tools,
      promptFiles: (_: readonly string[], { signal }: { readonly signal: AbortSignal }) => {
        reading.resolve(signal);
        return new Promise<never>((_, reject) =>
          signal.addEventListener("abort", () => reject(new Error("stopped"))),
        );
      },
    };
    await using world = await runWorld({}, { files });
    const turn = world.client.prompt({ text: "Read it", files: ["a.md"] });
    const signal = await reading.promise;
    expect(await turn.cancel()).toMatchObject({ status: "cancelled", by: "user" });
    expect(signal.aborted).toBe(true);
    expect(world.calls()).toEqual([]);
  });

  test("is refused without the option `files`, before anything is sent", async () => {
    await using world = await runWorld();
    expect(world.client.capabilities.files).toBe(false);
    expect(() => world.client.prompt({ text: "Read it", files: ["a.md"] })).toThrow(
      expect.objectContaining({ code: "unsupported", hint: expect.stringMatching(/\w/) }),
    );
    await expect(world.client.files("a")).rejects.toMatchObject({ code: "unsupported" });
    expect(world.calls()).toEqual([]);
  });

  test.each([
    ["a path in place of a list", "a.md"],
    ["a number", [5]],
    ["a blank path", [" "]],
    ["a NUL", ["a\0"]],
    ["51 paths", Array.from({ length: 51 }, (_, at) => `${at}.md`)],
  ])("with %s is refused", async (_, files) => {
    await using folder = await folderWorld();
    await using world = await runWorld({}, { files: folder.tools });
    expect(() => world.client.prompt({ text: "Read it", files } as never)).toThrow(
      expect.objectContaining({ code: "invalid-input" }),
    );
  });
});

test("a client lists the files of its folder", async () => {
  await using folder = await folderWorld({ "src/a.ts": "" });
  await using world = await runWorld({}, { files: folder.tools });
  expect(await world.client.files("a")).toEqual({ paths: ["src/a.ts"], more: false });
});
