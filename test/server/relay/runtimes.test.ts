import { createRelay, memoryLog, type Relay } from "agentwire/server";
import { MockAgent } from "agentwire/testing/agent";
import { Hono } from "hono";
import { describe, onTestFinished, test } from "vitest";
import { HOST } from "./support/rig.ts";
import { served } from "./support/served.ts";
import { smoke } from "./support/smoke.ts";

/** As Next types the functions of `app/chats/[...path]/route.ts`. */
type NextHandler = (
  request: Request & { readonly nextUrl?: URL },
  context: { params: Promise<{ path: string[] }> },
) => Promise<Response> | Response;

/** As Bun and Deno type what answers requests, with what they pass beside. */
type BunHandler = (request: Request, server: { readonly port: number }) => Response | Promise<Response>;
type DenoHandler = (
  request: Request,
  info: { readonly completed: Promise<void> },
) => Response | Promise<Response>;

function relayOfTwo(): Relay {
  const relay = createRelay({
    source: () => new MockAgent(),
    log: memoryLog(),
    authorize: () => ({ user: "user_1" }),
    maxViewers: 2,
  });
  onTestFinished(() => relay.close({ drain: 0 }));
  return relay;
}

describe("runtimes: the relay's handler", () => {
  test("as a listener of `node:http`", async () => {
    const { url } = await served({ maxViewers: 2 });
    await smoke((path, init) => fetch(`${url}${path}`, init));
  });

  test("as a route of Hono", async () => {
    const app = new Hono();
    const { handler } = relayOfTwo();
    app.all("/chats/*", (context) => handler(context.req.raw));
    await smoke(async (path, init) => app.request(`${HOST}${path}`, init));
  });

  test("as a route handler of Next, Bun and Deno: by itself, with their further argument", async () => {
    const { handler } = relayOfTwo();
    const next: NextHandler = handler;
    const bun: BunHandler = handler;
    const deno: DenoHandler = handler;
    const requestOf = (path: string, init?: RequestInit) => new Request(`${HOST}${path}`, init);
    await smoke(async (path, init) =>
      next(requestOf(path, init), { params: Promise.resolve({ path: [path] }) }),
    );
    await smoke(async (path, init) => bun(requestOf(path, init), { port: 1 }));
    await smoke(async (path, init) => deno(requestOf(path, init), { completed: Promise.resolve() }));
  });
});
