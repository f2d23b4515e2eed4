import type { CassRest } from "agentwire/cass";
import { ManualClock } from "agentwire/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Recovery } from "../../src/cass/recovery.ts";
import { ServerTimes, serverStamp } from "../../src/cass/server-time.ts";
import { fakeCass, say, serverTime } from "../helpers/cass-fake.ts";

const HOUR = 3_600_000;

describe("a timestamp of the server", () => {
  test.each([
    ["2026-01-28T10:00:00", "2026-01-28T10:00:00.000000"],
    ["2026-01-28T10:00:00.5", "2026-01-28T10:00:00.500000"],
    ["2026-01-28T10:00:00.964498", "2026-01-28T10:00:00.964498"],
  ])("%s compares as %s", (value, stamp) => {
    expect(serverStamp(value)).toBe(stamp);
  });

  test.each([
    ["garbage", "x"],
    ["nothing", ""],
    ["a number", 1_769_594_400],
    ["a number as text", "1769594400"],
    ["null", null],
    ["a time in UTC", "2026-01-28T10:00:00Z"],
    ["a time with a zone", "2026-01-28T10:00:00+02:00"],
    ["a time with a space", "2026-01-28 10:00:00"],
    ["a day", "2026-01-28"],
    ["an hour above 23", "2026-01-28T99:00:00"],
    ["a month above 12", "2026-13-28T10:00:00"],
    ["a time with nanoseconds", "2026-01-28T10:00:00.123456789"],
    ["a time followed by more text", "2026-01-28T10:00:00\n2027"],
  ])("is not %s", (_, value) => {
    expect(serverStamp(value)).toBe(undefined);
  });
});

describe("the server's latest timestamp", () => {
  type Note = readonly [value: unknown, isAnswer?: true];
  const latest = (notes: readonly Note[]): string | undefined => {
    const times = new ServerTimes();
    for (const [at, [value, isAnswer]] of notes.entries()) times.note(value, at, isAnswer);
    return times.latest?.stamp.slice(0, 16);
  };

  test.each<readonly [string, readonly Note[], string]>([
    ["the greatest", [["2026-01-28T10:05:00"], ["2026-01-28T10:04:00"]], "2026-01-28T10:05"],
    [
      "untouched by other values",
      [["2026-01-28T10:05:00"], ["x"], ["2026-01-28T12:00:00Z"]],
      "2026-01-28T10:05",
    ],
    [
      "kept if the clock goes back an hour",
      [["2026-10-25T02:59:00"], ["2026-10-25T02:01:00"]],
      "2026-10-25T02:59",
    ],
    [
      "an odd timestamp until the next timestamp",
      [["2026-01-28T10:05:00"], ["2999-01-01T00:00:00"]],
      "2999-01-01T00:00",
    ],
    [
      "no longer an odd timestamp after the next timestamp",
      [["2026-01-28T10:05:00"], ["2999-01-01T00:00:00"], ["2026-01-28T10:06:00"]],
      "2026-01-28T10:06",
    ],
    [
      "no longer a first odd timestamp after two more",
      [["2999-01-01T00:00:00"], ["2026-01-28T10:05:00"], ["2026-01-28T10:06:00"]],
      "2026-01-28T10:06",
    ],
    [
      "no longer an odd timestamp after several others",
      [["2026-01-28T10:05:00"], ["2026-01-28T10:06:00"], ["2999-01-01T00:00:00"], ["2026-01-28T10:07:00"]],
      "2026-01-28T10:07",
    ],
    ["the timestamp after a weekend", [["2026-01-28T10:05:00"], ["2026-01-31T10:05:00"]], "2026-01-31T10:05"],
    [
      "always the timestamp of an answer",
      [["2026-01-28T10:05:00"], ["2027-01-01T00:00:00", true], ["2026-01-28T10:06:00"]],
      "2027-01-01T00:00",
    ],
  ])("is %s", (_, notes, expected) => {
    expect(latest(notes)).toBe(expected);
  });

  test("is unknown without a valid timestamp", () => {
    expect(latest([["x"], [undefined]])).toBe(undefined);
  });
});

