import { describe, expect, test } from "vitest";
import { IDLE, linkLost, NOTHING_LEFT, outcomeOf, readAll, reader, turnRig } from "../support/turns.ts";

/** A turn whose source can wait, from 4 events on. */
function pausable() {
  const told: string[] = [];
  const flow = { high: 4, pause: () => void told.push("pause"), resume: () => void told.push("resume") };
  const rig = turnRig({ flow });
  rig.turn.sent();
  rig.turn.active();
  const push = (count: number): void => {
    for (let at = 0; at < count; at++) rig.turn.push("x", 1);
  };
  return { ...rig, flowed: told, push };
}

describe("a turn's source", () => {
  test("is paused when `high` events wait for the reader, and resumed at half", async () => {
    const { turn, flowed, push } = pausable();
    const events = reader(turn);
    push(3);
    expect(flowed).toEqual([]);
    push(1);
    expect(flowed).toEqual(["pause"]);
    await events.next();
    expect(flowed).toEqual(["pause"]);
    await events.next();
    expect(flowed).toEqual(["pause", "resume"]);
  });

  test("is paused at half of the bytes that may be buffered, and resumed at half of that", async () => {
    const { turn, flowed } = pausable();
    const events = reader(turn);
    turn.push("x", 500);
    expect(flowed).toEqual([]);
    turn.push("x", 1);
    expect(flowed).toEqual(["pause"]);
    turn.push("x", 251);
    await events.next();
    await events.next();
    expect(flowed).toEqual(["pause"]);
    await events.next();
    expect(flowed).toEqual(["pause", "resume"]);
  });

  test("is paused only once a reader comes, even a late one", () => {
    const { turn, flowed, push } = pausable();
    push(100);
    expect(flowed).toEqual([]);
    reader(turn);
    expect(flowed).toEqual(["pause"]);
  });

  test.each(["cancel", "complete", "abandon"] as const)(
    "is resumed if the turn ends while it is paused: %s",
    (how) => {
      const { turn, flowed, push } = pausable();
      reader(turn);
      push(4);
      if (how === "cancel") void turn.cancel();
      if (how === "complete") turn.complete({ text: turn.text });
      if (how === "abandon") turn.abandon(linkLost());
      expect(flowed).toEqual(["pause", "resume"]);
    },
  );

  test("does not cause an idle timeout while it is paused", async () => {
    const { turn, clock, push, leftovers } = pausable();
    const events = reader(turn);
    push(4);
    await clock.advance(10 * IDLE - 1);
    expect(turn.status).toBe("streaming");
    await readAll(events);
    turn.complete({ text: turn.text });
    expect(await outcomeOf(turn)).toBe("completed");
    expect(leftovers()).toEqual(NOTHING_LEFT);
  });

  test("has the whole idle timeout again after it is resumed", async () => {
    const { turn, clock, push } = pausable();
    const events = reader(turn);
    push(4);
    await clock.advance(5 * IDLE);
    await events.next();
    await events.next();
    await clock.advance(IDLE - 1);
    expect(turn.status).toBe("streaming");
    await clock.advance(1);
    expect(turn.status).toBe("cancelling");
    turn.stopped();
    expect(await outcomeOf(turn)).toBe("failed turn-timeout");
  });
});
