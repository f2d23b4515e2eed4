import { readdirSync, readFileSync } from "node:fs";
import type { CassAuthReason } from "agentwire/cass";
import { expect, test } from "vitest";
import { docOf, memberDocs } from "./docstrings.ts";
import { codeIn, names, Page } from "./page.ts";

const doc = new Page("docs/cass.md");

test("the comment of CassAuthReason explains every reason", () => {
  const reasons = names<CassAuthReason>({
    rejected: true,
    "identity-mismatch": true,
    anonymous: true,
    timeout: true,
    "refresh-failed": true,
  });
  const explained = [...docOf("src/cass/errors.ts", "CassAuthReason").matchAll(/- `([\w-]+)`: /g)];
  expect(explained.map(([, reason]) => reason)).toEqual(reasons);
});

test("the comment of `protocolWarning` names every warning that the client gives", () => {
  const folder = new URL("../../src/cass/", import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  const code = files.map((file) => readFileSync(new URL(file, folder), "utf8"));
  const given = code.flatMap((text) =>
    [...text.matchAll(/\bwarn\(\s*"([\w-]+)"/g)].map(([, kind = ""]) => kind),
  );
  const named = codeIn(memberDocs("src/cass/events.ts", "CassClientEvents").get("protocolWarning") ?? "");
  expect(given).toContain("image-ignored");
  expect(given.filter((kind) => !named.includes(kind))).toEqual([]);
});

test("docs/cass.md lists fourteen differences", () => {
  const section = doc.section("What differs, and who takes care of it");
  expect(section).toContain("fourteen things");
  expect(section.split("\n").filter((line) => line.startsWith("- "))).toHaveLength(14);
});
