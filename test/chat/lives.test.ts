import fc from "fast-check";
import { test } from "vitest";
import { PATIENCE, runs } from "../helpers/runs.ts";
import { lives } from "./support/life.ts";
import { LivingChat } from "./support/living-chat.ts";

test(
  "a chat keeps its promises for any user, agent, connection and store",
  async () => {
    await fc.assert(
      fc.asyncProperty(lives, (life) => new LivingChat(life).run()),
      runs(600),
    );
  },
  PATIENCE,
);
