import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { CassClient, type CassClientOptions } from "agentwire/cass";
import { ManualClock } from "agentwire/testing";
import { expect, test } from "vitest";
import { countingController } from "../helpers/codebuff.ts";
import { GROWTH, growthOver, held, SETTLED, TIMES } from "./support.ts";

/** A client idles on one socket, with the timer of its next ping; the last turn is known, for speech may follow it. */
const IDLE = { turns: 1, sockets: 1, tcp: 1, timers: 1 };

/** ms of being ready after which the timer that watches for it is gone. */
const STABLE = 30_000;

async function cassPair(options: Partial<CassClientOptions> = {}) {
  const child = fork(join(import.meta.dirname, "cass-server.ts"), { execArgv: [] });
  const [{ url, token }] = (await once(child, "message")) as [
    { readonly url: string; readonly token: string },
  ];
  const clock = new ManualClock({ random: 0 });
  const client = new CassClient({ url, token, clock, keepalive: {}, ...options });
  client.on("reconnecting", ({ delay }) => void clock.advance(delay));
  await client.connect();
  return {
    client,
    clock,
    async [Symbol.asyncDispose]() {
      await client.close();
      child.kill("SIGKILL");
    },
  };
}

type Pair = Awaited<ReturnType<typeof cassPair>>;

const KINDS = {
  /** Answered. */
  hello: async ({ client }, signal) => {
    const { text } = await client.prompt("hello", { signal, timeout: 60_000 }).result;
    expect(text).toBe("Hello!");
  },
  /** Cancelled in the middle: its answer is waited for, and dropped. */
  cancelled: async ({ client }, signal) => {
    const turn = client.prompt("hello", { signal });
    turn.on("event", () => void turn.cancel());
    expect((await turn.outcome).status).toBe("cancelled");
    await client.getStatus(); // which waits for the end of the turn
  },
  /** Cancelled before it is sent. */
  "given up": async ({ client }, signal) => {
    const before = client.prompt("hello", { signal });
    const turn = client.prompt("hello", { signal });
    await turn.cancel();
    expect((await before.outcome).status).toBe("completed");
  },
  /** Lost with its connection, and another one made. */
  cut: async ({ client }, signal) => {
    const { status } = await client.prompt("cut", { signal }).outcome;
    expect(status).toBe("failed");
    await client.prompt("hello", { signal }).result;
  },
} satisfies Readonly<Record<string, (made: Pair, signal: AbortSignal) => Promise<void>>>;

test.each(Object.entries(KINDS))(
  "a thousand turns that are %s leave no resources behind",
  async (_, turn) => {
    const { controller, listeners } = countingController();
    const { signal } = controller;
    {
      await using warm = await cassPair(); // so that everything is compiled
      for (let time = 0; time < TIMES; time++) await turn(warm, signal);
    }
    await using made = await cassPair();
    const growth = await growthOver(() => turn(made, signal), { settled: SETTLED, times: TIMES });
    await made.clock.advance(STABLE);
    expect(await held(made)).toEqual(IDLE);
    expect(listeners()).toBe(0);
    expect(growth).toBeLessThan(GROWTH);
  },
);
