import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { CodeyClient } from "agentwire/codey";
import { ManualClock } from "agentwire/testing";
import { expect, test } from "vitest";
import { countingController } from "../helpers/codebuff.ts";
import { GROWTH, growthOver, held } from "./support.ts";

/** A client idles on one socket, with the timer of its next ping, and no turn. */
const IDLE = { turns: 0, sockets: 1, tcp: 1, timers: 1 };

/** Turns of each kind. */
const TIMES = 300;

/** After so many what is remembered on purpose has filled: calls and decisions, 256 of each. */
const SETTLED = 150;

/** Bytes that a turn leaves in the transcript on purpose: two messages, and their place in the list. */
const SAID = 300;

async function codeyPair() {
  const child = fork(join(import.meta.dirname, "codey-server.ts"), { execArgv: [] });
  const [url]: unknown[] = await once(child, "message");
  const clock = new ManualClock();
  const client = new CodeyClient({
    url: String(url),
    clock,
    onToolApproval: async ({ name }) => name === "mcp_shell",
  });
  await client.connect();
  return {
    client,
    clock,
    async [Symbol.asyncDispose]() {
      const closed = client.close();
      await clock.advance(1_000); // the server answers no Close
      await closed;
      child.kill("SIGKILL");
    },
  };
}

type Pair = Awaited<ReturnType<typeof codeyPair>>;

/** One turn to its end: answered, with two calls of which one is approved, or cancelled in the middle. */
async function turn({ client }: Pair, what: "hello" | "tool" | "hang", signal: AbortSignal): Promise<void> {
  const turn = client.prompt(what, { signal, timeout: 60_000, idleTimeout: 60_000 });
  for await (const event of turn) if (what === "hang" && event.type === "TextDelta") void turn.cancel();
  const { status } = await turn.outcome;
  expect(status).toBe(what === "hang" ? "cancelled" : "completed");
  if (what === "tool") expect(turn.toolCalls.map(({ state }) => state)).toEqual(["done", "denied"]);
}

/** Long enough that everything is compiled, on a client that is gone afterwards. */
async function warmUp(what: "hello" | "tool" | "hang", signal: AbortSignal): Promise<void> {
  await using made = await codeyPair();
  for (let time = 0; time < TIMES; time++) await turn(made, what, signal);
}

test.each(["hello", "tool", "hang"] as const)(
  "three hundred turns of the kind `%s` leave nothing but their messages behind",
  async (what) => {
    const { controller, listeners } = countingController();
    const { signal } = controller;
    await warmUp(what, signal);
    await using made = await codeyPair();
    expect(await held(made)).toEqual(IDLE);
    const growth = await growthOver(() => turn(made, what, signal), { settled: SETTLED, times: TIMES });
    expect(await held(made)).toEqual(IDLE);
    expect(listeners()).toBe(0);
    expect(growth).toBeLessThan(GROWTH + (TIMES - SETTLED) * SAID);
  },
);
