import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ATTACK_JOBS, ATTACKS, type Attack, OUTSIDE, SECRET, titleOf, UNNAMED } from "./attacks.ts";
import { type Both, type Played, playWithBoth, START_LIMIT } from "./both.ts";
import type { LocalDifference } from "./local-job.ts";
import { EDIT_JOBS } from "./local-jobs-edits.ts";
import { READ_JOBS } from "./local-jobs-reads.ts";
import { resultsIn } from "./local-results.ts";
import { KEY_OF_ENVIRONMENT } from "./sdk-child.ts";

// All jobs are played once, as in side-by-side.test.ts.

const JOBS = [...EDIT_JOBS, ...READ_JOBS];

let played: ReadonlyMap<string, Both>;

beforeAll(async () => {
  vi.stubEnv("CODEBUFF_API_KEY", KEY_OF_ENVIRONMENT); // as the process of the original client has it
  played = await playWithBoth([...JOBS, ...ATTACK_JOBS]);
}, START_LIMIT);

afterAll(() => {
  vi.unstubAllEnvs();
});

function both(name: string): Both {
  const found = played.get(name);
  if (!found) throw new Error(`Nobody has played ${name}`);
  return found;
}

describe("the tools of the original client and of this library", () => {
  test.each(JOBS)(
    "have the same results, except for the listed differences: $name",
    ({ name, differs = {} }) => {
      const { sdk, own } = both(name);
      const results = { sdk: resultsIn(sdk), own: resultsIn(own) };
      const listed = (side: "sdk" | "own", other: "sdk" | "own") =>
        results[other].map((result, place) => (place in differs ? differs[place]?.[side] : result));
      expect(results.sdk).toEqual(listed("sdk", "own"));
      expect(results.own).toEqual(listed("own", "sdk"));
    },
  );

  test.each(JOBS)(
    "leave the same files, except for the listed differences: $name",
    ({ name, leaves = {} }) => {
      const { sdk, own } = both(name);
      expect(without(leaves, own.files)).toEqual(without(leaves, sdk.files));
      for (const [path, { sdk: ofSdk, own: ofOwn }] of Object.entries(leaves)) {
        expect({ path, text: sdk.files[path] ?? null }).toEqual({ path, text: ofSdk });
        expect({ path, text: own.files[path] ?? null }).toEqual({ path, text: ofOwn });
      }
    },
  );

  test("differ in every listed difference", () => {
    const listed = JOBS.flatMap(({ differs = {}, leaves = {} }): readonly LocalDifference[] => [
      ...Object.values(differs),
      ...Object.values(leaves),
    ]);
    expect(listed.filter(({ sdk, own }) => JSON.stringify(sdk) === JSON.stringify(own))).toEqual([]);
  });
});

describe("a call with a path outside the project", () => {
  test.each(ATTACKS.map((attack) => ({ ...attack, title: titleOf(attack.call) })))(
    "does no harm with this library: $title",
    ({ title }) => {
      const { own } = both(title);
      expect(harmOf(own)).toEqual([]);
      expect(own.account.items.filter(({ type }) => type === "tool_result")).toHaveLength(1);
      expect(own.account.ends).toMatchObject([{ stopReason: "completed" }]);
    },
  );

  test.each(ATTACKS.map((attack) => ({ ...attack, title: titleOf(attack.call) })))(
    "$sdk with the original client: $title",
    ({ title, sdk }) => {
      expect(endOf(both(title).sdk)).toBe(sdk);
    },
  );
});

test("no result of this library shows the project's path on the machine", () => {
  const leaks = [...played].flatMap(([name, { own }]) =>
    JSON.stringify(own.heard).includes(String(own.cwd)) ? [name] : [],
  );
  expect(leaks).toEqual([]);
});

/** What a call has changed or told of what is beside the project. */
function harmOf({ files, account }: Played): readonly string[] {
  const beside = Object.fromEntries(Object.entries(files).filter(([path]) => path.startsWith("..")));
  // All that the run told, but for the call itself.
  const told = JSON.stringify(account.items.filter(({ type }) => type !== "tool_call"));
  return [
    ...(JSON.stringify(sorted(beside)) === JSON.stringify(sorted(OUTSIDE)) ? [] : ["a file was changed"]),
    ...(told.includes(SECRET) ? ["the secret was told"] : []),
    ...(told.includes(UNNAMED) ? ["a name was told"] : []),
  ];
}

function endOf(story: Played): Attack["sdk"] {
  if (story.account.ends.some(({ output }) => JSON.stringify(output).startsWith('{"type":"error"')))
    return "ends the run";
  return harmOf(story).length > 0 ? "leaves the project" : "stays in the project";
}

function sorted(files: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(files).sort(([one], [other]) => (one < other ? -1 : 1));
}

function without(paths: object, files: Readonly<Record<string, string>>): object {
  return Object.fromEntries(Object.entries(files).filter(([path]) => !(path in paths)));
}
