/** How a client comes back after a healthy link was cut: what it waits by its own clock, and what it takes besides. */
import { CodebuffClient } from "agentwire/codebuff";
import { ManualClock } from "agentwire/testing";
import { startServer } from "../server/start.ts";
import { answer } from "../support/measure.ts";
import { median } from "../support/numbers.ts";

/** ms that the first redial waits at most. */
const MIN_DELAY = 500;

/** ms of being ready after which a link counts as healthy. */
const HEALTHY = 5_000;

await answer(async (settings) => {
  const links = settings.number("links");
  using server = await startServer();
  const offBy: number[] = [];
  const dials: number[] = [];
  const redials: number[] = [];
  for (let link = 0; link < links; link++) {
    const random = link / links;
    const clock = new ManualClock({ random });
    const url = server.url("codebuff");
    const client = new CodebuffClient({ url, clock, profile: "proxy", settleWindow: 0 });
    const start = performance.now();
    await client.connect();
    dials.push(performance.now() - start);
    await clock.advance(HEALTHY);

    let cut = 0;
    let waited = 0;
    client.on("disconnected", () => {
      cut = performance.now();
    });
    client.on("reconnecting", ({ delay }) => {
      waited = delay;
      void clock.advance(delay); // and no further: whatever else it waited for would hang here
    });
    const back = new Promise<void>((resolve) => void client.on("reconnected", () => resolve()));
    server.cut();
    await back;
    redials.push(performance.now() - cut);
    offBy.push(Math.abs(waited - MIN_DELAY * random));
    await client.close();
  }
  return { offBy: Math.max(...offBy), ratio: median(redials) / median(dials) };
});
