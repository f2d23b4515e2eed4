// What happens at the same moment.
import { describe, expect, test } from "vitest";
import { END, type Script, world } from "./support/agent.ts";

describe("a slow reader of one turn", () => {
  test("does not hold up another turn, or the start of its session", async () => {
    const script: Script = async (turn) => {
      if (turn.text === "fast") {
        turn.say("ok");
        return END;
      }
      for (let at = 0; at < 50; at++) {
        turn.say(`${at}`);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      return END;
    };
    const { client } = world(script, { maxQueuedEvents: 5 });
    const slow = client.prompt("slow");
    const reader = slow[Symbol.asyncIterator]();
    await reader.next(); // and never again
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { text } = await client.prompt("fast", { timeout: 2_000 }).result;
    expect(text).toBe("ok");
    await client.close({ force: true });
  });
});
