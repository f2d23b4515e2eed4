import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { queryObjects } from "node:v8";
import { CodebuffClient, type CodebuffClientOptions } from "agentwire/codebuff";
import { ManualClock } from "agentwire/testing";
import { Socket } from "../../src/core/link/socket.ts";
import { LiveTurn } from "../../src/core/turn/live-turn.ts";

export const TIMES = 1_000;

/** After so many times what a client remembers on purpose has mostly filled. */
export const SETTLED = 200;

/** Bytes that the heap may grow by from then on: noise of the engine, a fraction of what the smallest leak costs. */
export const GROWTH = 200_000;

/** ms of being ready after which the timer that watches for it is gone. */
const STABLE = 5_000;

export interface RemoteServer extends Disposable {
  readonly url: string;
  /** Ends every connection without a Close frame. */
  cut(): void;
}

/** Starts the mock server in another process. */
export async function remoteServer(profile: "proxy" | "codebuff"): Promise<RemoteServer> {
  const child = fork(join(import.meta.dirname, "mock-server.ts"), [profile], { execArgv: [] });
  const [url]: unknown[] = await once(child, "message");
  return {
    url: String(url),
    cut: () => void child.send("cut"),
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}

export interface RemotePair extends AsyncDisposable {
  readonly server: RemoteServer;
  readonly client: CodebuffClient;
  readonly clock: ManualClock;
}

/** A client that is ready, and stable, on a clock of its own. */
export async function remotePair(
  profile: "proxy" | "codebuff",
  options: Partial<CodebuffClientOptions> = {},
): Promise<RemotePair> {
  const server = await remoteServer(profile);
  const clock = new ManualClock();
  const client = new CodebuffClient({ url: server.url, clock, profile, settleWindow: 0, ...options });
  client.on("reconnecting", ({ delay }) => void clock.advance(delay));
  await client.connect();
  await clock.advance(STABLE);
  return {
    server,
    client,
    clock,
    async [Symbol.asyncDispose]() {
      await client.close({ force: true });
      server[Symbol.dispose]();
    },
  };
}

/** What is there right now, besides memory. */
export interface Held {
  /** Turns that anything leads to. */
  readonly turns: number;
  /** Sockets of the library, and TCP sockets of the process. */
  readonly sockets: number;
  readonly tcp: number;
  /** Timers of the client. */
  readonly timers: number;
}

export async function held({ clock }: { readonly clock: ManualClock }): Promise<Held> {
  await collected();
  const tcp = process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
  const count = { format: "count" } as const;
  return {
    turns: queryObjects(LiveTurn, count),
    sockets: queryObjects(Socket, count),
    tcp,
    timers: clock.pending,
  };
}

/**
 * Does it so many times, twice, and resolves with the bytes that the heap grew by from `settled` on: the smaller growth, since
 * what is lost at every time is lost both times, and what V8 compiles once is not.
 */
export async function growthOver(
  once: () => Promise<void>,
  { settled, times } = { settled: SETTLED, times: TIMES },
): Promise<number> {
  for (let time = 0; time < settled; time++) await once();
  const growths: number[] = [];
  let before = await collected();
  for (let round = 0; round < 2; round++) {
    for (let time = settled; time < times; time++) await once();
    const after = await collected();
    growths.push(after - before);
    before = after;
  }
  return Math.min(...growths);
}

/** Bytes that are reachable, once everything that has just happened is over. */
export async function collected(): Promise<number> {
  if (!globalThis.gc) throw new Error("the leak tests need --expose-gc: npm run test:leaks");
  for (let round = 0; round < 5; round++) {
    await setImmediate();
    globalThis.gc();
  }
  return process.memoryUsage().heapUsed;
}
