/** What a thousand turns leave behind on one client and one signal. */
import { queryObjects } from "node:v8";
import { CodebuffClient } from "agentwire/codebuff";
import { ManualClock } from "agentwire/testing";
import { startServer } from "../server/start.ts";
import { CountingSignal } from "../support/counting-signal.ts";
import { heapUsed } from "../support/heap.ts";
import { answer } from "../support/measure.ts";

const TURNS = 1_000;

/** Turns after which what a client remembers on purpose has mostly filled. */
const SETTLED = 200;

/** ms of being ready after which the timer that watches for it is gone. */
const STABLE = 5_000;

await answer(async () => {
  using server = await startServer();
  const url = server.url("codebuff", { count: 5 });
  const options = { url, profile: "proxy", settleWindow: 0 } as const;
  const counted = new CountingSignal();
  const { signal } = counted;

  /** Holds nothing of the turn: what is left of it is held by the client. */
  const run = async (client: CodebuffClient): Promise<object> => {
    const turn = client.prompt("hello", { signal, timeout: 60_000 });
    for await (const event of turn) void event;
    await turn.result;
    return Object.getPrototypeOf(turn);
  };

  // Another client goes first, so that what is compiled on the way is no growth of this one.
  const other = new CodebuffClient(options);
  for (let turn = 0; turn < TURNS; turn++) await run(other);
  await other.close();

  const clock = new ManualClock();
  const client = new CodebuffClient({ ...options, clock });
  await client.connect();
  await clock.advance(STABLE);
  const timersBefore = clock.pending;
  for (let turn = 0; turn < SETTLED; turn++) await run(client);
  const before = await heapUsed();
  for (let turn = SETTLED; turn < TURNS - 1; turn++) await run(client);
  const prototype = await run(client);
  const growth = (await heapUsed()) - before;
  const timers = clock.pending - timersBefore;
  // Counts what has the prototype in its chain, after a full collection: turns that a route still leads to.
  const routes = queryObjects(
    Object.assign(() => {}, { prototype }),
    { format: "count" },
  );
  const { listeners } = counted;
  await client.close();
  return { listeners, timers, routes, growth };
});
