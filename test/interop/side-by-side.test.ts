import { beforeAll, describe, expect, test } from "vitest";
import { type Both, playWithBoth, START_LIMIT } from "./both.ts";
import { reconciled } from "./differences.ts";
import { AGENT_JOBS } from "./jobs-agents.ts";
import { PROMPT_JOBS } from "./jobs-prompts.ts";
import { RUN_JOBS } from "./jobs-runs.ts";
import { TOOL_JOBS } from "./jobs-tools.ts";
import { outlineOf } from "./outline.ts";

// All jobs are played once, by one process of the original client: it takes far longer to start than to run.

const JOBS = [...RUN_JOBS, ...TOOL_JOBS, ...AGENT_JOBS, ...PROMPT_JOBS];

let played: ReadonlyMap<string, Both>;

beforeAll(async () => {
  played = await playWithBoth(JOBS);
}, START_LIMIT);

function both(name: string): Both {
  const found = played.get(name);
  if (!found) throw new Error(`Nobody has played ${name}`);
  return found;
}

describe("the original client completes its job against the mock server", () => {
  test.each(JOBS)("$name", ({ name, sdk }) => {
    expect(outlineOf(both(name).sdk.account)).toEqual(sdk);
  });
});

describe("this library has the same requests, events and files, except for the listed differences", () => {
  test.each(JOBS)("$name", ({ name, differences }) => {
    const { sdk, own } = both(name);
    const plain = reconciled(sdk.account, own.account, differences);
    expect(plain.own).toEqual(plain.sdk);
  });
});

describe("this library completes the jobs in which it differs most", () => {
  test.each(JOBS.filter(({ own }) => own))("$name", ({ name, own }) => {
    expect(outlineOf(both(name).own.account)).toEqual(own);
  });
});

describe("the mock server", () => {
  test("records no violation by this library", () => {
    const noted = JOBS.flatMap(({ name }) => both(name).own.violations.map((kind) => `${name}: ${kind}`));
    expect(noted).toEqual([]);
  });

  test("records the original client's content types and a second result for one call", () => {
    const noted = JOBS.flatMap(({ name }) => both(name).sdk.violations.map((kind) => ({ name, kind })));
    const others = noted.filter(({ kind }) => kind !== "content-type");
    expect(others).toEqual([{ name: "a result of several parts", kind: "repeated-tool-message" }]);
  });

  test("sees this library leave a cancelled answer, while the original client reads to the end", () => {
    const { sdk, own } = both("a cancel in the middle of an answer");
    expect(own.chats).toEqual([{ state: "disconnected", status: 200 }]);
    expect(sdk.chats).toEqual([{ state: "answered", status: 200 }]);
  });
});
