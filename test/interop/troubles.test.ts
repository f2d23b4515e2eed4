import { beforeAll, describe, expect, test } from "vitest";
import { type Both, type Played, playWithBoth, START_LIMIT } from "./both.ts";
import { type Told, TROUBLES } from "./troubles.ts";

// All troubles happen at once to the users of one process of the original client. Neither client really waits before it tries again: what
// it wanted to wait is in the table.

let played: ReadonlyMap<string, Both>;

beforeAll(async () => {
  played = await playWithBoth(TROUBLES);
}, START_LIMIT);

/** What a user has learned. */
function toldBy({ heard, account: { items, waits }, chats, url }: Played): Told {
  const rejected = heard.flatMap((each) => (each.said === "rejected" ? [each.error] : [])).at(0);
  const output = heard.flatMap((each) => (each.said === "result" ? [each.result.output] : [])).at(-1);
  const { kind, statusCode, code } = { statusCode: output?.["statusCode"], ...rejected };
  const says =
    rejected?.message ?? output?.["message"] ?? items.findLast(({ type }) => type === "text")?.["text"];
  return {
    failure: rejected ? "rejected" : output?.type === "error" ? "output" : "none",
    says: String(says).split("\n")[0]?.replace(url, "<server>") ?? "",
    ...(kind === undefined ? {} : { kind }),
    ...(statusCode === undefined ? {} : { status: Number(statusCode) }),
    ...(code === undefined ? {} : { code }),
    finish: items.some(({ type }) => type === "finish"),
    chats: chats.length,
    waits: waits.map((ms) => ms / 1_000),
  };
}

function both(name: string): Both {
  const found = played.get(name);
  if (!found) throw new Error(`Nobody has met ${name}`);
  return found;
}

describe("the original client reports a failure", () => {
  test.each(TROUBLES)("$name", ({ name, sdk }) => {
    expect(toldBy(both(name).sdk)).toEqual(sdk);
  });
});

describe("this library reports a failure", () => {
  test.each(TROUBLES)("$name", ({ name, own }) => {
    expect(toldBy(both(name).own)).toEqual(own);
  });
});
