import { expect } from "vitest";
import { type Deferred, deferred } from "../../../src/core/deferred.ts";
import { InvalidInputError } from "../../../src/core/errors.ts";
import { Gate, type Withdraw } from "../../../src/core/gate/gate.ts";
import type { AskingTurn } from "../../../src/core/gate/open-request.ts";
import type { ToolRule } from "../../../src/core/gate/options.ts";
import { Outbox } from "../../../src/core/tell/outbox.ts";
import type { PendingRequest, Question, Reply, Ruling, ToolCall } from "../../../src/core/values.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { GateJudge } from "./gate-judge.ts";
import type { Deed, GateLife, GateSetting, GateStep, Moment, RuleSetting } from "./gate-steps.ts";
import { TURNS } from "./gate-steps.ts";
import { GateTurn } from "./gate-turn.ts";

/** One request that was brought before the gate. */
export interface Brought {
  readonly id: string;
  readonly kind: "approval" | "question";
  readonly tool: string;
  readonly isHandled: boolean;
  readonly turn: GateTurn | undefined;
  /** The session in which it was asked. */
  session: number;
  readonly outcomes: (Ruling | Reply)[];
  withdraw: Withdraw;
}

interface Consulted {
  readonly id: string;
  readonly signal: AbortSignal;
  readonly later: Deferred<unknown>;
  isDone: boolean;
}

const VALUES = {
  approve: "once",
  "approve always": "always",
  reject: { decision: "reject", reason: "no" },
  garbage: 7,
} as const;

/** A gate, the protocol that uses it, and users who do what a life says, at the worst moments. */
export class GateWorld {
  readonly gate: Gate;
  readonly outbox = new Outbox();
  readonly clock = new ManualClock();
  readonly setting: GateSetting;
  readonly turns: readonly GateTurn[];
  readonly brought: Brought[] = [];
  readonly judge: GateJudge;
  readonly #consulted: Consulted[] = [];
  readonly #deeds = new Map<Moment, Deed[]>();
  #session = 0;

  static async play(life: GateLife): Promise<void> {
    const world = new GateWorld(life.setting);
    for (const step of life.steps) {
      await world.#do(step);
      world.judge.check();
    }
    await world.#end();
  }

  private constructor(setting: GateSetting) {
    this.setting = setting;
    const { rules, approver, answerer, approvalTimeout } = setting;
    this.turns = Array.from(
      { length: TURNS },
      (_, at) => new GateTurn(`turn-${at}`, this, () => this.#withdrawAll(this.turns[at])),
    );
    const callback = (
      { id }: ToolCall | Question,
      { signal }: { readonly signal: AbortSignal },
    ): Promise<never> => {
      const later = deferred<unknown>();
      this.#consulted.push({ id, signal, later, isDone: false });
      signal.addEventListener("abort", () => this.act("abort"));
      this.act("callback");
      return later.promise as Promise<never>;
    };
    const asked = {
      nobody: {},
      manual: { onToolApproval: "manual" },
      callback: { onToolApproval: callback },
    } as const;
    const answered = {
      nobody: {},
      manual: { onQuestion: "manual" },
      callback: { onQuestion: callback },
    } as const;
    this.gate = new Gate(
      {
        outbox: this.outbox,
        clock: this.outbox.clock(this.clock),
        opened: (request) => this.#opened(request),
        settled: () => {},
        warn: () => this.outbox.tell(() => this.act("warning")),
      },
      {
        ...(rules === undefined ? {} : { toolPolicy: this.#rules(rules) }),
        approvalTimeout,
        ...asked[approver],
        ...answered[answerer],
      },
    );
    this.judge = new GateJudge(this);
    for (const turn of this.turns) turn.listen();
  }

  get session(): number {
    return this.#session;
  }

  /**
   * Somebody's code runs, and does what the life has for that moment, each in an input of its own. What a listener throws is
   * caught by who calls it.
   */
  act(moment: Moment): void {
    this.outbox.run(() => this.#act(moment));
  }

  #act(moment: Moment): void {
    const deed = this.#deeds.get(moment)?.pop();
    if (deed === undefined) return;
    const open = this.gate.pending;
    switch (deed) {
      case "approve":
      case "approve always":
      case "reject":
      case "reply garbage":
        if (open[0]) this.#reply(open[0].id, deed);
        return;
      case "reply again":
        for (const { id, outcomes } of this.brought) if (outcomes.length > 0) this.#reply(id, "approve");
        return;
      case "withdraw":
        this.brought.at(-1)?.withdraw("elsewhere", "decided by the server");
        return;
      case "cancel":
        for (const turn of this.turns) if (turn.live.open) return void turn.live.cancel();
        return;
      case "new session":
        this.#newSession();
        return;
      case "ask":
        this.#ask("a", "x", this.turns[0], false);
        return;
      case "throw":
        if (moment === "abort" || moment === "opened" || moment === "warning") return; // isolated by the platform, and by the emitter
        throw new Error("on purpose");
    }
  }

  /** Its listeners are told of it while it waits for the user. */
  #opened({ id }: PendingRequest): void {
    this.judge.must(() => expect(this.gate.isOpen(id), `${id} is opened as open`).toBe(true));
    this.outbox.tell(() => {
      if (this.gate.isOpen(id)) this.act("opened");
    });
  }

  #rules(rules: readonly RuleSetting[]): readonly ToolRule[] {
    const tools = { a: "a", b: "b", any: /^[ab]$/ };
    const whens = {
      yes: () => true,
      no: () => false,
      throws: () => {
        throw new Error("on purpose");
      },
      promise: () => Promise.resolve(true) as unknown as boolean,
      acts: () => {
        this.act("rule");
        return true;
      },
    };
    return rules.map(({ tool, when, word: then }) =>
      when === "none" ? { tool: tools[tool], then } : { tool: tools[tool], when: whens[when], then },
    );
  }

  /** Each step is an input of the client, but for those that let time pass. */
  async #do(step: GateStep): Promise<void> {
    if (step.do === "advance") return this.clock.advance(step.ms);
    if (step.do === "rest") return rest();
    this.outbox.run(() => this.#input(step));
  }

  #input(step: Exclude<GateStep, { readonly do: "advance" | "rest" }>): void {
    switch (step.do) {
      case "ask":
        this.#ask(step.tool, step.native, this.turns[step.turn], step.isHandled);
        return;
      case "question":
        this.#askQuestion(step.native, this.turns[step.turn]);
        return;
      case "reply": {
        const to = this.brought.at(-1 - step.to);
        if (to) this.#reply(to.id, step.deed);
        return;
      }
      case "callback":
        this.#callback(step.which, step.gives);
        return;
      case "withdraw":
        this.brought.at(-1 - step.which)?.withdraw("disconnected", "the link is lost");
        return;
      case "turn":
        this.turns[step.turn]?.end(step.ends);
        return;
      case "listen":
        this.turns[step.turn]?.listen();
        return;
      case "when":
        this.#deeds.set(step.moment, [...(this.#deeds.get(step.moment) ?? []), step.deed]);
        return;
      case "newSession":
        this.#newSession();
    }
  }

