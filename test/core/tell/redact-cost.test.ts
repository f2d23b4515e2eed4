import { describe, expect, test } from "vitest";
import { Redactor } from "../../../src/core/tell/redact.ts";
import { growth } from "../support/costs.ts";

describe("the redaction's cost grows linearly with a hostile text's length", () => {
  test.each<{ name: string; make: (size: number) => string }>([
    { name: "unterminatedCredential", make: (size) => `{"password":"${"a".repeat(size)}` },
    { name: "spacesAfterName", make: (size) => `{"password"${" ".repeat(size)}` },
    { name: "spacesAfterColon", make: (size) => `{"password":${" ".repeat(size)}` },
    { name: "namesWithoutValues", make: (size) => '"password":'.repeat(size / 11) },
    { name: "namesAndSpaces", make: (size) => '"token" : '.repeat(size / 10) },
    { name: "underscores", make: (size) => "auth_".repeat(size / 5) },
    { name: "escapedQuotes", make: (size) => '\\"password\\":\\"'.repeat(size / 15) },
    { name: "almostTheSecret", make: (size) => "hunter".repeat(size / 6) },
    { name: "backslashes", make: (size) => "\\".repeat(size) },
    { name: "unicodeEscapes", make: (size) => "\\u0068".repeat(size / 6) },
    { name: "percents", make: (size) => "%".repeat(size) },
    { name: "notUtf8", make: (size) => "%c3%28".repeat(size / 6) },
    { name: "escapedSecrets", make: (size) => "\\u0068unter2".repeat(size / 12) },
    { name: "questionMarks", make: (size) => "?".repeat(size) },
    { name: "manyUrls", make: (size) => "://a:b".repeat(size / 6) },
    { name: "urlsWithSlashes", make: (size) => "://a:b/c".repeat(size / 8) },
    { name: "endlessUser", make: (size) => `://${"a".repeat(size)}` },
    { name: "endlessPassword", make: (size) => `://a:b/${"c:".repeat(size / 2)}` },
    { name: "endlessHost", make: (size) => `://${"a.".repeat(size / 2)}` },
    { name: "endlessParameter", make: (size) => `?token=${"a".repeat(size)}` },
  ])("$name of 2 MB", ({ make }) => {
    const [small, large] = [make(125_000), make(2_000_000)];
    const clean = new Redactor();
    clean.add("hunter2");
    // 16 times the length: linear is about 16, quadratic 256
    expect(
      growth(
        () => clean.redact(small),
        () => clean.redact(large),
      ),
    ).toBeLessThan(80);
  });
});
