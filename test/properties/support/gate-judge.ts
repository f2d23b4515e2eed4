import { expect } from "vitest";
import type { Reply, Ruling } from "../../../src/core/values.ts";
import type { Brought, GateWorld } from "./gate-world.ts";

/** Holds a gate to what it promises, by a description of it that is much simpler. */
export class GateJudge {
  readonly #world: GateWorld;
  /** What was said to whom, by callback and by reply. */
  readonly #said = new Set<string>();
  /** In which session `always` was said of which tool. */
  readonly #always = new Set<string>();
  readonly #broken: unknown[] = [];

  constructor(world: GateWorld) {
    this.#world = world;
  }

  /** Checks something where what is thrown would be caught: in a listener, a callback, or what follows from a decision. */
  must(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#broken.push(error);
    }
  }

  /** Somebody is about to say this to a request. */
  saying(id: string, by: "callback" | "reply", value: unknown): void {
    this.#said.add(JSON.stringify([id, by, value]));
  }

  settled(brought: Brought, outcome: Ruling | Reply): void {
    this.must(() => this.#settled(brought, outcome));
  }

  #settled(brought: Brought, outcome: Ruling | Reply): void {
    const { id, tool, session, outcomes, turn } = brought;
    expect(outcomes, `${id} is settled once`).toHaveLength(1);
    expect(this.#world.gate.isOpen(id), `${id} is not open when it is settled`).toBe(false);
    if (!("decision" in outcome)) return;
    if (outcome.decision === "reject") {
      const isDenied = outcome.by === "policy" && brought.kind === "approval";
      if (isDenied) expect(this.#consents(brought), `${id} is denied in spite of its handler`).toBe(false);
      return;
    }
    const { decision, by } = outcome;
    expect(["queued", "completed"], `${id} is approved while its turn goes on`).toContain(
      turn?.status ?? "queued",
    );
    if (by === "policy") expect(this.#isAllowed(brought), `${id} is allowed by a rule`).toBe(true);
    else if (by === "session")
      expect(this.#always, `\`always\` was said for ${id}`).toContain(`${session} ${tool}`);
    else expect(this.#said, `somebody said so of ${id}`).toContain(JSON.stringify([id, by, decision]));
    if (decision === "always") this.#always.add(`${session} ${tool}`);
  }

  /** What holds between any two steps. */
  check(): void {
    for (const error of this.#broken) throw error;
    const { gate, clock, brought, turns, setting } = this.#world;
    const open = brought.filter(({ outcomes }) => outcomes.length === 0);
    const ids = (requests: readonly { readonly id: string }[]): string[] => requests.map(({ id }) => id);
    expect(ids(gate.pending).sort()).toEqual(ids(open).sort());
    expect(clock.pending, "timers").toBe(setting.approvalTimeout === 0 ? 0 : open.length);
    for (const turn of turns) {
      const mine = open.filter((each) => each.turn === turn);
      const waiting = gate.pending.filter(({ id }) => mine.some((each) => each.id === id));
      expect(turn.live.pending, "oldest first, here and there").toEqual(waiting);
      expect(turn.holds, "holds").toBe(mine.length);
      if (turn.live.settled) continue; // it tells no more of its calls
      const states = new Map(turn.live.toolCalls.map(({ id, state }) => [id, state]));
      for (const ear of turn.ears) {
        for (const [id, state] of ear.states) expect(state, `last heard of ${id}`).toBe(states.get(id));
        if (ear.status !== undefined) expect(ear.status).toBe(turn.status);
      }
    }
  }

  /** What holds when all is over. */
  concluded(consulted: readonly { readonly id: string; readonly signal: AbortSignal }[]): void {
    const { gate, clock, brought } = this.#world;
    expect([gate.pending, clock.pending]).toEqual([[], 0]);
    for (const { id, outcomes } of brought) expect(outcomes, `${id} is settled`).toHaveLength(1);
    for (const { id, signal } of consulted) {
      const by = brought.find((each) => each.id === id)?.outcomes[0]?.by;
      expect(signal.aborted, `${id}, settled by ${by}, told its callback`).toBe(
        by !== "callback" && by !== "error",
      );
    }
  }

  /** A handler is consent only while the options name nothing and nobody to decide. */
  #consents({ isHandled }: Brought): boolean {
    const { rules, approver } = this.#world.setting;
    return isHandled && rules === undefined && approver === "nobody";
  }

  #isAllowed(brought: Brought): boolean {
    for (const rule of this.#world.setting.rules ?? []) {
      if (rule.tool !== "any" && rule.tool !== brought.tool) continue;
      if (rule.when === "throws" || rule.when === "promise") return false;
      if (rule.when !== "no") return rule.word === "allow";
    }
    return this.#consents(brought);
  }
}
