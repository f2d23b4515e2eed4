import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fileNameOf, idOfFileName } from "../../src/chat/store/file-name.ts";
import { PATIENCE, runs } from "../helpers/runs.ts";

const ids = fc.string({
  unit: fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    fc.constantFrom("%", "u", "0", "A", "a", ".", "/", "\ud83d"),
  ),
  minLength: 1,
  maxLength: 30,
});

describe("the file name of a chat", () => {
  test(
    "converts back to the id, and is valid on every file system",
    () => {
      fc.assert(
        fc.property(ids, (id) => {
          const name = fileNameOf(id) ?? "";
          expect(name).toMatch(/^chat-[a-z0-9_%-]+\.jsonl$/);
          expect(name.length).toBeLessThanOrEqual(255);
          expect(idOfFileName(name)).toBe(id);
        }),
        runs(2_000),
      );
    },
    PATIENCE,
  );

  test("is undefined for an id that is too long", () => {
    expect(fileNameOf("a".repeat(200))).toBe(`chat-${"a".repeat(200)}.jsonl`);
    expect(fileNameOf("a".repeat(201))).toBeUndefined();
    expect(fileNameOf("A".repeat(67))).toBeUndefined();
  });

  test.each([
    "",
    "chat-",
    "chat-.jsonl",
    "chat-A.jsonl",
    "chat-%61.jsonl",
    "chat-%u0041.jsonl",
    "chat-a.JSONL",
    "a.jsonl",
    "chat-a b.jsonl",
  ])("gives no id if it is %j", (name) => {
    expect(idOfFileName(name)).toBeUndefined();
  });
});
