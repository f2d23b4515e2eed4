/** ms from the end of the process that drives a chat, in the middle of a turn, to the event that tells viewers at another one of its failure. */
import { join } from "node:path";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { now, startChild } from "../support/child.ts";
import { answer } from "../support/measure.ts";
import { median } from "../support/numbers.ts";
import { startServer } from "../support/relay-world.ts";

await answer(async (settings) => {
  const [leaseTtl, sweepEvery] = [settings.number("leaseTtl"), settings.number("sweepEvery")];
  const times: number[] = [];
  for (let each = 0; each < settings.number("times"); each++) {
    await using folder = await tempFolder();
    const setup = {
      log: "sqlite",
      place: join(folder.path, "log.db"),
      limits: { leaseTtl, sweepEvery },
    } as const;
    using driver = await startServer(setup);
    using other = await startServer(setup);
    using viewers = await startChild("viewers", { url: `${other.url}/events` });
    await viewers.call("open", 1);
    const told = new Map<number, () => void>();
    const until = (number: number): Promise<void> => new Promise((resolve) => told.set(number, resolve));
    viewers.onTold((number) => told.get(number)?.());
    const first = until(1);
    await driver.call("begin");
    await driver.call("emit");
    await first;
    const end = until(-1);
    const start = now();
    driver[Symbol.dispose]();
    await end;
    times.push(now() - start);
  }
  return { time: median(times), most: Math.max(...times) };
});
