/** CPU per turn when one client has many turns at once, over the same with fewer: more than 1 is a walk over the others. */
import { CodebuffClient } from "agentwire/codebuff";
import { startServer } from "../server/start.ts";
import { cpuOf } from "../support/cpu.ts";
import { answer } from "../support/measure.ts";
import { median } from "../support/numbers.ts";

await answer(async (settings) => {
  const few = settings.number("few");
  const many = settings.number("many");
  const rounds = settings.number("rounds");
  using server = await startServer();

  /** µs of CPU per turn on a client of its own. The server answers no turn before it has all of them. */
  const costOf = async (turns: number): Promise<number> => {
    const client = new CodebuffClient({
      url: server.url("codebuff", { count: turns, turns }),
      profile: "codebuff",
      maxQueuedTurns: turns,
    });
    await client.connect();
    let chunks = 0;
    const read = async (): Promise<void> => {
      for await (const event of client.prompt("go")) if (event.type === "response-chunk") chunks++;
    };
    const spent = await cpuOf(() => Promise.all(Array.from({ length: turns }, read)));
    await client.close();
    if (chunks !== turns) throw new Error(`${chunks} of ${turns} answers came`);
    return spent / turns;
  };

  await costOf(many); // warm
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const fewer: number[] = [];
    for (let turns = 0; turns < many; turns += few) fewer.push(await costOf(few));
    ratios.push((await costOf(many)) / median(fewer));
  }
  return { ratio: median(ratios) };
});
