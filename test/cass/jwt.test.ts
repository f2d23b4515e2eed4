import { MockCassServer } from "agentwire/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readToken } from "../../src/cass/auth/jwt.ts";
import { runs } from "../helpers/runs.ts";
import { jwt, jwtOf } from "./support/tokens.ts";

describe("the claims of a token", () => {
  test("are read from the server's own tokens of every kind", async () => {
    const epoch = Date.UTC(2026, 0, 28);
    await using server = await MockCassServer.start({ epoch, accessLifetime: 60, clock: standing });
    const { userId, accessToken, refreshToken } = server.addUser();
    const now = epoch / 1000;
    expect(readToken(accessToken)).toEqual({ type: "access", userId, expiresAt: now + 60 });
    expect(readToken(refreshToken)).toEqual({ type: "refresh", userId, expiresAt: now + 604_800 });
    expect(readToken(server.issueToken(userId, { type: "admin" }))).toEqual({
      userId,
      expiresAt: now + 86_400,
    });
  });

  const claims = [
    {
      title: "characters of several bytes",
      claims: { sub: "üser-é-字-😀" },
      read: { userId: "üser-é-字-😀" },
    },
    {
      title: "bytes that differ in base64url",
      claims: { sub: "???>>>~~~ÿÿÿ" },
      read: { userId: "???>>>~~~ÿÿÿ" },
    },
    { title: "an id in `user_id` alone", claims: { user_id: "u" }, read: { userId: "u" } },
    { title: "both ids, of which `sub` is used", claims: { sub: "s", user_id: "u" }, read: { userId: "s" } },
    { title: "a `sub` that is no text", claims: { sub: 7, user_id: "u" }, read: { userId: "u" } },
    { title: "an `exp` that is no number", claims: { exp: "soon" }, read: {} },
    { title: "a `type` that is no text", claims: { type: 1, exp: 2 }, read: { expiresAt: 2 } },
    { title: "nothing", claims: {}, read: {} },
  ];
  test.each(claims)("are read with $title", ({ claims, read }) => {
    expect(readToken(jwt(claims))).toEqual(read);
  });

  test.each([0, 1, 2, 3])("are read without padding, whatever their length: %i more", (more) => {
    const sub = "x".repeat(more);
    expect(readToken(jwt({ sub }))).toEqual({ userId: sub });
  });

  const opaque = [
    { title: "an empty text", token: "" },
    { title: "a text without dots", token: "sk-cass-0123456789" },
    { title: "two parts", token: "eyJhbGciOiJIUzI1NiJ9.e30" },
    { title: "four parts", token: `${jwt({ sub: "u" })}.x` },
    { title: "a payload that is no base64", token: "a.!!!.c" },
    { title: "a payload that is no JSON", token: jwtOf("{sub:1}") },
    { title: "a payload that is a list", token: jwtOf("[1]") },
    { title: "a payload that is null", token: jwtOf("null") },
    { title: "an empty payload", token: "a..c" },
  ];
  test.each(opaque)("are undefined for $title", ({ token }) => {
    expect(readToken(token)).toBeUndefined();
  });

  test("are read from any text without a throw", () => {
    const anything = fc.oneof(
      fc.string(),
      fc.string({ unit: "binary" }),
      fc.string().map(jwtOf),
      fc.json().map(jwtOf),
    );
    fc.assert(
      fc.property(anything, (text) => void readToken(text)),
      runs(500),
    );
  });
});

const standing = { now: () => 0, wallTime: () => 0, random: () => 0, setTimeout: () => () => {} };
