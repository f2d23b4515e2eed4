import { CodebuffClient, type CodebuffClientOptions, InvalidInputError } from "agentwire/codebuff";
import { ManualClock } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { TokenSource, withToken } from "../../src/codebuff/session/token.ts";
import { Outbox } from "../../src/core/tell/outbox.ts";
import { Redactor } from "../../src/core/tell/redact.ts";
import { errorSaying } from "../helpers/errors.ts";

function source(token: ConstructorParameters<typeof TokenSource>[0]) {
  const redactor = new Redactor();
  return {
    token: new TokenSource(token, { redactor, clock: new ManualClock(), outbox: new Outbox() }),
    redactor,
  };
}

describe("a token", () => {
  test("given as a string is available at once, and known beforehand", () => {
    const { token } = source("s3cret-token");
    expect(token.get()).toBe("s3cret-token");
    expect(token.known).toBe("s3cret-token");
    expect(token.exists).toBe(true);
  });

  test("that is not given does not exist", () => {
    const { token } = source(undefined);
    expect(token.get()).toBeUndefined();
    expect(token.known).toBeUndefined();
    expect(token.exists).toBe(false);
  });

  test.each([
    ["a function", (n: number) => `token-${n}`],
    ["an async function", (n: number) => Promise.resolve(`token-${n}`)],
  ])("from %s is requested each time, and never known beforehand", async (_, make) => {
    let asked = 0;
    const { token } = source(() => make(++asked) as string);
    expect(token.exists).toBe(true);
    expect(token.known).toBeUndefined();
    expect(asked).toBe(0);
    expect(await token.get()).toBe("token-1");
    expect(await token.get()).toBe("token-2");
  });

  test("whose function throws is a rejection, not a throw", async () => {
    const failure = new Error("no keychain");
    const { token } = source(() => {
      throw failure;
    });
    await expect(token.get()).rejects.toBe(failure);
  });

  test.each([undefined, null, "", 5, {}])("that turns out to be %j is invalid input", async (value) => {
    const { token } = source(() => value as string);
    const error: unknown = await Promise.resolve(token.get()).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error).toEqual(errorSaying("invalid-input", /^`authToken` returned /));
  });

  test.each([
    ["a value", "s3cret-token"],
    ["a function", () => "s3cret-token"],
  ])("is redacted once it was used: %s", async (_, given) => {
    const { token, redactor } = source(given);
    await token.get();
    expect(redactor.redact("it was s3cret-token, they said")).not.toContain("s3cret-token");
  });
});

describe("an action", () => {
  test("gets the token as its last member", () => {
    expect(JSON.parse(withToken('{"type":"prompt","a":{"b":1}}', "t"))).toEqual({
      type: "prompt",
      a: { b: 1 },
      authToken: "t",
    });
  });

  test("is unchanged without a token", () => {
    expect(withToken('{"type":"init"}', undefined)).toBe('{"type":"init"}');
  });

  test.each(['quo"te', "back\\slash", "line\nend", "é😀\ud800", "$&$1"])(
    "is valid JSON with the token %j",
    (token) => {
      expect(JSON.parse(withToken('{"type":"prompt"}', token))).toEqual({ type: "prompt", authToken: token });
    },
  );
});

describe("the address that a token is sent to", () => {
  const make = (url: string, options: Partial<CodebuffClientOptions> = {}) =>
    new CodebuffClient({ url, authToken: "s3cret-token", ...options });

  test.each([
    "wss://example.com/ws",
    "ws://127.0.0.1/ws",
    "ws://127.8.9.1/ws",
    "ws://127.1/ws",
    "ws://[::1]:8000/ws",
    "ws://localhost:8000/ws",
    "ws://[::ffff:127.0.0.1]/ws",
  ])("may be %s, which is encrypted or on this machine", (url) => {
    expect(make(url).status).toBe("idle");
  });

  test.each([
    "ws://127.0.0.1.example.com/ws",
    "ws://localhost.example.com/ws",
    "ws://0.0.0.0/ws",
    "ws://192.168.0.2/ws",
    "ws://[fe80::1]/ws",
    "ws://xn--localhost/ws",
    "ws://app.localhost/ws",
  ])("may be %s only with `allowInsecure`", (url) => {
    expect(() => make(url)).toThrow(InvalidInputError);
    expect(() => make(url)).toThrow(errorSaying("invalid-input", /unencrypted.*wss:\/\/.*allowInsecure/));
    expect(make(url, { allowInsecure: true }).status).toBe("idle");
  });
});
