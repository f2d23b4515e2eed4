import { expect, test } from "vitest";
import { share } from "../helpers/runs.ts";
import { newSlots } from "../universal/support/slots.ts";
import { Rig } from "./support/rig.ts";

const TURNS = share(100);
const DELTAS = 1_000;

test("a snapshot after each of many events costs the same at the end as at the start", async () => {
  const rig = new Rig();
  const slots = newSlots();
  /** The most that one snapshot of a turn has made anew. */
  const turn = async (): Promise<number> => {
    rig.chat.send("Hello");
    slots(rig.now);
    let most = 0;
    for (let n = 0; n < DELTAS; n++) {
      rig.source.turn.says("x");
      most = Math.max(most, slots(rig.now));
    }
    rig.source.turn.completes();
    await rig.settle();
    return most;
  };
  const first = await turn();
  for (let n = 2; n < TURNS; n++) await turn();
  const last = await turn();
  expect(rig.now.messages.length).toBe(2 * TURNS);
  // The path to the last message has one more branch of at most 32 entries.
  expect(last).toBeLessThan(first + 50);
}, 60_000);
