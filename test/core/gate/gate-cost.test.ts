import { describe, expect, test } from "vitest";
import { mapWorkDuring } from "../support/costs.ts";
import { gateRig, question } from "../support/gate.ts";
import { turnRig } from "../support/turns.ts";

// Counted, not timed: what one request takes does not grow with those that are open.

const FEW = 500;
const MANY = 2_000;

/** Lookups and elements per request, for so many requests. */
function workPer(requests: number, run: (requests: number) => void): number {
  return mapWorkDuring(() => run(requests)) / requests;
}

/** One life of so many calls of one turn, all of them open at the same time. */
function allOpen(requests: number, native: (at: number) => string): void {
  const { turn } = turnRig();
  const { gate, ask } = gateRig({ onToolApproval: "manual" });
  const heard: string[] = [];
  turn.on("approval", ({ id }) => heard.push(id));
  const ids = Array.from({ length: requests }, (_, at) => {
    const id = gate.idFor(native(at));
    ask({ id, turn });
    turn.tools.set({ id, name: "read", input: null, raw: null, state: "awaiting" });
    return id;
  });
  expect(heard).toHaveLength(requests);
  for (const id of ids) gate.decide(id, "reject");
}

describe("the work per approval request does not grow with the number of open requests", () => {
  test.each<{ what: string; native: (at: number) => string }>([
    { what: "each has an id of its own", native: (at) => `call-${at}` },
    { what: "all have one id", native: () => "read" },
    { what: "the server's ids look like the gate's own", native: (at) => (at % 2 === 0 ? "x" : `x~${at}`) },
  ])("if $what", ({ native }) => {
    const [few, many] = [FEW, MANY].map((requests) => workPer(requests, (count) => allOpen(count, native)));
    expect(many).toBeLessThan(1.5 * (few ?? 0));
  });

  test("if a server cycles through 600 ids, more than the gate counts", () => {
    const life = (requests: number): void => allOpen(requests, (at) => `c${at % 600}`);
    expect(workPer(12_000, life)).toBeLessThan(1.5 * workPer(1_200, life));
  });

  test("for questions", () => {
    const life = (requests: number): void => {
      const { turn } = turnRig();
      const { gate, askQuestion } = gateRig({ onQuestion: "manual" });
      for (let at = 0; at < requests; at++) askQuestion(question({ id: `q-${at}` }), turn);
      for (let at = 0; at < requests; at++) gate.answer(`q-${at}`, null);
    };
    expect(workPer(MANY, life)).toBeLessThan(1.5 * workPer(FEW, life));
  });

  test("when their turn is cancelled", () => {
    const life = (requests: number): void => {
      const { turn } = turnRig();
      const { ask } = gateRig({ onToolApproval: "manual" });
      const asked = Array.from({ length: requests }, (_, at) => ask({ id: `call-${at}`, turn }));
      void turn.cancel();
      for (const { withdraw } of asked) withdraw("cancelled", "its turn is over");
      turn.stopped();
    };
    expect(workPer(MANY, life)).toBeLessThan(1.5 * workPer(FEW, life));
  });
});

describe("the list of pending requests", () => {
  test("is built when it is read, once per change, and not for listeners of other events", () => {
    const { turn } = turnRig();
    const { ask } = gateRig({ onToolApproval: "manual" });
    for (let at = 0; at < FEW; at++) ask({ id: `call-${at}`, turn });
    const listening = mapWorkDuring(() => {
      for (const name of ["event", "status", "toolCall"] as const) turn.on(name, () => {});
    });
    expect(listening).toBeLessThan(100);
    const list = turn.pending;
    expect([list.length, turn.pending === list]).toEqual([FEW, true]);
    expect(mapWorkDuring(() => void turn.pending)).toBe(0);
  });
});
