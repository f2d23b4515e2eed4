import { describe, expect, test } from "vitest";
import {
  credentialsIn,
  credentialsInHeaders,
  isCredentialParameter,
} from "../../../src/core/tell/credential-names.ts";
import { Redactor } from "../../../src/core/tell/redact.ts";
import { callsDuring } from "../support/costs.ts";

const redactor = (...secrets: readonly string[]): Redactor => {
  const redactor = new Redactor();
  for (const secret of secrets) redactor.add(secret);
  return redactor;
};

describe("a remembered secret is redacted", () => {
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

  test("if it is percent-encoded", () => {
    const secret = "a b/c&d?é";
    expect(redactor(secret).redact(`GET /auth?token=${encodeURIComponent(secret)}&x=1`)).toBe(
      "GET /auth?token=[redacted]&x=1",
    );
  });

  test("if it contains a lone surrogate, which no URL can hold", () => {
    expect(redactor("ab\ud800cd").redact("is ab\ud800cd")).toBe("is [redacted]");
  });

  test("if it is escaped as JSON", () => {
    const secret = 'pass"word\\1\n';
    const clean = redactor(secret).redact(`as is ${secret} and in ${JSON.stringify({ data: secret })}`);
    expect(clean).toBe('as is [redacted] and in {"data":"[redacted]"}');
  });

  test.each([
    { order: ["token-1", "token-2", "other-secret"] },
    { order: ["other-secret", "token-2", "token-1"] },
  ])("together with other secrets: $order", ({ order }) => {
    expect(redactor(...order).redact("token-1 token-2 other-secret")).toBe(
      "[redacted] [redacted] [redacted]",
    );
  });

  test.each([{ order: ["abcd", "abcd-rest"] }, { order: ["abcd-rest", "abcd"] }])(
    "completely, if a shorter secret is its prefix: $order",
    ({ order }) => {
      expect(redactor(...order).redact("x abcd-rest x")).not.toContain("rest");
    },
  );

  test("literally, if it looks like a regular expression", () => {
    expect(redactor("a.c*$&").redact("abc a.c*$&")).toBe("abc [redacted]");
  });

  test("only from four characters: shorter secrets change no text", () => {
    const short = redactor("", "a", "abc");
    short.add(undefined);
    expect(short.redact("a banana, abc")).toBe("a banana, abc");
  });

  test("from four characters, whether added or in use", () => {
    expect(redactor("a1b2").redact("x a1b2 y")).toBe("x [redacted] y");
    const using = redactor();
    using.use("somebody", "a1b2");
    expect(using.redact("x a1b2 y")).toBe("x [redacted] y");
  });

  test("even after 20 secrets that are too short to count", () => {
    const full = redactor("first-secret", ...Array.from({ length: 20 }, (_, at) => `${at}`));
    expect(full.redact("first-secret")).toBe("[redacted]");
  });
});

