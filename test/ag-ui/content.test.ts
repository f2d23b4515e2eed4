import { expect, test } from "vitest";
import { fileContent, resultContent } from "../../src/ag-ui/content.ts";

const image = (path: string, mime: string | null) => ({ type: "image", path, mime }) as const;

test.each([
  ["data:image/png;base64,AAAA", null, "image", { type: "data", value: "AAAA", mimeType: "image/png" }],
  ["data:audio/wav;base64,AAAA", null, "audio", { type: "data", value: "AAAA", mimeType: "audio/wav" }],
  ["data:video/mp4;base64,AAAA", null, "video", { type: "data", value: "AAAA", mimeType: "video/mp4" }],
  [
    "data:;base64,AAAA",
    "application/pdf",
    "document",
    { type: "data", value: "AAAA", mimeType: "application/pdf" },
  ],
  ["https://a.example/x", null, "image", { type: "url", value: "https://a.example/x" }],
  [
    "https://a.example/x",
    "image/gif",
    "image",
    { type: "url", value: "https://a.example/x", mimeType: "image/gif" },
  ],
])("%s of the type %s is a part of the kind %s", (path, mime, type, source) => {
  expect(resultContent("out", [image(path, mime)])).toEqual([
    { type: "text", text: "out" },
    { type, source },
  ]);
});

test("a path of the agent's machine is no part, and neither are texts and diffs", () => {
  const diff = { type: "file_ref", path: "https://a.example/x", action: "patch", diff: "-a" } as const;
  const file = { ...diff, action: "read", diff: null } as const;
  expect(resultContent("out", [image("/a.png", "image/png"), { type: "text", text: "a" }, diff])).toBe("out");
  expect(resultContent("", [file])).toEqual([
    { type: "text", text: "" },
    { type: "document", source: { type: "url", value: "https://a.example/x" } },
  ]);
});

test("a file of an answer is the content of an activity, and a text is not", () => {
  expect(fileContent(image("/a.png", null))).toEqual({ path: "/a.png", mediaType: null });
  const file = { type: "file_ref", path: "a.ts", action: "patch" } as const;
  expect(fileContent({ ...file, diff: null })).toEqual({ path: "a.ts", mediaType: null, action: "patch" });
  expect(fileContent({ ...file, diff: "-a" })).toMatchObject({ diff: "-a" });
  expect(fileContent({ type: "text", text: "a" })).toBeUndefined();
});