test("an odd timestamp in a title does not prevent finding a later lost reply", async () => {
  for (const timestamp of ["x", "9", "2999-01-01T00:00:00", "2026-01-28T23:00:00+12:00", "zzzz"]) {
    const messages = [
      { role: "user", content: "hello", id: "m1", timestamp: serverTime(20) },
      { role: "assistant", content: "Stored.", id: "m0", timestamp: serverTime(21) },
    ];
    const made = await fakeCass({
      recover: true,
      fetch: async (url) =>
        new Response(
          JSON.stringify(new URL(url).pathname.endsWith("/messages") ? { messages, count: 2 } : { id: "c1" }),
        ),
    });
    made.says({ type: "title_updated", conversation_id: "c1", title: "T", timestamp });
    made.says({ type: "system", message: "at work", timestamp: serverTime(10) });
    const turn = made.client.prompt("hello");
    await made.settle();
    made.says(say.thinking());
    made.socket.ends(1006);
    await made.greet("u1", { timestamp: serverTime(30) });
    for (let look = 0; look < 20 && turn.status === "recovering"; look++)
      await new Promise((resolve) => setImmediate(resolve)); // a Response is read outside of the clock
    expect([timestamp, turn.status]).toEqual([timestamp, "completed"]);
    expect(await turn.result).toMatchObject({ text: "Stored.", recovered: true });
    void made.client.close({ force: true });
  }
});

/** The server's local time, so many ms behind its first. */
const local = (ms: number): string => new Date(Date.UTC(2026, 9, 25, 2) + ms).toISOString().slice(0, -1);

/** A search over what a server has stored for one text, so many ms after the client saw `since`. */
async function searched(
  stored: readonly (readonly [asked: unknown, answered: unknown])[],
  since: string,
  passed = 0,
): Promise<string | undefined> {
  const clock = new ManualClock();
  const messages = stored.flatMap(([asked, answered], index) => [
    { role: "user", content: "go", timestamp: asked },
    { role: "assistant", content: `answer ${index}`, timestamp: answered },
  ]);
  const rest = { getMessages: async () => ({ messages }) } as unknown as CassRest;
  const lost = { message: "go", conversationId: "c1", since, seenAt: clock.now() - passed, userId: "u1" };
  const found = new Recovery(rest, () => "u1", clock, 1).find(lost, new AbortController().signal);
  await clock.advance(1);
  return (await found)?.text;
}

describe("a stored exchange", () => {
  test.each([
    ["newer than the noted time belongs to the turn", local(60_000), "answer 0"],
    ["from the noted time belongs to an older turn", local(0), undefined],
    ["with an unreadable time is ignored", "x", undefined],
    ["with a time zone is ignored", `${local(60_000)}Z`, undefined],
    ["from before the clock went back an hour belongs to an older turn", local(HOUR - 60_000), undefined],
  ])("%s", async (_, asked, expected) => {
    expect(await searched([[asked, asked]], local(0), 60_000)).toBe(expected);
  });

  test("of a long turn belongs to the turn", async () => {
    expect(await searched([[local(2 * HOUR), local(2 * HOUR)]], local(0), 2 * HOUR)).toBe("answer 0");
  });
});

/** What happens between two turns: time passes, and the clock may go back; somebody tells an odd timestamp. */
const step = fc.record({
  passes: fc.integer({ min: 1_000, max: 30 * 60_000 }),
  goesBack: fc.boolean(),
  odd: fc.option(
    fc.constantFrom("x", "", "2999-01-01T00:00:00", "0001-01-01T00:00:00", "2026-10-25T02:00:00Z"),
  ),
});

test("an older exchange with the same text never answers a lost turn, whatever the server's clock does", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), fc.boolean(), async (steps, isLate) => {
      const times = new ServerTimes();
      const stored: (readonly [string, string])[] = [];
      let shown = 0;
      let real = 0;
      // A client that comes late has seen none of the exchanges, only the greeting behind them.
      const note = (value: string, isAnswer = false): void => {
        if (!isLate) times.note(value, real, isAnswer);
      };
      for (const { passes, goesBack, odd } of steps) {
        real += passes;
        shown += passes - (goesBack && !isLate ? HOUR : 0);
        note(local(shown));
        stored.push([local(shown + 1), local(shown + 1)]);
        note(local(shown + 2), true);
        if (odd !== null) note(odd);
      }
      if (isLate) times.note(local(shown + 3 - (steps[0]?.goesBack ? HOUR : 0)), real);
      const { stamp, at } = times.latest ?? { stamp: "", at: 0 };
      expect(await searched(stored, stamp, real + 1_000 - at)).toBe(undefined);
    }),
  );
});
