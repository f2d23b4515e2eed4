import { describe, expect, it } from "vitest";
import { dataImageType, mailAddress, webAddress } from "../../src/screens/addresses.ts";

describe("an address that may be followed", () => {
  it.each([
    ["https://a.b/c?d#e", "https://a.b/c?d#e", "a.b"],
    ["HTTP://A.B:80", "http://a.b/", "a.b"],
    [
      "https://good.example@evil.example:8443/",
      "https://good.example@evil.example:8443/",
      "evil.example:8443",
    ],
    ["https://аpple.example", "https://xn--pple-43d.example/", "xn--pple-43d.example"],
  ])("%j leads to its host", (url, href, host) => {
    expect(webAddress(url)).toEqual({ href, host });
  });

  it.each([
    "javascript:alert(1)",
    "java\nscript:alert(1)",
    " https://a.b",
    "\u0001https://a.b",
    "data:text/html,a",
    "vbscript:a",
    "file:///etc/passwd",
    "ftp://a.b",
    "//a.b",
    "/a",
    "a",
    "",
    "https:a.b",
    "https://",
    "https://[",
    "mailto:a@b.c",
    `https://a.b/${"c".repeat(4_096)}`,
  ])("%j is none", (url) => {
    expect(webAddress(url)).toBeUndefined();
  });
});

it("a mail address is shown without what the link adds", () => {
  expect(mailAddress("mailto:a@b.c?subject=d")).toBe("a@b.c");
  expect(mailAddress("MAILTO:a@b.c")).toBe("a@b.c");
  expect(mailAddress("mailto:")).toBeUndefined();
  expect(mailAddress("mailto:a@b c")).toBe("a@b");
  expect(mailAddress("javascript:a@b")).toBeUndefined();
});

it("an image is shown if it is all in its address, and is a picture", () => {
  expect(dataImageType("data:image/png;base64,AAAA")).toBe("image/png");
  expect(dataImageType("DATA:IMAGE/JPEG;BASE64,AA==")).toBe("image/jpeg");
  for (const url of [
    "data:image/svg+xml;base64,AAAA",
    "data:image/png,AAAA",
    "data:image/png;base64,",
    "data:image/png;base64,AA AA",
    "data:text/html;base64,AAAA",
    "https://a.b/c.png",
    'data:image/png;base64,AAAA"onerror=',
  ])
    expect(dataImageType(url)).toBeUndefined();
});
