import { CodebuffClient } from "agentwire/codebuff";
import { MockCodebuffServer, Recorder, type RecorderOptions, Replayer, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { Redaction } from "../../src/testing/redaction.ts";
import { FakeSocket } from "../helpers/fake-socket.ts";
import { recording } from "./recorder-support.ts";

const TOKEN = "cb-pat-5f1c/9e+ü\"7d2'\\b40";

/** How `TOKEN` may be written: itself, and in JSON, of either escaping, once and twice nested. */
const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const forms = [
  TOKEN,
  inJson(TOKEN),
  inJson(inJson(TOKEN)),
  inJson(TOKEN).replace("ü", "\\u00fc"),
  inJson(TOKEN).replace("/", "\\/"),
  encodeURIComponent(TOKEN),
];

describe("a recording contains no credentials", () => {
  test("of client, server or model, and can still be replayed", async () => {
    const lines: string[] = [];
    const options: RecorderOptions = { output: (line) => lines.push(line), secrets: ["my own secret"] };
    await using recorder = new Recorder(options);
    const header = "header-credential-1";
    const query = "query-credential-2";
    await using server = await MockCodebuffServer.start({
      heartbeat: false,
      // The model says back everything that it should not know.
      answer: () => [
        `${TOKEN} `,
        JSON.stringify({ TOKEN }),
        ` ${header} ${query} my own secret `,
        "harmless",
      ],
    });
    const prompt = (client: CodebuffClient) =>
      client.prompt({ prompt: `key: ${TOKEN}`, promptParams: { apiKey: "sk-param", nested: TOKEN } }).result;
    await using client = new CodebuffClient({
      url: `${server.url}?access_token=${query}`,
      authToken: TOKEN,
      headers: { Authorization: `Bearer ${header}`, "X-Harmless": "harmless" },
      createWebSocket: recorder.createWebSocket,
    });
    await client.init({ fileContext: { files: [{ path: ".env", content: `API_KEY=x\nT=${TOKEN}` }] } });
    const { text } = await prompt(client);
    expect(text).toContain(TOKEN); // the client itself is told everything
    expect(server.upgrades[0]?.headers).toMatchObject({ authorization: `Bearer ${header}` });
    await client.close();

    const recorded = lines.join("\n");
    for (const secret of [...forms, header, query, "sk-param", "my own secret"]) {
      expect(recorded).not.toContain(secret);
      expect(recorded).not.toContain(inJson(secret));
    }
    expect(recorded).toContain("harmless");

    await using replayer = await Replayer.start({ lines });
    await using fresh = new CodebuffClient({ url: replayer.url, authToken: TOKEN });
    await fresh.init({ fileContext: {} });
    expect(await prompt(fresh)).toMatchObject({
      text: '[redacted] {"TOKEN":"[redacted]"} [redacted] [redacted] [redacted] harmless',
    });
  });

  test("from an error that quotes part of a credential", async () => {
    const lines: string[] = [];
    await using recorder = new Recorder({ output: (line) => lines.push(line) });
    const authToken = "a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6";
    const quotes = [`input={'authToken': '${authToken.slice(0, 20)}...`, `...${authToken.slice(12)}'}`];
    await using server = await MockCodebuffServer.start({
      heartbeat: false,
      answer: () => [step.failMidStream(quotes.join(" "))],
    });
    await using client = new CodebuffClient({
      url: server.url,
      authToken,
      createWebSocket: recorder.createWebSocket,
    });
    await expect(client.prompt("x").result).rejects.toMatchObject({ code: "turn-failed" });
    await client.close();
    const recorded = lines.join("\n");
    expect(recorded).toContain("prompt-error");
    for (let at = 0; at + 8 <= authToken.length; at++) {
      expect(recorded).not.toContain(authToken.slice(at, at + 8));
    }
  });

  test("in binary messages or in a close reason", async () => {
    const secret = "über-secret-1";
    const { recorder, lines } = recording({ secrets: [secret] });
    const socket = recorder.watch(Object.assign(FakeSocket.opened(), { url: "ws://127.0.0.1/" }));
    socket.receives(Buffer.concat([Buffer.from([0xff]), Buffer.from(`${secret}!`)]));
    socket.ends(1008, `wrong token: ${secret}`);
    const clean = Buffer.concat([Buffer.from([0xff]), Buffer.from("[redacted]!")]).toString("base64");
    expect(lines().slice(1)).toMatchObject([
      { dir: "s2c", raw: clean, binary: "base64" },
      { ev: "close", code: 1008, reason: "wrong token: [redacted]" },
    ]);
  });

  test.each(["abc", ""])("a secret that is too short is rejected: %j", (secret) => {
    const make = () => new Recorder({ output: () => {}, secrets: [secret] });
    expect(make).toThrow(TypeError);
    expect(make).toThrow("4 characters or more");
  });
});

describe("redaction by member name", () => {
  const redact = (text: string) => new Redaction([]).redact(text, "server");

  test.each([
    ["in JSON", '{"authToken":"abc","n":1}', '{"authToken":"[redacted]","n":1}'],
    ["with spaces", '{"authToken" : "abc"}', '{"authToken" : "[redacted]"}'],
    ["in capitals", '{"OPENAI_API_KEY":"abc"}', '{"OPENAI_API_KEY":"[redacted]"}'],
    [
      "with dashes",
      '{"x-api-key":"abc","set-cookie":"a=b"}',
      '{"x-api-key":"[redacted]","set-cookie":"[redacted]"}',
    ],
    ["with quotes inside", '{"password":"a\\"b\\\\","n":1}', '{"password":"[redacted]","n":1}'],
    ["at any depth", '{"a":[{"b":{"secret":"abc"}}]}', '{"a":[{"b":{"secret":"[redacted]"}}]}'],
    [
      "in JSON inside JSON",
      JSON.stringify({ a: JSON.stringify({ token: 'a"b\\', n: 1 }) }),
      JSON.stringify({ a: JSON.stringify({ token: "[redacted]", n: 1 }) }),
    ],
    [
      "in JSON inside JSON inside JSON",
      JSON.stringify([JSON.stringify([JSON.stringify({ token: 'a"b', n: 1 })])]),
      JSON.stringify([JSON.stringify([JSON.stringify({ token: "[redacted]", n: 1 })])]),
    ],
    ["in Python's notation", "got {'authToken': 'abc', 'n': 1}", "got {'authToken': '[redacted]', 'n': 1}"],
    ["in a truncated text", '{"authToken":"abc', '{"authToken":"[redacted]'],
    [
      "in a truncated quotation, up to its end",
      '{"error":"{\\"authToken\\":\\"abc","n":1}',
      '{"error":"{\\"authToken\\":\\"[redacted]","n":1}',
    ],
    ["in a query", "GET /ws?a=1&access_token=abc&b=2", "GET /ws?a=1&access_token=[redacted]&b=2"],
    ["after Bearer", "Authorization: Bearer abc.d-e_f==", "Authorization: Bearer [redacted]"],
    ["as a JSON Web Token", "jwt eyJhbGciOiJI.eyJzdWIi.SflKx-_w!", "jwt [redacted]!"],
    ["only with the exact name", '{"tokens":"5","tokenCallers":{}}', '{"tokens":"5","tokenCallers":{}}'],
    ["not without a credential", '{"type": "ack", "txid": 1}', '{"type": "ack", "txid": 1}'],
  ])("%s", (_, text, clean) => {
    expect(redact(text)).toBe(clean);
    expect(redact(clean)).toBe(clean);
  });
});

describe("redaction of a URL", () => {
  const names = ["key", "auth", "jwt", "pwd", "pass", "session", "bearer", "sig", "token", "api_key"];

  test.each([...names, ...names.map((name) => `user_${name}`), "userPass", "x-sig", "%61uth", "sessionId"])(
    "removes the value of %s, also from later frames",
    (name) => {
      const redaction = new Redaction([]);
      const frame = (value: string) => JSON.stringify({ error: `no: ws://h/ws?a=1&${name}=${value}&b=2` });
      expect(redaction.redact(frame("abc"), "server")).toBe(frame("[redacted]"));
      redaction.learnUrl(`ws://h/ws?a=1&${name}=hunter%2D22#b`);
      expect(redaction.redact("hunter-22 hunter%2d22 hunter\\u002d22", "server")).toBe(
        "[redacted] [redacted] [redacted]",
      );
    },
  );

  test("removes user info and fragment credentials", () => {
    const redaction = new Redaction([]);
    for (const url of ["ws://user:hunter2-1@h/", "ws://hunter2-2@h/", "ws://h/#token=hunter2-3"])
      redaction.learnUrl(url);
    expect(redaction.redact("hunter2-1 hunter2-2 hunter2-3 user", "server")).toBe(
      "[redacted] [redacted] [redacted] user",
    );
  });

  test.each(["compass", "bypass", "author", "design", "page"])("keeps the value of %s", (name) => {
    expect(new Redaction([]).redact(`GET /ws?${name}=abc`, "server")).toBe(`GET /ws?${name}=abc`);
  });
});

describe("redaction by value", () => {
  const hex = (text: string, prefix: string, digits: number) =>
    text
      .split("")
      .map((unit) => `${prefix}${unit.charCodeAt(0).toString(16).padStart(digits, "0")}`)
      .join("");

  test.each([
    ["\\u, throughout", hex(TOKEN, "\\u", 4)],
    ["\\u, in upper case", hex(TOKEN, "\\u", 4).replace(/[a-f]/g, (digit) => digit.toUpperCase())],
    ["\\u, in JSON", inJson(hex(TOKEN, "\\u", 4))],
    ["percent signs, throughout", hex(Buffer.from(TOKEN).toString("latin1"), "%", 2)],
    ["percent signs, after JSON escapes", encodeURIComponent(inJson(TOKEN))],
  ])("finds a secret with escapes: %s", (_, form) => {
    const clean = new Redaction([TOKEN]).redact(`{"é":"\\n\\u00e9${form}\\u00e9"}`, "server");
    expect(clean).toBe('{"é":"\\n\\u00e9[redacted]\\u00e9"}');
  });

  test("remembers the last 256 learned tokens, and all configured secrets", () => {
    const token = (n: number) => `token-${String(n).padStart(8, "0")}`;
    const redaction = new Redaction([token(7)]);
    for (let n = 0; n < 1_000; n++) redaction.redact(JSON.stringify({ token: token(n) }), "client");
    expect(redaction.redact([7, 8, 743, 744, 999].map(token).join(" "), "server")).toBe(
      `[redacted] ${token(8)} ${token(743)} [redacted] [redacted]`,
    );
  });

  test.each(forms)("finds a credential that the client sent earlier, written as %s", (form) => {
    const redaction = new Redaction([]);
    redaction.redact(JSON.stringify({ type: "action", data: { authToken: TOKEN } }), "client");
    expect(redaction.redact(`x${form}y`, "server")).toBe("x[redacted]y");
  });

  test("learns nothing from content or from the server", () => {
    const redaction = new Redaction([]);
    redaction.redact('{"data":{"fileContext":{"token":"function"}}}', "client");
    redaction.redact('{"token":"function"}', "server");
    expect(redaction.redact("a function", "server")).toBe("a function");
  });

  test("matches short learned credentials only as whole words, but configured ones anywhere", () => {
    const learned = new Redaction([]);
    learned.redact('{"token":"word"}', "client");
    expect(learned.redact("word, words, a-word", "server")).toBe("[redacted], words, a-[redacted]");
    expect(new Redaction(["word"]).redact("words", "server")).toBe("[redacted]s");
  });

  test("removes the longer secret whole if another secret is its beginning", () => {
    expect(new Redaction(["secret", "secret-and-more"]).redact("secret-and-more", "server")).toBe(
      "[redacted]",
    );
  });

  test("takes linear time for frames full of near matches", () => {
    const redaction = new Redaction(["aaaaaaaabbbbbbbbcccccccc"]);
    // Each of these cost the square of their length where a search begins anew at every hit.
    const hostile = [
      "cccccccc",
      "aaaaaaaa",
      '"token',
      "eyJaaaaaaaa",
      "\\",
      '"token":"\\',
      "?token=",
      "Bearer ",
    ];
    for (const part of hostile) {
      const clean = redaction.redact(part.repeat(500_000), "client");
      expect(clean).not.toContain("aaaaaaaa");
    }
  });
});
