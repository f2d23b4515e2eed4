import { describe, expect, test } from "vitest";
import { exceedsBytes, parseFrame } from "../../src/core/text.ts";
import { callsDuring, growth } from "./support/costs.ts";

const TWO_MEBIBYTES = 2 * 1_048_576;

/** Each is refused or read only after the tolerant pass has looked at all of it. */
const hostile = {
  escapedQuotesInAnUnterminatedString: (size: number) => `["${'\\"'.repeat(size / 2)}`,
  stringsWithoutSeparators: (size: number) => '"a'.repeat(size / 2),
  unterminatedStringAfterInfinity: (size: number) => `[Infinity,"${"a".repeat(size)}`,
  almostInfinity: (size: number) => "Infinit".repeat(size / 7),
  almostMinusInfinity: (size: number) => "[-Infinit,".repeat(size / 10),
  minusSigns: (size: number) => `[${"-".repeat(size)}Infinity]`,
  bareNumbers: (size: number) => `[${"NaN,".repeat(size / 4)}`,
  backslashesOutsideStrings: (size: number) => `[Infinity,${"\\".repeat(size)}]`,
};

const names = Object.keys(hostile) as (keyof typeof hostile)[];

function refuses(frame: string): boolean {
  try {
    parseFrame(frame);
    return false;
  } catch (error) {
    return error instanceof SyntaxError;
  }
}

/** How often a character of a frame is looked at, on average. */
function looksPerCharacter(frame: string): number {
  const methods = ["charCodeAt", "startsWith", "indexOf", "slice", "replace", "match", "search"] as const;
  let refused = false;
  const looks = callsDuring(String.prototype, methods, () => {
    refused = refuses(frame);
  });
  expect(refused).toBe(true);
  return looks / frame.length;
}

describe("parseFrame reads each character of a hostile frame a bounded number of times", () => {
  test.each(names)("%s", (name) => {
    const [short, long] = [hostile[name](1_400), hostile[name](TWO_MEBIBYTES)];
    expect(looksPerCharacter(long)).toBeLessThan(8);
    expect(looksPerCharacter(long)).toBeLessThan(looksPerCharacter(short) * 1.1);
  });
});

/** Also what no call tells: a regular expression that backtracks. */
describe("parseFrame's time grows linearly with the size of a hostile frame", () => {
  test.each(names)("%s", (name) => {
    const [short, long] = [hostile[name](TWO_MEBIBYTES / 16), hostile[name](TWO_MEBIBYTES)];
    expect(
      growth(
        () => refuses(short),
        () => refuses(long),
      ),
    ).toBeLessThan(80);
  });
});

test("exceedsBytes counts bytes only if the text's length does not decide", () => {
  const text = "a".repeat(9_000);
  const looks = (limit: number) =>
    callsDuring(String.prototype, ["charCodeAt"], () => void exceedsBytes(text, limit));
  expect([looks(8_999), looks(27_000)]).toEqual([0, 0]);
  expect(looks(26_999)).toBeGreaterThan(0);
});
