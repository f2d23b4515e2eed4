import { expect, test } from "vitest";
import { deferred } from "../../src/core/deferred.ts";
import { fateOf, unhandledDuring } from "./support/promises.ts";

test("a deferred promise keeps its first `resolve()` or `reject()`", async () => {
  const [good, bad] = [deferred<number>(), deferred<number>()];
  const error = new Error("no");
  expect((await fateOf(good.promise)).state).toBe("pending");
  good.resolve(1);
  good.reject(error);
  bad.reject(error);
  bad.resolve(1);
  expect(await fateOf(good.promise)).toEqual({ state: "resolved", value: 1 });
  expect(await fateOf(bad.promise)).toEqual({ state: "rejected", error });
});

test("a deferred promise's rejection is never unhandled", async () => {
  expect(await unhandledDuring(() => deferred<void>().reject(new Error("no")))).toEqual([]);
});
