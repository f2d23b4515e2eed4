import { describe, expect, test } from "vitest";
import { assertPrivate } from "../../../src/core/link/private-address.ts";

const refusal = (url: string): unknown => {
  try {
    assertPrivate(new URL(url));
    return undefined;
  } catch (error) {
    return error;
  }
};

describe("`assertPrivate()`", () => {
  test.each([
    "wss://example.com/ws",
    "https://example.com/",
    "ws://localhost/",
    "http://localhost:8000/",
    "ws://127.255.255.254/",
    "ws://[::1]/",
    "ws://[::ffff:127.0.0.1]/",
    "ws://[::ffff:127.12.34.56]/",
  ])("allows credentials to %s", (url) => {
    expect(refusal(url)).toBeUndefined();
  });

  test.each([
    { url: "ws://example.com/", use: "wss" },
    { url: "http://example.com/", use: "https" },
    { url: "ws://128.0.0.1/", use: "wss" },
    { url: "ws://[::2]/", use: "wss" },
    { url: "ws://[::ffff:128.0.0.1]/", use: "wss" },
    { url: "http://127.0.0.1.example.com/", use: "https" },
  ])("refuses unencrypted credentials to $url, and suggests $use", ({ url, use }) => {
    expect(refusal(url)).toMatchObject({
      code: "invalid-input",
      hint: expect.stringContaining(`Use ${use}://`),
    });
  });
});
