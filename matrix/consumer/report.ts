import type { Addresses } from "./addresses.ts";

/** One promise, and the program that shows whether it is kept. */
export interface Trial {
  readonly name: string;
  /** Rejects if it is not. */
  run(addresses: Addresses): Promise<void>;
}

/** What the trials found in one runtime. */
export interface Report {
  readonly of: number;
  /** Of those that failed, in order. */
  readonly failures: readonly { readonly name: string; readonly message: string }[];
}

/** ms, for one trial. The slowest takes a second, for a link that comes back. */
const LIMIT = 20_000;

/** Runs trials one after the other. Never rejects. */
export async function reportOf(trials: readonly Trial[], addresses: Addresses): Promise<Report> {
  const failures: { name: string; message: string }[] = [];
  for (const { name, run } of trials) {
    try {
      await inTime(run(addresses));
    } catch (error) {
      failures.push({ name, message: error instanceof Error ? `${error}` : JSON.stringify(error) });
    }
  }
  return { of: trials.length, failures };
}

function inTime(work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came within ${LIMIT / 1_000} s`)), LIMIT);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Throws unless both are the same as JSON. */
export function same(actual: unknown, expected: unknown): void {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== should) throw new Error(`got ${is?.slice(0, 300)} instead of ${should?.slice(0, 300)}`);
}

/** What the call throws. */
export function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}