describe("a member with a credential's name has its value redacted", () => {
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
    "awsCreds",
    "mnemonic",
    "seed_phrase",
  ];

  test.each(names)("%s, in JSON, in nested JSON and in Python notation", (name) => {
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

  test("and the text stays valid JSON", () => {
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
  ])("up to the last character, whatever quotes and escapes the value has: $text", ({ text }) => {
    expect(redactor().redact(text)).not.toContain("hunter2");
  });

  test.each([
    '{"tokens": 5, "inputTokens": "12"}',
    '{"seed": "42", "sk": "Slovensko", "task": "x", "seeds": "y"}',
    '{"prompt": "what is a password?"}',
    '{"text": "the secret: stay calm"}',
    "plain text about a token",
    "",
  ])("and nothing else changes: %s", (text) => {
    expect(redactor().redact(text)).toBe(text);
  });
});

describe("`credentialsIn()` finds the credentials of an address", () => {
  test.each<{ address: string; found: readonly string[] }>([
    { address: "wss://h/ws?token=a%20b", found: ["a%20b"] },
    { address: "wss://h/ws?token=a+b", found: ["a+b", "a b"] },
    { address: "wss://h/ws?x=1&API_KEY=k=1&y", found: ["k=1"] },
    { address: "wss://h/ws?key=abc#token=d", found: ["abc", "d"] },
    { address: "wss://h/ws?token=%zz", found: ["%zz"] },
    { address: "wss://h/ws?%74oken=a&%zz=b&a%75th=c", found: ["a", "c"] },
    { address: "wss://h/ws?token=&tokens=3&monkeys=2", found: [] },
    { address: "wss://h/ws?tokens&token", found: [] },
    { address: "wss://token=abc/ws", found: [] },
    { address: "wss://user:hunter2@h/ws?a=b@c", found: ["hunter2"] },
    { address: "wss://hunter2@h:80/ws", found: ["hunter2"] },
    { address: "wss://user:hun/ter'2@h/ws?a=b@c", found: ["hun/ter'2"] },
    { address: "wss://h:80/a@b", found: [] },
    { address: "wss://h/ws?next=https://ada@x", found: [] },
    { address: "wss://h/a:b@c?token=d", found: ["d"] },
  ])("$address: $found", ({ address, found }) => {
    expect(credentialsIn(address)).toEqual(found);
  });
});

describe("a parameter's name decides whether its value is a credential", () => {
  const words = [
    "auth",
    "jwt",
    "pwd",
    "passwd",
    "pass",
    "session",
    "bearer",
    "sig",
    "oauth",
    "sid",
    "pw",
    "otp",
    "sk",
  ];
  const names = words.flatMap((word) => {
    const capital = `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
    return [
      word,
      capital,
      word.toUpperCase(),
      `user${capital}`,
      `user_${word}`,
      `X-Amz-${capital}`,
      `my.${word}`,
      `USER_${word.toUpperCase()}`,
      `${word}2`,
      [...word].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join(""),
    ];
  });

  test.each([...names, "session_id", "sessionId", "session-id", "signature", "key", "apiKey", "x-api-key"])(
    "%s names a credential",
    (name) => {
      expect(isCredentialParameter(name)).toBe(true);
      expect(credentialsIn(`wss://h/ws?a=1&${name}=hunter2&b=2`)).toEqual(["hunter2"]);
      expect(redactor().redact(`GET /ws?a=1&${name}=hunter2&b=2`)).toBe(`GET /ws?a=1&${name}=[redacted]&b=2`);
    },
  );

  test.each([
    "compass",
    "bypass",
    "author",
    "authority",
    "sign",
    "design",
    "sessions",
    "task",
    "disk",
    "seed",
    "tokens",
    "session_identity",
    "page",
    "",
    "%zz",
  ])("%s names no credential", (name) => {
    expect(isCredentialParameter(name)).toBe(false);
    expect(redactor().redact(`GET /ws?${name}=hunter2`)).toBe(`GET /ws?${name}=hunter2`);
  });
});

test("`credentialsInHeaders()` returns each value with and without its scheme, and each cookie's value", () => {
  const headers = {
    Authorization: "Basic dXNlcjpwYXNz",
    "X-Api-Key": "abc def",
    Cookie: "a=hunter2; sid=s3cr3t",
  };
  expect(credentialsInHeaders(headers)).toEqual([
    ...["Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"],
    ...["abc def", "def"],
    ...["a=hunter2; sid=s3cr3t", "a=hunter2; sid=s3cr3t", "hunter2", "s3cr3t"],
  ]);
});

test("`credentialsInHeaders()` splits off schemes and cookie names, whatever the spaces", () => {
  const credentials = (name: string, value: string) => credentialsInHeaders({ [name]: value }).slice(1);
  expect(credentials("Authorization", "Bearer   abcd")).toEqual(["abcd"]);
  expect(credentials("X-Key", "a,b cd")).toEqual(["a,b cd"]);
  expect(credentials("Set-Cookie", "a=hunter2 ; sid= s3cr3t")).toEqual([
    "a=hunter2 ; sid= s3cr3t",
    "hunter2",
    "s3cr3t",
  ]);
  expect(credentials("Cookie-Policy", "a=12345")).toEqual(["a=12345"]);
});

describe("a credential in a URL is redacted wherever the URL is", () => {
  test.each([
    ["https://ghp_xxx@github.com/a", "https://[redacted]@github.com/a"],
    ["https://ghp_xxx:x-oauth-basic@github.com", "https://[redacted]:[redacted]@github.com"],
    ["https://0a1b2c3d4e5f60718293@h/1", "https://[redacted]@h/1"],
    ["postgres://app:hunter2@db:5432/x", "postgres://app:[redacted]@db:5432/x"],
    ["postgres://app:hun/ter2@db/x", "postgres://app:[redacted]@db/x"],
    ["postgres://app:hun@ter2@db/x", "postgres://app:[redacted]@db/x"],
    ["redis://:hun?ter#2@db", "redis://:[redacted]@db"],
    ["a://u:p@h,b://u:q@h", "a://u:[redacted]@h,b://u:[redacted]@h"],
    ["https://hooks.slack.com/services/T00/B00/hunter2", "https://hooks.slack.com/[redacted]"],
    ["https://discord.com/api/webhooks/1234567890/hunter2", "https://discord.com/api/webhooks/[redacted]"],
  ])("%s", (url, clean) => {
    expect(redactor().redact(`cannot reach ${url} (${url})`)).toBe(`cannot reach ${clean} (${clean})`);
    const json = JSON.stringify({ a: url, b: ["kept", url] });
    expect(JSON.parse(redactor().redact(json))).toEqual({ a: clean, b: ["kept", clean] });
    expect(redactor().redact(json.replaceAll("/", "\\/"))).not.toContain("hunter2");
    expect(redactor().redact(encodeURIComponent(url))).not.toContain("hunter2");
    expect(redactor().redactValue({ a: url })).toEqual({ a: clean });
  });

  test.each([
    "http://127.0.0.1:80/x@y",
    "http://[::1]:80/x@y",
    "ssh://git@host:22/repo",
    "https://ada@host/repo",
    "https://gloria-smith@host/repo",
    "https://registry.example/@acme/app",
    '{"a":"http://b:c","d":"x@y"}',
    "https://hooks.example.com/docs",
    "12:30 :// a:b@c",
  ])("and nothing else changes: %s", (text) => {
    expect(redactor().redact(text)).toBe(text);
  });
});

describe("a secret is redacted in every escaping", () => {
  const SECRETS = ["s3cr3t-token", "a\"b\\c/d'e%41\n", "üñ-€-😀-tail", "50%25\\x-y"];
  const each = (text: string, spell: (unit: string) => string): string => text.split("").map(spell).join("");
  const hex = (unit: string, digits: number): string => unit.charCodeAt(0).toString(16).padStart(digits, "0");
  const json = (text: string): string => JSON.stringify(text).slice(1, -1);
  const SPELLINGS: Readonly<Record<string, (secret: string) => string>> = {
    "as it is": (secret) => secret,
    "in JSON": json,
    "in JSON with every slash escaped": (secret) => json(secret).replaceAll("/", "\\/"),
    "in JSON in JSON": (secret) => json(json(secret)),
    "in JSON in JSON in JSON": (secret) => json(json(json(secret))),
    "with \\u, in lower case": (secret) => each(secret, (unit) => `\\u${hex(unit, 4)}`),
    "with \\u, in upper case": (secret) => each(secret, (unit) => `\\u${hex(unit, 4).toUpperCase()}`),
    "with \\u in JSON": (secret) => json(each(secret, (unit) => `\\u${hex(unit, 4)}`)),
    "with one \\u": (secret) => `\\u${hex(secret, 4)}${json(secret.slice(1))}`,
    "percent-encoded": (secret) => encodeURIComponent(secret),
    "percent-encoded throughout, in lower case": (secret) =>
      [...new TextEncoder().encode(secret)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
    "percent-encoded in JSON": (secret) => json(`?q=${encodeURIComponent(secret)}`).slice(3),
    "in JSON, percent-encoded": (secret) => encodeURIComponent(json(secret)),
  };

  for (const [how, spell] of Object.entries(SPELLINGS)) {
    test.each(SECRETS)(`${how}: %s`, (secret) => {
      const written = spell(secret);
      for (const [before, behind] of [
        ["x ", " y"],
        ['{"text":"é\\n\\u00e9', '\\u00e9","b":1}'],
        ["%C3%A9", "%20%zz%"],
      ]) {
        const clean = redactor(secret).redact(`${before}${written}${behind}`);
        expect(clean).toBe(`${before}[redacted]${behind}`);
      }
    });
  }

  test("a member with a credential's name is redacted, even if the name is escaped", () => {
    expect(redactor().redact('{"auth\\u0054oken":"hunter2","b":1}')).toBe(
      '{"auth\\u0054oken":"[redacted]","b":1}',
    );
    expect(redactor().redact("%22password%22%3A%22hunter2%22%2C")).toBe(
      "%22password%22%3A%22[redacted]%22%2C",
    );
  });

  test("a truncated member's redaction ends with the enclosing string", () => {
    const text = '{"error":"{\\"authToken\\":\\"abc","n":1}';
    expect(redactor().redact(text)).toBe('{"error":"{\\"authToken\\":\\"[redacted]","n":1}');
  });

  test.each([
    { text: String.raw`{"token":"hunter2\\","x":"y"}`, clean: '{"token":"[redacted]","x":"y"}' },
    {
      text: String.raw`{"content":"\"token\": \"hunter2\\","x":"y"}`,
      clean: String.raw`{"content":"\"token\": \"[redacted]","x":"y"}`,
    },
    {
      text: `{"content":"{'password': 'hunter2","x":"it's","apiKey" : "hunter3","y":"s3cr3t"}`,
      clean: `{"content":"{'password': '[redacted]","x":"it's","apiKey" : "[redacted]","y":"[redacted]"}`,
    },
    { text: `{"content":"{'password': '","x":"y"}`, clean: `{"content":"{'password': '","x":"y"}` },
  ])("JSON stays JSON if a value ends with a backslash or is truncated: $text", ({ text, clean }) => {
    expect(redactor("s3cr3t").redact(text)).toBe(clean);
  });

  test("text that only looks escaped stays unchanged", () => {
    for (const text of ["C:\\unit\\new", "100%", "%zz%4", "\\u12", "\\", "%c3%28", "%ff%fe"])
      expect(redactor("hunter2").redact(text)).toBe(text);
  });
});

describe("`redactValue()`", () => {
  test("redacts secrets and members with a credential's name, in names too, at any depth", () => {
    const value = {
      url: "ws://h/ws?key=abc",
      list: ["x hunter2", 1, null, { authToken: "t", n: 5 }],
      "a hunter2": true,
      password: "",
      token: 5,
    };
    expect(redactor("hunter2").redactValue(value)).toEqual({
      url: "ws://h/ws?key=[redacted]",
      list: ["x [redacted]", 1, null, { authToken: "[redacted]", n: 5 }],
      "a [redacted]": true,
      password: "",
      token: 5,
    });
    expect(value.list[0]).toBe("x hunter2");
    expect(redactor("hunter2").redactValue("hunter2")).toBe("[redacted]");
    expect(redactor("hunter2").redactValue(null)).toBeNull();
  });

  test("returns the same object if there is nothing to redact", () => {
    const value = { list: ["x", { a: null }], n: Number.POSITIVE_INFINITY };
    expect(redactor("hunter2").redactValue(value)).toBe(value);
  });

  test("redacts at 5,000 levels, and in a member `__proto__`", () => {
    const deep = JSON.parse(`${"[".repeat(5_000)}"hunter2"${"]".repeat(5_000)}`);
    let inner = redactor("hunter2").redactValue(deep);
    while (Array.isArray(inner)) inner = inner[0];
    expect(inner).toBe("[redacted]");
    const odd = redactor("hunter2").redactValue(JSON.parse('{"__proto__":{"a":"hunter2"}}'));
    expect(JSON.stringify(odd)).toBe('{"__proto__":{"a":"[redacted]"}}');
  });
});

describe("the number of remembered secrets is bounded", () => {
  const token = (n: number): string => `token-${String(n).padStart(6, "0")}`;
  const searches = (redactor: Redactor): number =>
    callsDuring(String.prototype, ["indexOf"], () => void redactor.redact("nothing of that"));

  test("only the last 16 added secrets are remembered", () => {
    const redactor = new Redactor();
    for (let n = 0; n < 10_000; n++) redactor.add(token(n));
    expect(searches(redactor)).toBe(16);
    expect(redactor.redact(`${token(9_983)} ${token(9_984)} ${token(9_999)}`)).toBe(
      `${token(9_983)} [redacted] [redacted]`,
    );
  });

  test("a secret that is added repeatedly stays remembered", () => {
    const redactor = new Redactor();
    for (let n = 0; n < 100; n++) {
      redactor.add(token(n));
      redactor.add("same-token");
    }
    expect(redactor.redact("same-token")).toBe("[redacted]");
  });

  test("a secret that is added again becomes the newest", () => {
    const redactor = new Redactor();
    for (const n of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]) redactor.add(token(n));
    redactor.add(token(0));
    redactor.add(token(16));
    expect(redactor.redact(`${token(0)} ${token(1)}`)).toBe(`[redacted] ${token(1)}`);
  });

  test("an added secret that is also in use stays remembered", () => {
    const redactor = new Redactor();
    redactor.add("same-token");
    redactor.use("client", "same-token");
    for (let n = 0; n < 100; n++) redactor.add(token(n));
    expect(redactor.redact("same-token")).toBe("[redacted]");
  });

  test("a secret in use stays remembered however many are added, and for a while after", () => {
    const redactor = new Redactor();
    const turns = Array.from({ length: 50 }, (_, n) => ({ n }));
    for (const turn of turns) redactor.use(turn, token(turn.n));
    redactor.use("another", token(0));
    for (let n = 100; n < 200; n++) redactor.add(token(n));
    for (const { n } of turns) expect(redactor.redact(token(n))).toBe("[redacted]");
    for (const turn of turns) redactor.use(turn);
    expect([0, 33, 34, 49].map((n) => redactor.redact(token(n)))).toEqual([
      "[redacted]", // still used by another
      token(33),
      "[redacted]",
      "[redacted]",
    ]);
    expect(searches(redactor)).toBe(17);
  });

  test("a user that changes its secret keeps only the new one in use", () => {
    const redactor = new Redactor();
    for (let n = 0; n < 1_000; n++) redactor.use("client", "the-refresh-token", token(n));
    expect(searches(redactor)).toBe(18);
    expect(redactor.redact(`the-refresh-token ${token(999)} ${token(1)}`)).toBe(
      `[redacted] [redacted] ${token(1)}`,
    );
  });

  test("adding a remembered token again costs no search or copy", () => {
    const redactor = new Redactor();
    for (let n = 0; n < 16; n++) redactor.add(token(n));
    const again = (): void => {
      for (let n = 0; n < 1_000; n++) redactor.add(token(n % 16));
    };
    expect(callsDuring(Array.prototype, ["sort", "filter", "map", "includes"], again)).toBe(0);
    expect(callsDuring(String.prototype, ["replace", "replaceAll", "indexOf"], again)).toBe(0);
  });
});
