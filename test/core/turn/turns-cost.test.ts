import { expect, test } from "vitest";
import { say as cass, fakeCass } from "../../helpers/cass-fake.ts";
import { say as codebuff, FakeCodebuff, fakeOriginal } from "../../helpers/codebuff-fake.ts";
import { say as codey, fakePair } from "../../helpers/codey-fake.ts";

// Work is counted in steps of iterators over maps: whoever visits all turns steps through the map that holds them.

const MANY = { maxQueuedTurns: 10_000, maxQueuedBytes: 1e9, idleTimeout: 0 };

/** So many turns on one client, from the prompts to the answers. */
const ALL: readonly (readonly [client: string, play: (turns: number) => Promise<void>])[] = [
  [
    "Codebuff, all at once",
    async (turns) => {
      const made = await fakeOriginal(MANY);
      await playCodebuff(made, turns);
    },
  ],
  [
    "Codebuff's proxy, all at once",
    async (turns) => {
      const made = new FakeCodebuff({ ...MANY, profile: "proxy", maxConcurrentPrompts: turns });
      await made.open();
      made.says(codebuff.ack(0));
      await made.settle();
      await playCodebuff(made, turns);
    },
  ],
  [
    "Codey, one by one",
    async (turns) => {
      const made = await fakePair(MANY);
      const all = Array.from({ length: turns }, (_, n) => made.client.prompt(`${n}`, { read: false }));
      for (const turn of all) {
        made.says(codey.text("one"), codey.finished());
        expect((await turn.outcome).status).toBe("completed");
      }
    },
  ],
  [
    "Cass, one by one",
    async (turns) => {
      const made = await fakeCass(MANY);
      const all = Array.from({ length: turns }, (_, n) => made.client.prompt(`${n}`, { read: false }));
      for (const turn of all) {
        made.says(cass.thinking(), cass.response("one"));
        expect((await turn.outcome).status).toBe("completed");
      }
    },
  ],
];

async function playCodebuff(made: FakeCodebuff, turns: number): Promise<void> {
  const all = Array.from({ length: turns }, (_, n) => made.client.prompt(`${n}`, { read: false }));
  for (const [index, turn] of all.entries()) {
    made.says(codebuff.ack(index + 1), codebuff.chunk(turn, "one"), codebuff.response(turn));
    expect((await turn.outcome).status).toBe("completed");
  }
}

/** How often an iterator over a map was asked for its next element during `work`. */
async function stepsOf(work: () => Promise<void>): Promise<number> {
  const prototype: { next(): unknown } = Object.getPrototypeOf(new Map().entries());
  const { next } = prototype;
  let steps = 0;
  prototype.next = function () {
    steps++;
    return next.call(this);
  };
  try {
    await work();
  } finally {
    prototype.next = next;
  }
  return steps;
}

test.each(ALL)("%s: the work per turn does not grow with the number of turns", async (_, play) => {
  await play(10); // what is done once is done
  const perTurn = async (turns: number): Promise<number> => (await stepsOf(() => play(turns))) / turns;
  const few = await perTurn(100);
  expect(await perTurn(800)).toBeLessThanOrEqual(few + 1);
});
