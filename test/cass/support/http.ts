import { ManualClock } from "agentwire/testing";
import * as z from "zod/mini";
import { CassHttp, type CassHttpCall, type HttpSetup } from "../../../src/cass/rest/http.ts";
import { Redactor } from "../../../src/core/tell/redact.ts";
import { fateOf } from "../../core/support/promises.ts";
import { type Fate, fakeFetch } from "./fake-fetch.ts";

export const EPOCH = Date.UTC(2026, 0, 28, 12);
export const BASE = "https://cass.example/cass/";
const anything = z.looseObject({});

/** An `Http` whose server is a list of answers. */
export function made(answers: readonly (Fate | (() => Fate))[], options: Partial<HttpSetup> = {}) {
  const clock = new ManualClock({ epoch: EPOCH });
  const redactor = new Redactor();
  const { fetch, calls } = fakeFetch(...answers);
  const http = new CassHttp({
    url: BASE,
    fetch,
    timeout: 10_000,
    retries: 2,
    maxReceiveBytes: 1_000_000,
    allowInsecure: false,
    clock,
    redactor,
    ...options,
  });
  return { http, clock, redactor, calls };
}

/** A call that may be repeated. */
export function get(path = "status", more: Partial<CassHttpCall<object>> = {}): CassHttpCall<object> {
  return { method: "GET", path, repeatable: true, shape: anything, ...more };
}

export function post(body: object, more: Partial<CassHttpCall<object>> = {}): CassHttpCall<object> {
  return { method: "POST", path: "auth/login", body, repeatable: false, shape: anything, ...more };
}

/** Somebody with these tokens, the next one each time that a fresh one is needed. */
export function user(...tokens: readonly string[]) {
  const asked: string[] = [];
  let at = 0;
  return {
    asked,
    renewable: tokens.length > 1,
    current: async () => {
      asked.push("current");
      return tokens[at];
    },
    fresh: async (refused?: string) => {
      asked.push(`fresh instead of ${refused}`);
      return tokens[++at] ?? "";
    },
  };
}

/** What a promise is rejected with, whenever that is. */
export function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`it is resolved, with ${String(value)}`);
    },
    (error: unknown) => error,
  );
}

/** What a call comes to when all that it waits for passes. */
export async function inTheEnd(clock: ManualClock, promise: Promise<unknown>): Promise<unknown> {
  const end = promise.then(
    (value) => value,
    (error: unknown) => error,
  );
  for (;;) {
    const fate = await fateOf(end);
    if (fate.state === "resolved") return fate.value;
    if (clock.next === undefined) throw new Error("it waits for nothing");
    await clock.advance(clock.next);
  }
}
