import { expect } from "vitest";
import { type AnyTurn, PIECES, SIGN, TEXT } from "./fixture.ts";
import { promise } from "./promise.ts";
import { drain, eventsOf, hold, shows, soFar, thrown } from "./support.ts";

/** The two ways to read a turn, by the names that errors give them. */
const WAYS: Readonly<Record<string, (turn: AnyTurn) => AsyncIterable<unknown>>> = {
  "the async iterator": (turn) => turn,
  textStream: (turn) => turn.textStream,
};

promise("iterate: a loop gets the same events as listeners, in the same order", async ({ client }) => {
  const turn = client.prompt("hello");
  const events = eventsOf(turn);
  const { values, thrown: error } = await drain(turn);
  expect(error).toBeUndefined();
  expect(values).toEqual(events);
  expect(values.length).toBeGreaterThan(0);
});

promise("iterate: `textStream` gives the text without empty pieces", async ({ client }) => {
  const turn = client.prompt("hello");
  const { values } = await drain(turn.textStream);
  expect(values.join("")).toBe(TEXT);
  expect(values).not.toContain("");
  expect((await turn.result).text).toBe(TEXT);
});

promise(
  "iterate: text is read as soon as it arrives, before the answer ends",
  async ({ client, backend }) => {
    const goOn = hold(backend, [], PIECES);
    const turn = client.prompt("hello");
    const pieces = turn.textStream[Symbol.asyncIterator]();
    const first = pieces.next(); // asked for before there is anything
    goOn();
    expect(await first).toEqual({ done: false, value: client.capabilities.textDeltas ? PIECES[0] : TEXT });
    await turn.outcome;
  },
);

promise("iterate: a late reader gets every event", async ({ client }) => {
  const turn = client.prompt("hello");
  const events = eventsOf(turn);
  await turn.outcome;
  expect((await drain(turn)).values).toEqual(events);
});

promise("iterate: the result does not wait for a slow reader", async ({ client }) => {
  const turn = client.prompt("hello");
  const pieces = turn.textStream[Symbol.asyncIterator]();
  const first = await pieces.next();
  expect((await turn.result).text).toBe(TEXT);
  const rest = await drain({ [Symbol.asyncIterator]: () => pieces });
  expect([first.value, ...rest.values].join("")).toBe(TEXT);
});

promise("iterate: a turn without a reader completes too", async ({ client }) => {
  expect((await client.prompt("hello").result).text).toBe(TEXT);
});

for (const [first, read] of Object.entries(WAYS)) {
  promise(
    `iterate: after ${first}, a second reader is refused as \`already-consumed\``,
    async ({ client }) => {
      const turn = client.prompt("hello");
      const reading = drain(read(turn));
      for (const again of Object.values(WAYS)) {
        expect(thrown(() => again(turn)[Symbol.asyncIterator]())).toMatchObject({
          code: "already-consumed",
          message: expect.stringContaining(first),
        });
      }
      expect(await reading).toMatchObject({ thrown: undefined });
      expect(thrown(() => turn[Symbol.asyncIterator]())).toMatchObject({ code: "already-consumed" });
    },
  );
}

promise("iterate: after the end, the iterator stays done", async ({ client }) => {
  const turn = client.prompt("hello");
  const events = turn[Symbol.asyncIterator]();
  await drain({ [Symbol.asyncIterator]: () => events });
  expect(await events.next()).toEqual({ done: true, value: undefined });
  expect(await events.next()).toEqual({ done: true, value: undefined });
});

promise("iterate: a failure is thrown once, after the text", async ({ client, backend }) => {
  backend.answer = () => [...PIECES, { fails: "broke" }];
  const turn = client.prompt("hello");
  const outcome = await turn.outcome;
  const events = turn.textStream[Symbol.asyncIterator]();
  const { values, thrown: error } = await drain({ [Symbol.asyncIterator]: () => events });
  expect(values.join("")).toBe(soFar(client, TEXT));
  expect(outcome).toMatchObject({ status: "failed", error });
  expect(await events.next()).toEqual({ done: true, value: undefined });
});

promise("iterate: several `next()` calls at once are answered in order", async ({ client, backend }) => {
  backend.answer = () => [SIGN, ...PIECES];
  const pieces = client.prompt("hello").textStream[Symbol.asyncIterator]();
  const asked = await Promise.all([pieces.next(), pieces.next(), pieces.next(), pieces.next()]);
  const expected: readonly string[] = client.capabilities.textDeltas ? PIECES : [TEXT];
  expect(asked.flatMap(({ done, value }) => (done ? [] : [value]))).toEqual(expected);
  expect(asked.map(({ done }) => done === true)).toEqual(asked.map((_, index) => index >= expected.length));
});

promise(
  "iterate: of several `next()` calls at once, the first gets the failure",
  async ({ client, backend }) => {
    backend.answer = () => [SIGN, { fails: "broke" }];
    const pieces = client.prompt("hello").textStream[Symbol.asyncIterator]();
    const asked = await Promise.allSettled([pieces.next(), pieces.next(), pieces.next()]);
    expect(asked).toMatchObject([
      { status: "rejected", reason: { code: "turn-failed" } },
      { status: "fulfilled", value: { done: true } },
      { status: "fulfilled", value: { done: true } },
    ]);
  },
);

promise(
  "iterate: a reader that falls too far behind fails, and the result is still complete",
  { maxBufferedBytes: 1 },
  async ({ client }) => {
    const turn = client.prompt("hello");
    expect((await turn.result).text).toBe(TEXT);
    expect(await drain(turn)).toMatchObject({
      values: [],
      thrown: { code: "buffer-overflow", limit: 1, bytes: expect.any(Number) },
    });
  },
);

promise(
  "iterate: `status` and `text` of a turn change as the answer arrives",
  async ({ client, backend }) => {
    const goOn = hold(backend);
    const turn = client.prompt("hello");
    await shows(client, turn, "part");
    expect(turn.status).toBe("streaming");
    goOn();
    await turn.outcome;
    expect(turn.text).toBe("part and rest");
  },
);
