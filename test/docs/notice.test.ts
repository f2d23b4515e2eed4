import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = new URL("../../", import.meta.url);
const words = (text: string): string => text.replace(/\s+/g, " ").trim();
const notice = words(readFileSync(new URL("NOTICE", ROOT), "utf8"));

function licenceOf(name: string): string {
  const names = ["LICENSE", "LICENSE.txt", "license", "LICENSE.md", "LICENSE-MIT"];
  const file = names
    .map((each) => new URL(`node_modules/${name}/${each}`, ROOT))
    .find((url) => existsSync(fileURLToPath(url)));
  if (!file) throw new Error(`${name} has no licence file`);
  return readFileSync(file, "utf8");
}

/** The packages whose code is in `dist`: `npm run check dependencies` finds one that NOTICE does not name. */
test.each([
  "zod",
  "eventemitter3",
  "p-retry",
  "is-network-error",
  "eventsource-parser",
  "signal-exit",
  "diff",
  "ignore",
  "picomatch",
])("NOTICE has the copyright line of %s", (name) => {
  const line = /^Copyright.*$/m.exec(licenceOf(name))?.[0] ?? "";
  expect(line).not.toBe("");
  expect(notice).toContain(words(line.replace(/ <[^>]*>(?: \(.*)?| \(https?:.*/, "")));
});

test("NOTICE names the author of @cfworker/json-schema, which has no licence file", () => {
  const manifest = readFileSync(new URL("node_modules/@cfworker/json-schema/package.json", ROOT), "utf8");
  const { license, author } = JSON.parse(manifest);
  expect(license).toBe("MIT");
  expect(notice).toContain(`@cfworker/json-schema Copyright (c) ${author.replace(/ <.*/, "")}`);
});

test("NOTICE has the full text of the ISC licence", () => {
  const [, permission = ""] = /(Permission to use[\s\S]*)$/.exec(licenceOf("signal-exit")) ?? [];
  expect(permission.length).toBeGreaterThan(500);
  expect(notice).toContain(words(permission));
});

test("NOTICE has the full text of diff's BSD licence", () => {
  const [, conditions = ""] = /(Redistribution and use[\s\S]*)$/.exec(licenceOf("diff")) ?? [];
  expect(conditions.length).toBeGreaterThan(500);
  expect(notice).toContain(words(conditions));
});
