/**
 * The world of the original client: import this first. It reaches the mock servers and nothing else, and does not really wait
 * before it tries again.
 */
import "../foreign/loopback-only.ts";
import { AsyncLocalStorage } from "node:async_hooks";
import { say } from "./said.ts";

/** Compiled into the client. */
const BACKEND = "https://www.codebuff.com";
/** Where the client counts its uses. A refusal would keep the process alive for many seconds. */
const ANALYTICS = "us.i.posthog.com";

/** ms that the client waits before another try. Nothing else in it waits so long. */
const WAITS: ReadonlySet<unknown> = new Set([1_000, 2_000, 4_000, 8_000]);

const users = new AsyncLocalStorage<{ readonly run: number; readonly url: string }>();

/** Does the work of one user, whose backend is at `url`. */
export function asUser<T>(run: number, url: string, work: () => T): T {
  return users.run({ run, url }, work);
}

const reach = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  const request = input instanceof Request ? input : undefined;
  const url = new URL(request?.url ?? String(input));
  if (url.hostname === ANALYTICS) return Response.json({});
  if (url.origin !== BACKEND) {
    say({ said: "refused", host: url.host });
    throw new TypeError(`Only the mock servers can be reached from here, and not ${url.host}`);
  }
  const server = users.getStore()?.url;
  if (server === undefined) throw new TypeError("A request of nobody");
  // The timers of connections belong to the platform, not to the client.
  return users.exit(() => reach(new URL(url.pathname + url.search, server), init));
};

const wait = globalThis.setTimeout;

globalThis.setTimeout = ((callback: () => void, ms?: number, ...args: readonly unknown[]) => {
  const run = users.getStore()?.run;
  if (run === undefined || !WAITS.has(ms)) return Reflect.apply(wait, globalThis, [callback, ms, ...args]);
  say({ said: "waited", run, ms: Number(ms) });
  return wait(callback, 0);
}) as typeof globalThis.setTimeout;
