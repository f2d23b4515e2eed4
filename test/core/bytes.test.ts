import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromBase64, isBase64, joinBytes, sizeOfBase64, toBase64 } from "../../src/core/bytes.ts";
import { spoken } from "../../src/testing/cass/audio.ts";
import { runs } from "../helpers/runs.ts";
import { workOf } from "../properties/support/work.ts";

const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

describe("base64", () => {
  test.each([0, 1, 2, 3, 4, 255, 256, 257])(
    "%i bytes: encoding, validating, sizing and decoding agree",
    (length) => {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 37 + 250) % 256);
      const base64 = base64Of(bytes);
      expect(isBase64(base64)).toBe(true);
      expect(fromBase64(base64)).toEqual(bytes);
      expect(sizeOfBase64(base64)).toBe(length);
      expect(toBase64(bytes)).toBe(base64);
    },
  );

  test("encoding matches Node's, and decoding restores the bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20_000 }), (bytes) => {
        const base64 = toBase64(bytes);
        expect(base64).toBe(base64Of(bytes));
        expect(fromBase64(base64)).toEqual(bytes);
      }),
      runs(100),
    );
  });

  test("megabytes are encoded and decoded without a stack overflow", () => {
    const bytes = Uint8Array.from({ length: 5_000_003 }, (_, index) => index * 7_919);
    const base64 = toBase64(bytes);
    expect(base64 === base64Of(bytes)).toBe(true);
    expect(Buffer.compare(fromBase64(base64), bytes)).toBe(0);
  });

  test.each([
    "a",
    "ab",
    "abc",
    "abcde",
    "ab==cd==",
    "ab=c",
    "a===",
    "====",
    "=",
    "=abc",
    "ab=\n",
    "ab\ncd",
    "abcd\n",
    " abc",
    "ab-_",
    "abc\u212a",
    "ab*d",
    "data:audio/mpeg;base64,abcd",
    spoken("malformed"),
  ])("%j is not valid base64", (text) => {
    expect(isBase64(text)).toBe(false);
  });

  test("each text that `isBase64()` accepts can be decoded", () => {
    for (const text of ["", "AAAA", "AB==", "ABC=", "QR==", "////", "++++", spoken("inline")]) {
      expect(isBase64(text)).toBe(true);
      expect(() => fromBase64(text)).not.toThrow();
    }
  });

  test("`isBase64()` checks megabytes in one pass, also if the last character is invalid", () => {
    const huge = spoken("huge");
    for (const text of [huge, `${huge.slice(0, -1)}*`, `${huge.slice(0, -1)}=`]) {
      expect(workOf(() => isBase64(text))).toBeLessThan(3 * text.length);
      expect(isBase64(text)).toBe(!text.endsWith("*"));
    }
  });
});

describe("`joinBytes()`", () => {
  const bytes = (...values: readonly number[]): Uint8Array => Uint8Array.from(values);

  test.each([
    { pieces: [], whole: bytes() },
    { pieces: [bytes(1, 2), bytes(), bytes(3)], whole: bytes(1, 2, 3) },
    { pieces: [bytes(0, 1, 2, 3).subarray(1, 3), bytes(9)], whole: bytes(1, 2, 9) },
  ])("joins $pieces", ({ pieces, whole }) => {
    expect(joinBytes(pieces)).toEqual(whole);
  });

  test("returns a single piece without copying it", () => {
    const only = bytes(1, 2);
    expect(joinBytes([only])).toBe(only);
  });
});
