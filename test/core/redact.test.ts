import { describe, expect, test } from "vitest";
import { credentialsIn } from "../../src/core/credential-names.ts";
import { Redactor } from "../../src/core/redact.ts";
import { growth } from "./support/costs.ts";

const redactor = (...secrets: readonly string[]): Redactor => {
  const redactor = new Redactor();
  for (const secret of secrets) redactor.add(secret);
  return redactor;
};

describe("a remembered secret is taken out wherever it turns up", () => {
  test.each([
    { where: "plain text", text: "no user s3cr3t here", clean: "no user [redacted] here" },
    { where: "several places", text: "s3cr3t, s3cr3t", clean: "[redacted], [redacted]" },
    {
      where: "a header line",
      text: "Authorization: Bearer s3cr3t\r\n",
      clean: "Authorization: Bearer [redacted]\r\n",
    },
    { where: "a query", text: "ws://host/ws?key=s3cr3t&a=1", clean: "ws://host/ws?key=[redacted]&a=1" },
    { where: "a member of any name", text: '{"data":"s3cr3t"}', clean: '{"data":"[redacted]"}' },
  ])("in $where", ({ text, clean }) => {
    expect(redactor("s3cr3t").redact(text)).toBe(clean);
  });

  test("also as an address writes it", () => {
    const secret = "a b/c&d?é";
    expect(redactor(secret).redact(`GET /auth?token=${encodeURIComponent(secret)}&x=1`)).toBe(
      "GET /auth?token=[redacted]&x=1",
    );
  });

  test("also when it is half a character, which no address can hold", () => {
    expect(redactor("ab\ud800cd").redact("is ab\ud800cd")).toBe("is [redacted]");
  });

  test("also as JSON writes it", () => {
    const secret = 'pass"word\\1\n';
    const clean = redactor(secret).redact(`as is ${secret} and in ${JSON.stringify({ data: secret })}`);
    expect(clean).toBe('as is [redacted] and in {"data":"[redacted]"}');
  });

  test.each([
    { order: ["token-1", "token-2", "other-secret"] },
    { order: ["other-secret", "token-2", "token-1"] },
  ])("each of several: $order", ({ order }) => {
    expect(redactor(...order).redact("token-1 token-2 other-secret")).toBe(
      "[redacted] [redacted] [redacted]",
    );
  });

  test.each([{ order: ["abcd", "abcd-rest"] }, { order: ["abcd-rest", "abcd"] }])(
    "leaves no rest of one that begins with another: $order",
    ({ order }) => {
      expect(redactor(...order).redact("x abcd-rest x")).not.toContain("rest");
    },
  );

  test("a secret that would be a pattern is taken as it is", () => {
    expect(redactor("a.c*$&").redact("abc a.c*$&")).toBe("abc [redacted]");
  });

  test("what is too short to be one takes nothing out of innocent text", () => {
    const short = redactor("", "a", "abc");
    short.add(undefined);
    expect(short.redact("a banana, abc")).toBe("a banana, abc");
  });
});

describe("a member whose name says that it is a credential loses its value", () => {
  const names = [
    "authToken",
    "auth_token",
    "accessToken",
    "access_token",
    "refresh_token",
    "idToken",
    "apiKey",
    "api_key",
    "token",
    "password",
    "secret",
    "Authorization",
    "Cookie",
    "clientSecret",
    "x-api_key",
  ];

  test.each(names)("%s, in JSON, in JSON inside a string, and in Python's notation", (name) => {
    const json = JSON.stringify({ a: 1, [name]: "hunter2", b: "kept" });
    const python = `{'a': 1, '${name}': 'hunter2', 'b': 'kept'}`;
    for (const text of [
      json,
      JSON.stringify({ nested: json }),
      python,
      `{ "${name}" : "hunter2", "b": "kept" }`,
    ]) {
      const clean = redactor().redact(text);
      expect(clean).not.toContain("hunter2");
      expect(clean).toContain("[redacted]");
      expect(clean).toContain("kept");
    }
  });

  test("and stays readable JSON", () => {
    const frame = { type: "action", data: { authToken: "hunter2", prompt: "Hi" } };
    expect(JSON.parse(redactor().redact(JSON.stringify(frame)))).toEqual({
      type: "action",
      data: { authToken: "[redacted]", prompt: "Hi" },
    });
  });

  test.each([
    { text: '{"password":"it\'s-hunter2"}' },
    { text: `{'password': 'say "hunter2"'}` },
    { text: '{"password":"a\\"hunter2"}' },
    { text: '{"password":"a\\\\hunter2"}' },
    { text: '{"password":"a\\nhunter2"}' },
    { text: `{"password": 'hunter2'}` },
  ])("to the last character, whatever quotes and escapes it holds: $text", ({ text }) => {
    expect(redactor().redact(text)).not.toContain("hunter2");
  });

  test.each([
    '{"tokens": 5, "inputTokens": "12"}',
    '{"prompt": "what is a password?"}',
    '{"text": "the secret: stay calm"}',
    "plain text about a token",
    "",
  ])("and nothing else changes: %s", (text) => {
    expect(redactor().redact(text)).toBe(text);
  });
});

describe("the credentials in the query of an address", () => {
  test.each<{ address: string; found: readonly string[] }>([
    { address: "wss://h/ws?token=a%20b", found: ["a%20b", "a b"] },
    { address: "wss://h/ws?x=1&API_KEY=k=1&y", found: ["k=1", "k=1"] },
    { address: "wss://h/ws?key=abc#token=d", found: ["abc#token=d", "abc#token=d"] },
    { address: "wss://h/ws?token=%zz", found: ["%zz", "%zz"] },
    { address: "wss://h/ws?token=&tokens=3&monkeys=2", found: [] },
    { address: "wss://token=abc/ws", found: [] },
  ])("$address has $found", ({ address, found }) => {
    expect(credentialsIn(address)).toEqual(found);
  });
});

describe("the cost of a hostile text grows with its length, not with its square", () => {
  test.each<{ name: string; make: (size: number) => string }>([
    { name: "unterminatedCredential", make: (size) => `{"password":"${"a".repeat(size)}` },
    { name: "spacesAfterName", make: (size) => `{"password"${" ".repeat(size)}` },
    { name: "spacesAfterColon", make: (size) => `{"password":${" ".repeat(size)}` },
    { name: "namesWithoutValues", make: (size) => '"password":'.repeat(size / 11) },
    { name: "namesAndSpaces", make: (size) => '"token" : '.repeat(size / 10) },
    { name: "underscores", make: (size) => "auth_".repeat(size / 5) },
    { name: "escapedQuotes", make: (size) => '\\"password\\":\\"'.repeat(size / 15) },
    { name: "almostTheSecret", make: (size) => "hunter".repeat(size / 6) },
  ])("$name of 5 MB", ({ make }) => {
    const [small, large] = [make(312_500), make(5_000_000)];
    const clean = redactor("hunter2");
    // 16 times the length: linear is about 16, quadratic 256
    expect(
      growth(
        () => clean.redact(small),
        () => clean.redact(large),
      ),
    ).toBeLessThan(128); // a busy machine makes it 85
  });
});
