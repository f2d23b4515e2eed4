import { describe, expect, test } from "vitest";
import { settle } from "./support/promises.ts";
import { linkLost, NOTHING_LEFT, outcomeOf, readAll, reader, turnRig } from "./support/turns.ts";

describe("listeners of a turn", () => {
  test("see every event and every status, in order, and cost the reader nothing", async () => {
    const { turn, told } = turnRig();
    const events: string[] = [];
    turn.on("event", (event) => events.push(event));
    turn.sent();
    turn.push("a", 1);
    turn.push("b", 1);
    turn.complete({ text: "ab" });
    expect([events, told.events]).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
    expect(told.statuses).toEqual(["sent", "streaming", "completed"]);
    expect(await readAll(reader(turn))).toEqual(["a", "b", "ends"]);
  });

  test("see the text that an event brought when they are told of it", () => {
    const { turn } = turnRig();
    const texts: string[] = [];
    turn.on("event", () => texts.push(turn.text));
    turn.push("a", 1);
    turn.push("b", 1);
    expect(texts).toEqual(["a", "ab"]);
  });

  test("that throw are reported and hurt nobody else", async () => {
    const { turn, told } = turnRig();
    const error = new Error("mine");
    const seen: string[] = [];
    for (const name of ["event", "status"] as const) {
      turn.on(name, () => {
        throw error;
      });
      turn.on(name, () => seen.push(name));
    }
    turn.push("a", 1);
    turn.complete({ text: "a" });
    await settle();
    expect(seen).toEqual(["status", "event", "status"]);
    expect(told.thrown).toEqual([
      [error, "status"],
      [error, "event"],
      [error, "status"],
    ]);
    expect(await outcomeOf(turn)).toBe("completed");
  });

  test("go with their signal, or when called off", () => {
    const { turn } = turnRig();
    const controller = new AbortController();
    const events: string[] = [];
    turn.on("event", (event) => events.push(`by signal ${event}`), { signal: controller.signal });
    const off = turn.on("event", (event) => events.push(`by hand ${event}`));
    turn.push("a", 1);
    controller.abort();
    off();
    off();
    turn.push("b", 1);
    expect(events).toEqual(["by signal a", "by hand a"]);
  });
});

describe("a status listener that comes late", () => {
  test("is first told the present, a moment later", async () => {
    const { turn } = turnRig();
    turn.push("a", 1);
    const statuses: string[] = [];
    turn.on("status", (status) => statuses.push(status));
    expect(statuses).toEqual([]);
    await settle();
    expect(statuses).toEqual(["streaming"]);
    turn.complete({ text: "a" });
    expect(statuses).toEqual(["streaming", "completed"]);
  });

  test("is told the end of a turn that is over", async () => {
    const { turn } = turnRig();
    turn.fail(linkLost());
    const statuses: string[] = [];
    turn.on("status", (status) => statuses.push(status));
    await settle();
    expect(statuses).toEqual(["failed"]);
  });

  test("is not told twice when a change comes in that moment", async () => {
    const { turn } = turnRig();
    const statuses: string[] = [];
    turn.on("status", (status) => statuses.push(status));
    turn.sent();
    await settle();
    expect(statuses).toEqual(["sent"]);
  });

  test.each<{ how: string; leave: (off: () => void, controller: AbortController) => void }>([
    { how: "called off", leave: (off) => off() },
    { how: "aborted", leave: (_, controller) => controller.abort() },
  ])("is told nothing when it was $how in that moment", async ({ leave }) => {
    const { turn } = turnRig();
    const controller = new AbortController();
    const statuses: string[] = [];
    const off = turn.on("status", (status) => statuses.push(status), { signal: controller.signal });
    leave(off, controller);
    await settle();
    expect(statuses).toEqual([]);
  });

  test("is told nothing when its signal was aborted before", async () => {
    const { turn } = turnRig();
    const statuses: string[] = [];
    turn.on("status", (status) => statuses.push(status), { signal: AbortSignal.abort() });
    turn.sent();
    await settle();
    expect(statuses).toEqual([]);
  });

  test("that throws at the present is reported", async () => {
    const { turn, told } = turnRig();
    const error = new Error("mine");
    turn.on("status", () => {
      throw error;
    });
    await settle();
    expect(told.thrown).toEqual([[error, "status"]]);
  });

  test("an event listener is told nothing of the past", async () => {
    const { turn } = turnRig();
    turn.push("a", 1);
    const events: string[] = [];
    turn.on("event", (event) => events.push(event));
    await settle();
    expect(events).toEqual([]);
  });
});

describe("a listener that cancels the turn", () => {
  test("on an event ends it there: later events are neither told nor kept", async () => {
    const { turn, told, leftovers } = turnRig();
    turn.on("event", () => void turn.cancel());
    turn.push("a", 1);
    turn.push("b", 1);
    turn.stopped();
    expect([told.events, turn.text, await outcomeOf(turn)]).toEqual([["a"], "a", "cancelled by user"]);
    expect(leftovers()).toEqual(NOTHING_LEFT);
  });

  test("on `sent` leaves nothing", async () => {
    const { turn, told, leftovers } = turnRig();
    turn.on("status", (status) => status === "sent" && void turn.cancel());
    turn.sent();
    turn.active();
    turn.stopped();
    expect([await outcomeOf(turn), told.stops, leftovers()]).toEqual(["cancelled by user", 1, NOTHING_LEFT]);
  });

  test("on `streaming` leaves no timer", async () => {
    const { turn, leftovers } = turnRig({ stop: () => turn.stopped() });
    turn.on("status", (status) => status === "streaming" && void turn.cancel());
    turn.sent();
    turn.push("a", 1);
    expect([await outcomeOf(turn), leftovers()]).toEqual(["cancelled by user", NOTHING_LEFT]);
  });

  test("on `streaming` is told no event of the turn that it cancelled", () => {
    const { turn, told } = turnRig();
    turn.on("status", (status) => status === "streaming" && void turn.cancel());
    turn.push("a", 1);
    expect(told.events).toEqual([]);
  });

  test("on `completed` changes nothing", async () => {
    const { turn, told } = turnRig();
    turn.on("status", () => void turn.cancel());
    turn.complete({ text: "" });
    expect([await outcomeOf(turn), told.stops, told.settled]).toEqual(["completed", 0, 1]);
  });
});
