import { AgentwireError } from "../../../src/core/errors.ts";

/** Lets chains of promise reactions run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

export type Fate<T> =
  | { readonly state: "pending" }
  | { readonly state: "resolved"; readonly value: T }
  | { readonly state: "rejected"; readonly error: unknown };

/** What has become of a promise, once everything that is under way has run. */
export async function fateOf<T>(promise: PromiseLike<T>): Promise<Fate<T>> {
  let fate: Fate<T> = { state: "pending" };
  promise.then(
    (value) => {
      fate = { state: "resolved", value };
    },
    (error: unknown) => {
      fate = { state: "rejected", error };
    },
  );
  await settle();
  return fate;
}

/** The same in one word: `pending`, `resolved`, or the code it was rejected with. */
export async function wordOf(promise: PromiseLike<unknown>): Promise<string> {
  const fate = await fateOf(promise);
  return fate.state === "rejected" ? codeOf(fate.error) : fate.state;
}

export function codeOf(error: unknown): string {
  return error instanceof AgentwireError ? error.code : `not ours: ${String(error)}`;
}

/** The error that `call` throws; fails the test when it throws none. */
export function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

/** The rejections that nobody handled while `run` ran, and right after it. */
export async function unhandledDuring(run: () => unknown): Promise<unknown[]> {
  const unhandled: unknown[] = [];
  const others = process.listeners("unhandledRejection");
  const note = (error: unknown): void => void unhandled.push(error);
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", note);
  try {
    await run();
    await new Promise((resolve) => setImmediate(resolve)); // Node reports them once the microtasks have run
  } finally {
    process.off("unhandledRejection", note);
    for (const listener of others) process.on("unhandledRejection", listener);
  }
  return unhandled;
}
