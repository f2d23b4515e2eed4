import { test } from "vitest";

/** Whether the library commits first and tells then. Until then, a test that is marked as changed must fail. */
export const OUTBOX: boolean = true;

type Register = (title: string, body: () => Promise<void> | void) => void;

/** Registers a test that holds as soon as the library commits first and tells then; `_reason` says what changes. */
export function changed(_reason: string): Register {
  return OUTBOX ? test : test.fails;
}
