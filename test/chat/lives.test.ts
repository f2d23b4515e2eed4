import fc from "fast-check";
import { test } from "vitest";
import { lives } from "./support/life.ts";
import { LivingChat } from "./support/living-chat.ts";

/** The same lives in each run. Another seed, and more runs, look for faults in lives that nobody has lived yet. */
const PLAN = { seed: 16, numRuns: 600 };

test("a chat keeps its promises, whatever its user, its agent, its link and its store do", async () => {
  await fc.assert(
    fc.asyncProperty(lives, (life) => new LivingChat(life).run()),
    PLAN,
  );
}, 60_000);
