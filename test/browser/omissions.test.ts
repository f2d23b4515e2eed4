import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { omissions } from "./omissions.ts";

const root = new URL("../../", import.meta.url);

test.each(omissions)("$file, $test: the omitted test exists, and the omission has a reason", async (row) => {
  const source = await readFile(fileURLToPath(new URL(row.file, root)), "utf8");
  expect(source).toContain(row.test ?? "");
  expect(row.reason.trim()).not.toBe("");
});
