import type { FetchInit, FetchLike, FetchResponse } from "../../../src/core/http/fetch.ts";

/** A call that the test has got in place of a server. */
export interface Fetched {
  readonly url: string;
  readonly init: FetchInit;
  /** The JSON that was sent. */
  readonly body: unknown;
}

/** What a call comes to: a response, an error that is thrown, or silence. */
export type Fate = Response | FetchResponse | Error | "silence";

/** A `fetch` that answers as it is told, the last answer again and again, and keeps what it was asked. */
export function fakeFetch(...fates: readonly (Fate | (() => Fate))[]) {
  const calls: Fetched[] = [];
  const fetch: FetchLike = async (url, init) => {
    const fate = fates[Math.min(calls.length, fates.length - 1)];
    calls.push({ url, init, body: init.body === undefined ? undefined : JSON.parse(init.body) });
    const told = typeof fate === "function" ? fate() : fate instanceof Response ? fate.clone() : fate;
    if (told instanceof Error) throw told;
    return told === "silence" || told === undefined ? new Promise(() => {}) : told;
  };
  return { fetch, calls };
}

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(value), { status, headers });
}
