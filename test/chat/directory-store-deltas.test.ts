import { appendFile, copyFile, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { agentStep, MockAgent } from "agentwire/testing/agent";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { directoryStore } from "../../src/chat/node.ts";
import type { UniversalEvent } from "../../src/universal/events.ts";
import { readJsonl, toJsonl } from "../../src/universal/jsonl/jsonl.ts";
import { PATIENCE, runs } from "../helpers/runs.ts";
import { delta, deltas } from "../universal/support/events.ts";
import { brokenDisk, temporaryFolder } from "./support/stores.ts";

const FIXTURES = new URL("../fixtures/chat-store/0.1/", import.meta.url);

/** The events of a turn with this answer, in tokens of four characters. */
async function turnOf(answer: string): Promise<readonly UniversalEvent[]> {
  const agent = new MockAgent().script([[agentStep.text(answer, { deltas: 4 })]]);
  const client = agent.client();
  const turn = client.prompt("Tell me");
  const stream = agent.toUniversal(turn);
  const events: UniversalEvent[] = [];
  for await (const event of stream.events()) events.push(event);
  return events;
}

const sizeOf = async (folder: string): Promise<number> => (await stat(join(folder, "chat-a.jsonl"))).size;

describe("the deltas of an answer in `directoryStore`", () => {
  const answer = "A word, a word and one more. ".repeat(140);

  test("take at most 7 bytes per byte of text if each token is appended alone, and 5 in one append", async () => {
    const events = await turnOf(answer);
    expect(events.length).toBeGreaterThan(1_000);
    for (const [most, batches] of [
      [7, events.map((event) => [event])],
      [5, [events]],
    ] as const) {
      await using folder = await temporaryFolder();
      const store = directoryStore(folder.path);
      for (const batch of batches) await store.append("a", batch);
      expect((await sizeOf(folder.path)) / answer.length).toBeLessThan(most);
      expect(await directoryStore(folder.path).load("a")).toEqual(events);
    }
  });

  test("share a line only if all but text, sequence and time is equal, and `readJsonl` reads the file", async () => {
    await using folder = await temporaryFolder();
    const store = directoryStore(folder.path);
    const [first, later] = [delta(1, "a"), { ...delta(3, "c"), time: "2026-02-10T09:00:00.020Z" }];
    await store.append("a", [first, delta(2, "b"), later]);
    await store.append("a", [
      { ...delta(4, "d"), raw: "d" },
      { ...delta(5, "e"), raw: "d" },
    ]);
    const text = await readFile(join(folder.path, "chat-a.jsonl"), "utf8");
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toEqual([
      first,
      [expect.any(Number), "b", 0, "c", 20],
      { ...delta(4, "d"), raw: "d" },
      [expect.any(Number), "e", 0],
    ]);
    expect(readJsonl(text)).toMatchObject({ problems: [], complete: true });
    expect(readJsonl(text).events).toEqual(await store.load("a"));
  });
});

const odd = fc.record({
  session: fc.constantFrom("ses_1", "ses_2"),
  text: fc.string({ unit: fc.constantFrom("a", "\n", "😀", "\ud83d", '"'), maxLength: 4 }),
  change: fc.constantFrom<Partial<UniversalEvent>>(
    {},
    {},
    {},
    { time: "2026-02-10T08:59:59.990Z" },
    { time: "2026-02-10T09:00:00.123Z" },
    { raw: { some: "thing" } },
    { native_session_id: "native" },
    { event_id: "evt_7" },
    Object.freeze({ more: 1 }) as object,
  ),
  item: fc.constantFrom("itm_1", "itm_1", "itm_2"),
  isDelta: fc.constantFrom(true, true, true, false),
  ends: fc.boolean(),
  store: fc.nat(2),
});

test(
  "each session keeps all its events, even if several stores append at once",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(odd, { maxLength: 24 }), async (steps) => {
        await using folder = await temporaryFolder();
        const stores = [
          directoryStore(folder.path),
          directoryStore(folder.path),
          directoryStore(folder.path),
        ];
        const last = new Map<string, number>();
        const events: UniversalEvent[] = [];
        let batch: UniversalEvent[] = [];
        for (const { session, text, change, item, isDelta, ends, store } of steps) {
          const sequence = (last.get(session) ?? 0) + 1;
          last.set(session, sequence);
          const base = delta(sequence, text, session);
          const data = isDelta
            ? { ...base.data, item_id: item }
            : { message: text, code: null, details: null };
          const event = {
            ...base,
            type: isDelta ? "item.delta" : "error",
            data,
            ...change,
          } as UniversalEvent;
          events.push(event);
          batch.push(event);
          if (ends) await stores[store]?.append("a", batch);
          if (ends) batch = [];
        }
        await stores[0]?.append("a", batch);
        expect(await directoryStore(folder.path).load("a")).toEqual(events);
      }),
      runs(100),
    );
  },
  PATIENCE,
);

