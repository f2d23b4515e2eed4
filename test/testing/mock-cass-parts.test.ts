import { ManualClock } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { ServerTime } from "../../src/testing/cass/server-time.ts";
import { Tokens } from "../../src/testing/cass/tokens.ts";

const NOON = Date.UTC(2026, 0, 28, 12);

describe("a server timestamp", () => {
  test("is local time, without a zone and without a zero fraction", () => {
    expect(new ServerTime(new ManualClock(), NOON, 0).stamp()).toBe("2026-01-28T12:00:00");
    expect(new ServerTime(new ManualClock(), NOON, -300).stamp()).toBe("2026-01-28T07:00:00");
    expect(new ServerTime(new ManualClock(), NOON + 7.25, 90).stamp()).toBe("2026-01-28T13:30:00.007250");
  });

  test("is unique, and greater than all earlier ones as a string", async () => {
    const clock = new ManualClock();
    const time = new ServerTime(clock, NOON, 0);
    const stamps = [time.stamp(), time.stamp(), time.stamp()];
    await clock.advance(1);
    stamps.push(time.stamp());
    expect(stamps).toEqual([
      "2026-01-28T12:00:00",
      "2026-01-28T12:00:00.000001",
      "2026-01-28T12:00:00.000002",
      "2026-01-28T12:00:00.001000",
    ]);
    expect(stamps.toSorted()).toEqual(stamps);
  });
});

describe("a token", () => {
  const claimsOf = (token: string) =>
    JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());

  function made(secret = "s"): { readonly clock: ManualClock; readonly tokens: Tokens } {
    const clock = new ManualClock();
    return { clock, tokens: new Tokens(secret, new ServerTime(clock, NOON, 0), undefined) };
  }

  test("has the shape of a JWT", () => {
    const [header, payload, signature] = made().tokens.issue("ü", "access", 60).split(".");
    expect(JSON.parse(Buffer.from(header ?? "", "base64url").toString())).toEqual({
      alg: "HS256",
      typ: "JWT",
    });
    expect(JSON.parse(Buffer.from(payload ?? "", "base64url").toString())).toEqual({
      ...{ sub: "ü", type: "access", exp: NOON / 1000 + 60 },
    });
    expect(signature).toMatch(/^[\w-]{43,}$/);
  });

  test("expires by the mock's clock", async () => {
    const { clock, tokens } = made();
    const token = tokens.issue("u", "refresh", 60);
    await clock.advance(59_999);
    expect(tokens.read(token)).toEqual({ kind: "refresh", userId: "u" });
    await clock.advance(1);
    expect(tokens.read(token)).toEqual({ kind: "invalid" });
  });

  test("of an administrator has other claims", () => {
    const { tokens } = made();
    const token = tokens.issueAdmin("a", "Admin");
    const iat = NOON / 1000;
    expect(claimsOf(token)).toEqual({
      user_id: "a",
      display_name: "Admin",
      is_admin: true,
      exp: iat + 86_400,
      iat,
    });
    expect(tokens.read(token)).toEqual({ kind: "admin", userId: "a" });
  });

  test.each([undefined, null, ""])("counts as missing if it is %s", (token) => {
    expect(made().tokens.read(token)).toEqual({ kind: "missing" });
  });

  test.each([
    7,
    {},
    "a",
    "a.b",
    "a.b.c",
    "a.b.c.d",
    `${made("other").tokens.issue("u", "access", 60)}`,
    `${made().tokens.issue("u", "access", 60)}x`,
    made().tokens.issue("u", "access", 60).replace(".", ".e30"),
    made().tokens.issue("u", "access", 0),
  ])("is invalid if it is %s", (token) => {
    expect(made().tokens.read(token)).toEqual({ kind: "invalid" });
  });

  test("can have a custom text, and is still checked", async () => {
    const clock = new ManualClock();
    const time = new ServerTime(clock, NOON, 0);
    const tokens = new Tokens("s", time, ({ sub, exp }) => `${sub}/${exp}+=`);
    const token = tokens.issue("u", "access", 60);
    expect(token).toBe(`u/${NOON / 1000 + 60}+=`);
    expect(tokens.read(token)).toEqual({ kind: "access", userId: "u" });
    await clock.advance(60_000);
    expect(tokens.read(token)).toEqual({ kind: "invalid" });
  });
});
