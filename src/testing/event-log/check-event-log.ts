// `checkEventLog`: tests an implementation of `EventLog` against all of its promises.
import { APPEND_PROMISES } from "./append-promises.ts";
import { INBOX_PROMISES } from "./inbox-promises.ts";
import { LEASE_PROMISES } from "./lease-promises.ts";
import type { EventLogCheckOptions, EventLogPromise, MakeEventLog } from "./log-test.ts";
import { PLACE_PROMISES } from "./place-promises.ts";

/**
 * The promises of `EventLog`, each with its check. For a test each:
 *
 * ```ts
 * for (const { name, check } of eventLogPromises) test(name, () => check(makeLog));
 * ```
 */
export const eventLogPromises: readonly EventLogPromise[] = [
  ...APPEND_PROMISES,
  ...LEASE_PROMISES,
  ...INBOX_PROMISES,
  ...PLACE_PROMISES,
];

/** Promises that a log breaks. `errors` has an error for each; its `cause` is what the check found. */
export class EventLogCheckError extends AggregateError {
  override readonly name = "EventLogCheckError";
}

/**
 * Tests a log against all promises, one after the other, without a test framework.
 * @returns the names of the promises, if the log keeps all of them
 * @throws EventLogCheckError
 */
export async function checkEventLog(
  makeLog: MakeEventLog,
  options?: EventLogCheckOptions,
): Promise<readonly string[]> {
  const errors: Error[] = [];
  for (const { name, check } of eventLogPromises) {
    try {
      await check(makeLog, options);
    } catch (cause) {
      const found = cause instanceof Error ? cause.message : String(cause);
      errors.push(new Error(`${name}: ${found}`, { cause }));
    }
  }
  if (errors.length === 0) return eventLogPromises.map(({ name }) => name);
  const list = errors.map(({ message }) => `- ${message}`).join("\n");
  throw new EventLogCheckError(errors, `the log breaks ${errors.length} promises:\n${list}`);
}