test(
  "lines of two programs, mixed in any order, are assigned to their own sessions",
  async () => {
    const linesOf = async (session: string): Promise<readonly string[]> => {
      await using folder = await temporaryFolder();
      const store = directoryStore(folder.path);
      for (const event of deltas(1, 12, session)) await store.append("a", [event]);
      return (await readFile(join(folder.path, "chat-a.jsonl"), "utf8")).split(/(?<=\n)/);
    };
    const [a, b] = [await linesOf("session-a"), await linesOf("session-b")];
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 24, maxLength: 24 }), (picks) => {
        const rests = [[...a].reverse(), [...b].reverse()] as const;
        const text = picks
          .map((pick) => rests[pick ? 0 : 1].pop() ?? rests[pick ? 1 : 0].pop() ?? "")
          .join("");
        const { events, problems } = readJsonl(text);
        expect(problems).toEqual([]);
        for (const session of ["session-a", "session-b"])
          expect(events.filter(({ session_id }) => session_id === session)).toEqual(deltas(1, 12, session));
      }),
      runs(200),
    );
  },
  PATIENCE,
);

describe("after a crash of the program", () => {
  const batches = [deltas(1, 1), [delta(2, "größe 😀")], deltas(3, 5), deltas(6, 6)];
  const all = batches.flat();

  test("at any byte: appended events are kept, the cut rest is reported, and the chat continues", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "chat-a.jsonl");
    const store = directoryStore(folder.path);
    const taken: { readonly size: number; readonly count: number }[] = [];
    let count = 0;
    for (const batch of batches) {
      await store.append("a", batch);
      count += batch.length;
      taken.push({ size: await sizeOf(folder.path), count });
    }
    const bytes = await readFile(path);
    for (let size = 0; size <= bytes.length; size++) {
      await writeFile(path, bytes.subarray(0, size));
      const problems: unknown[] = [];
      const after = directoryStore(folder.path, { onProblem: (problem) => problems.push(problem) });
      const events = await after.load("a");
      expect(events).toEqual(all.slice(0, events.length));
      const whole = taken.findLast((each) => each.size <= size + 1)?.count ?? 0; // only the line feed may be missing
      expect(events.length).toBe(whole);
      expect(problems).toHaveLength(
        size === 0 || taken.some((each) => each.size === size || each.size === size + 1) ? 0 : 1,
      );
      await after.append("a", all.slice(events.length));
      expect(await after.load("a")).toEqual(all);
    }
  });

  test("at any byte of a failed write: a repeated append stores each event once", async () => {
    await using folder = await temporaryFolder();
    const whole = Buffer.byteLength(toJsonl(all)); // longer than what is written
    for (let takes = 0; takes < whole; takes += takes < 400 ? 1 : 50) {
      const id = String(takes);
      const store = directoryStore(folder.path);
      await store.append(id, deltas(1, 1));
      const disk = await brokenDisk(folder.path, "ENOSPC", takes);
      await expect(store.append(id, all.slice(1, 5))).rejects.toMatchObject({ reason: "ENOSPC" });
      disk.mend();
      await store.append(id, all.slice(1));
      expect(await store.load(id)).toEqual(all);
    }
  });
});

describe("a file of version 0.1, with one line per delta", () => {
  const eventsOf = async (name: string): Promise<readonly unknown[]> =>
    (await readFile(new URL(name, FIXTURES), "utf8"))
      .split("\n")
      .filter((line) => line.endsWith("}"))
      .map((line) => JSON.parse(line) as unknown);

  test.each([
    ["chat-today.jsonl", 0],
    ["chat-cut.jsonl", 1],
  ])("loads: %s", async (name, cuts) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "chat-a.jsonl");
    await copyFile(new URL(name, FIXTURES), path);
    const problems: unknown[] = [];
    const store = directoryStore(folder.path, { onProblem: (problem) => problems.push(problem) });
    const before = await store.load("a");
    expect(before.length).toBeGreaterThan(30);
    expect(before).toEqual(await eventsOf(name));
    expect(problems).toHaveLength(cuts);
    await store.append("a", deltas(1, 3));
    expect(await store.load("a")).toEqual([...before, ...deltas(1, 3)]);
  });

  test("is read unchanged if another program replaces the file while it is in use", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "chat-a.jsonl");
    const store = directoryStore(folder.path);
    await store.append("a", deltas(1, 2));
    await rm(path);
    await appendFile(path, toJsonl(deltas(1, 1, "other")));
    await store.append("a", deltas(3, 4));
    expect(await store.load("a")).toEqual([...deltas(1, 1, "other"), ...deltas(3, 4)]);
  });
});
