/** ms from a delta to its only viewer, through each log of a relay and raw, in turns. */
import { join } from "node:path";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { isRedisMissing, startRedis } from "../../test/server/support/redis-server.ts";
import { answer } from "../support/measure.ts";
import { median } from "../support/numbers.ts";
import { type RelayWorld, startWorld } from "../support/relay-world.ts";

await answer(async (settings) => {
  const [deltas, rounds] = [settings.number("deltas"), settings.number("rounds")];
  await using folder = await tempFolder();
  await using redis = isRedisMissing ? undefined : await startRedis();
  const file = (name: string): string => join(folder.path, `${name}.db`);
  using worlds = new DisposableStack();
  const start = async (...setup: Parameters<typeof startWorld>): Promise<RelayWorld> =>
    worlds.use(await startWorld(...setup));
  const sqlite = { log: "sqlite", place: file("shared") } as const;
  const named: Record<string, RelayWorld> = {
    raw: await start({ log: "raw" }, 1),
    memory: await start({ log: "memory" }, 1),
    sqlite: await start({ log: "sqlite", place: file("own") }, 1),
    "sqlite, other process": await start(sqlite, 1, sqlite),
    ...(redis && {
      redis: await start({ log: "redis", place: redis.path }, 1),
    }),
  };
  const times = new Map(Object.keys(named).map((name) => [name, [] as number[]]));
  for (const world of Object.values(named)) await world.deliver(settings.number("warmUp"), 1);
  for (let round = 0; round < rounds; round++)
    for (const [name, world] of Object.entries(named))
      times.get(name)?.push(...(await world.deliver(deltas, 1)));
  return Object.fromEntries([...times].map(([name, each]) => [name, median(each)]));
});
