import { expect, test } from "vitest";
import { callResultOf, mediaBlock, previewContent, sourceBlocks } from "../../src/acp-agent/blocks.ts";

test.each([
  ["data:image/png;base64,AAAA", null, { type: "image", data: "AAAA", mimeType: "image/png" }],
  ["data:audio/wav;base64,AAAA", null, { type: "audio", data: "AAAA", mimeType: "audio/wav" }],
  ["data:;base64,AAAA", "image/gif", { type: "image", data: "AAAA", mimeType: "image/gif" }],
  ["data:;base64,AAAA", null, { type: "resource_link", name: "data", uri: "data:;base64,AAAA" }],
  [
    "data:text/plain;base64,AAAA",
    null,
    { type: "resource_link", name: "data", uri: "data:text/plain;base64,AAAA", mimeType: "text/plain" },
  ],
  ["/a b/c?.png", null, { type: "resource_link", name: "c?.png", uri: "file:///a%20b/c%3F.png" }],
  ["https://example.org/x", null, { type: "resource_link", name: "x", uri: "https://example.org/x" }],
  ["/", null, { type: "resource_link", name: "/", uri: "file:///" }],
])("%s of the type %s becomes the block that ACP has for it", (path, mime, block) => {
  expect(mediaBlock(path, mime)).toEqual(block);
});

test("each source of a text is one link, and a source without an address is none", () => {
  const sources = [{ title: "nowhere" }, { url: "https://a.example/", title: "A" }, { path: "b.ts" }];
  expect(sourceBlocks([...sources, { path: "b.ts" }])).toEqual([
    { type: "resource_link", name: "A", uri: "https://a.example/" },
    { type: "resource_link", name: "b.ts", uri: "b.ts" },
  ]);
});

test("the result of a call has its text, files and images; its raw output is the data, or else the text", () => {
  const diff = "--- a\n+++ b";
  const { content, rawOutput } = callResultOf(
    [
      { type: "text", text: "not of a result" },
      { type: "file_ref", path: "a.ts", action: "patch", diff },
      { type: "file_ref", path: "b.ts", action: "read", diff: null },
      { type: "image", path: "data:image/png;base64,AAAA", mime: null },
      { type: "json", json: 1 },
      { type: "json", json: { two: 2 } },
    ],
    "done",
    100,
  );
  expect(content.map((each) => (each.type === "content" ? each.content.type : each.type))).toEqual([
    "text",
    "text",
    "resource_link",
    "image",
  ]);
  expect(rawOutput).toEqual([1, { two: 2 }]);
  expect(callResultOf([], "done", 100).rawOutput).toBe("done");
  expect(callResultOf([], "much too long", 4)).not.toHaveProperty("rawOutput");
});

/** A preview of a file whose old text is not known. */
const shownAs = (diff: string): string =>
  previewContent([{ path: "a", by: "tool", diff, new_text: "new" }])
    .map((each) => (each.type === "diff" && each.oldText === null ? "creation" : each.type))
    .join();

test.each([
  "+a",
  "@@ -0,0 +1,2 @@\n+a\n+-b\n\\ No newline at end of file",
  "--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+a\n",
])("a preview that only adds lines to nothing is a new file: %j", (diff) => {
  expect(shownAs(diff)).toBe("creation");
});

test.each([
  "--- a comment of SQL",
  "--- a comment of SQL\n+++ x",
  "--- a comment of SQL\n+select 1",
  "@@ -1 +1 @@\n--- a comment of SQL\n+select 1",
  "--- a/a\n+++ b/a\n@@ -1 +1 @@\n--- a comment of SQL\n+++ x\n",
  "---",
  "--i;\n+i++;",
  " context\n+a",
  "@@ -1,9000 +1,2 @@\n+a\n[cut behind 100000 characters]\n",
  "[the rest of the diff is left out: it is too long]",
])("a preview that deletes, or may delete, is never a new file: %j", (diff) => {
  expect(shownAs(diff)).toBe("content");
});