  #newSession(): void {
    this.#session++;
    this.gate.newSession();
  }

  #bring(fields: Pick<Brought, "kind" | "tool" | "turn" | "isHandled">, native: string): Brought {
    const early: Withdraw = () => {}; // until `ask` has returned, a protocol cannot withdraw
    const id = this.gate.idFor(native);
    const brought: Brought = { ...fields, id, session: this.#session, outcomes: [], withdraw: early };
    this.judge.must(() => expect(this.brought.map((other) => other.id)).not.toContain(id));
    this.brought.push(brought);
    return brought;
  }

  #ask(tool: string, native: string, turn: GateTurn | undefined, isHandled: boolean): void {
    const brought = this.#bring({ kind: "approval", tool, turn, isHandled }, native);
    const { id } = brought;
    const call: ToolCall = { id, name: tool, input: null, raw: null };
    turn?.live.tools.set({ ...call, state: "requested" });
    brought.session = this.#session; // a listener may have begun another just now
    brought.withdraw = this.gate.ask(call, {
      turn: waiting(turn),
      isHandled,
      decided: (ruling) => {
        this.#settled(brought, ruling);
        turn?.live.tools.set({ ...call, state: ruling.decision === "reject" ? "denied" : "approved" });
        this.act("settled");
      },
    });
    if (brought.outcomes.length === 0) turn?.live.tools.set({ ...call, state: "awaiting" });
  }

  #askQuestion(native: string, turn: GateTurn | undefined): void {
    const brought = this.#bring({ kind: "question", tool: "", turn, isHandled: false }, native);
    const items = [{ question: "Which?", options: [], multiSelect: false }];
    brought.withdraw = this.gate.askQuestion(
      { id: brought.id, questions: items, raw: null },
      {
        turn: waiting(turn),
        answered: (reply) => {
          this.#settled(brought, reply);
          this.act("settled");
        },
      },
    );
  }

  #settled(brought: Brought, outcome: Ruling | Reply): void {
    brought.outcomes.push(outcome);
    this.judge.settled(brought, outcome);
  }

  #reply(id: string, deed: "approve" | "approve always" | "reject" | "reply garbage"): void {
    const value = deed === "reply garbage" ? VALUES.garbage : VALUES[deed];
    const brought = this.brought.find((each) => each.id === id);
    const before = brought?.outcomes[0];
    this.judge.saying(id, "reply", value);
    this.judge.must(() => {
      try {
        const isQuestion = brought?.kind === "question";
        const outcome = isQuestion
          ? this.gate.answer(id, value === 7 ? 7 : "left")
          : this.gate.decide(id, value);
        expect(outcome, "every reply is told the one outcome").toBe(before ?? brought?.outcomes[0]);
      } catch (error) {
        if (!(error instanceof InvalidInputError)) throw error;
        expect(before, "a reply to what was settled does not throw").toBeUndefined();
      }
    });
  }

  #callback(which: number, gives: "approve" | "approve always" | "reject" | "garbage" | "failure"): void {
    const waits = this.#consulted.filter(({ isDone }) => !isDone);
    const consulted = waits.at(-1 - which) ?? waits[0];
    if (!consulted) return;
    consulted.isDone = true;
    if (gives === "failure") {
      consulted.later.reject(new Error("on purpose"));
      return;
    }
    this.judge.saying(consulted.id, "callback", VALUES[gives]);
    const isQuestion = this.brought.some(({ id, kind }) => id === consulted.id && kind === "question");
    consulted.later.resolve(isQuestion && gives !== "garbage" ? "left" : VALUES[gives]);
  }

  #withdrawAll(turn: GateTurn | undefined): void {
    for (const brought of this.brought) if (brought.turn === turn) brought.withdraw("cancelled", "cancelled");
  }

  /** The client is closed: its turns end, and what is open is withdrawn. */
  async #end(): Promise<void> {
    this.#deeds.clear();
    await rest();
    this.outbox.run(() => {
      for (const turn of this.turns) turn.end("fail");
      for (const turn of this.turns) turn.end("stopped");
      for (const { withdraw } of this.brought) withdraw("disconnected", "closed");
    });
    for (const { later } of this.#consulted) later.resolve("always");
    await this.clock.advance(1_000);
    this.judge.check();
    this.judge.concluded(this.#consulted);
  }
}

const waiting = (turn: GateTurn | undefined): AskingTurn | undefined => turn;

async function rest(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}
