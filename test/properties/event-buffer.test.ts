import fc from "fast-check";
import { expect, test } from "vitest";
import { BufferOverflowError } from "../../src/core/errors.ts";
import { EventBuffer } from "../../src/core/turn/event-buffer.ts";
import { runs } from "../helpers/runs.ts";

/** What is done to a buffer, by whoever writes and whoever reads. */
type Call =
  | { readonly do: "push"; readonly bytes: number }
  | { readonly do: "next" | "end" | "fail" | "drop" | "rest" };

const LIMIT = 10;

const call: fc.Arbitrary<Call> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ do: fc.constant("push" as const), bytes: fc.nat(4) }) },
  { weight: 9, arbitrary: fc.constant({ do: "next" } as const) },
  { weight: 2, arbitrary: fc.constant({ do: "rest" } as const) },
  {
    weight: 1,
    arbitrary: fc.constantFrom({ do: "end" } as const, { do: "fail" } as const, { do: "drop" } as const),
  },
);

/** What a reader gets. */
type Got = { readonly value: number } | "done" | "overflow" | { readonly failure: number } | "waits";

/** The buffer as its description has it: plain lists, and no promise. */
class Model {
  readonly reads: Got[] = [];
  #values: { readonly value: number; readonly bytes: number }[] = [];
  #waiting: number[] = [];
  #end: Got | undefined;

  get bytes(): number {
    return this.#values.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  push(value: number, bytes: number): void {
    if (this.#end) return;
    const [waiter, ...others] = this.#waiting;
    if (waiter !== undefined) {
      this.reads[waiter] = { value };
      this.#waiting = others;
    } else if (this.bytes + bytes > LIMIT) {
      this.finish("overflow");
    } else {
      this.#values.push({ value, bytes });
    }
  }

  finish(end: Got): void {
    if (this.#end) return;
    this.#end = end;
    this.#wake();
  }

  drop(): void {
    this.#values = [];
    this.#end = "done";
    this.#wake();
  }

  next(): void {
    const [first, ...others] = this.#values;
    this.#values = others;
    if (!first && !this.#end) this.#waiting.push(this.reads.length);
    this.reads.push(first ? { value: first.value } : this.#takeEnd());
  }

  #wake(): void {
    for (const waiter of this.#waiting) this.reads[waiter] = this.#takeEnd();
    this.#waiting = [];
  }

  #takeEnd(): Got {
    const end = this.#end ?? "waits";
    if (this.#end) this.#end = "done";
    return end;
  }
}

/** Plays the calls on a buffer and on the model, and gives what the readers of each got. */
async function play(
  calls: readonly Call[],
): Promise<{ readonly real: readonly Got[]; readonly model: readonly Got[] }> {
  const buffer = new EventBuffer<number>(LIMIT);
  const model = new Model();
  const real: Got[] = [];
  for (const [at, call] of calls.entries()) {
    switch (call.do) {
      case "push":
        buffer.push(at, call.bytes);
        model.push(at, call.bytes);
        break;
      case "next": {
        const reader = real.push("waits") - 1;
        buffer.next().then(
          ({ done, value }) => {
            real[reader] = done ? "done" : { value };
          },
          (error: unknown) => {
            real[reader] = error instanceof BufferOverflowError ? "overflow" : { failure: error as number };
          },
        );
        model.next();
        break;
      }
      case "end":
        buffer.end();
        model.finish("done");
        break;
      case "fail":
        buffer.fail(at);
        model.finish({ failure: at });
        break;
      case "drop":
        buffer.drop();
        model.drop();
        break;
      case "rest":
        await Promise.resolve();
        break;
    }
    expect(buffer.bytes, `bytes after ${at} calls`).toBe(model.bytes);
  }
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  return { real, model: model.reads };
}

test("a buffer gives its readers the same values as a simple model, for any calls in any order", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 40 }), async (calls) => {
      const { real, model } = await play(calls);
      expect(real).toEqual(model);
    }),
    runs(3_000),
  );
});

test("over a thousand values in bursts of any size arrive once and in order", async () => {
  const bursts = fc.array(fc.record({ pushed: fc.nat(600), asked: fc.nat(600) }), {
    minLength: 3,
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(bursts, async (bursts) => {
      const buffer = new EventBuffer<number>(Number.POSITIVE_INFINITY);
      const reads: Promise<IteratorResult<number, undefined>>[] = [];
      let pushed = 0;
      for (const burst of bursts) {
        for (let ask = 0; ask < burst.asked; ask++) reads.push(buffer.next());
        for (let push = 0; push < burst.pushed; push++) buffer.push(pushed++, 1);
      }
      buffer.end();
      while (reads.length <= pushed) reads.push(buffer.next());
      const values = (await Promise.all(reads)).map(({ value }) => value);
      expect(values.slice(0, pushed)).toEqual(Array.from({ length: pushed }, (_, index) => index));
      expect(values.slice(pushed).every((value) => value === undefined)).toBe(true);
    }),
    runs(60),
  );
});
