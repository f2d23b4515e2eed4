import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** A test that one profile does without. */
interface Omission {
  readonly test: string;
  readonly profile: string;
  readonly reason: string;
}

/** An acceptance suite whose tests have to be there by name. */
export interface Suite<Row extends Omission> {
  /** Everything that has to be tested by name. A title begins with its names, joined by ` & `, and a colon. */
  readonly required: readonly string[];
  readonly titles: readonly string[];
  readonly profiles: readonly string[];
  readonly omissions: readonly Row[];
  /** Whether a row leaves out the test of this title. */
  readonly names: (row: Row, title: string) => boolean;
  /** `import.meta.url` of the file that counts, which stands among those of the suite. */
  readonly url: string;
}

/** The names at the beginning of a title. */
const namesOf = (title: string): readonly string[] => title.split(": ", 1).join().split(" & ");

/** Tests that nothing of a suite is missing, twice there, or left out without a reason. */
export function countNames<Row extends Omission>(suite: Suite<Row>): void {
  const { required, titles, profiles, omissions, names, url } = suite;
  const tested = new Set(titles.flatMap(namesOf));
  const isTested = (name: string): boolean => tested.has(name);

  test("every required name has a test, or a row per profile that says why not", () => {
    const missing = required.flatMap((name) =>
      profiles
        .filter(
          (profile) =>
            !isTested(name) && !omissions.some((row) => row.test === name && row.profile === profile),
        )
        .map((profile) => `${name} (${profile})`),
    );
    expect(missing).toEqual([]);
  });

  test("each omission refers to an existing test, once, and gives a reason", () => {
    for (const row of omissions) {
      const known = required.includes(row.test) || titles.some((title) => names(row, title));
      expect(known, `${row.test} is nothing that is tested`).toBe(true);
      expect(row.reason.trim(), row.test).not.toBe("");
    }
    const keys = omissions.map(({ test, profile }) => `${test} (${profile})`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("no title is used twice, and each begins with names that are required", () => {
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
    expect(titles.filter((title) => namesOf(title).some((name) => !required.includes(name)))).toEqual([]);
  });

  test("every file of the suite is listed here, and also runs with the browser-like socket", () => {
    const files = readdirSync(new URL(".", url)).filter((file) => file.endsWith(".test.ts"));
    const counted = files.filter((file) => file !== "complete.test.ts");
    for (const importer of ["browser.wide.ts", "complete.test.ts"]) {
      const source = readFileSync(new URL(importer, url), "utf8");
      expect(imported(source), importer).toEqual(counted.sort());
    }
  });
}

function imported(source: string): readonly string[] {
  return [...source.matchAll(/^import "\.\/(.+)";$/gm)].map(([, file]) => String(file)).sort();
}
