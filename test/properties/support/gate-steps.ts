import fc from "fast-check";

/** What a rule's `when` does; `none` is a rule without one. */
export type When = "none" | "yes" | "no" | "throws" | "promise" | "acts";

export interface RuleSetting {
  readonly tool: "a" | "b" | "any";
  readonly when: When;
  readonly word: "allow" | "deny" | "ask";
}

export interface GateSetting {
  /** `undefined`: the option is not given, which is not the same as a list without any. */
  readonly rules: readonly RuleSetting[] | undefined;
  readonly approver: "nobody" | "manual" | "callback";
  readonly answerer: "nobody" | "manual" | "callback";
  /** ms; 0 for none. */
  readonly approvalTimeout: number;
  /** Whether a turn that is stopped settles at once, or when a step says so. */
  readonly stopsAtOnce: boolean;
}

/** When somebody else's code runs within the gate's. */
export type Moment =
  | "opened"
  | "turn opened"
  | "status"
  | "toolCall"
  | "warning"
  | "callback"
  | "rule"
  | "abort"
  | "settled";

/** What it does then. */
export type Deed =
  | "approve"
  | "approve always"
  | "reject"
  | "reply garbage"
  | "reply again"
  | "withdraw"
  | "cancel"
  | "new session"
  | "ask"
  | "throw";

export type GateStep =
  | {
      readonly do: "ask";
      readonly tool: "a" | "b";
      readonly native: "x" | "y" | "x~2";
      readonly turn: number;
      readonly isHandled: boolean;
    }
  | { readonly do: "question"; readonly native: "x" | "y"; readonly turn: number }
  | {
      readonly do: "reply";
      readonly to: number;
      readonly deed: "approve" | "approve always" | "reject" | "reply garbage";
    }
  | {
      readonly do: "callback";
      readonly which: number;
      readonly gives: "approve" | "approve always" | "reject" | "garbage" | "failure";
    }
  | { readonly do: "withdraw"; readonly which: number }
  | { readonly do: "advance"; readonly ms: number }
  | { readonly do: "turn"; readonly turn: number; readonly ends: "cancel" | "stopped" | "complete" | "fail" }
  | { readonly do: "listen"; readonly turn: number }
  | { readonly do: "when"; readonly moment: Moment; readonly deed: Deed }
  | { readonly do: "newSession" | "rest" };

export interface GateLife {
  readonly setting: GateSetting;
  readonly steps: readonly GateStep[];
}

/** Turns of one life; a number behind the last stands for no turn. */
export const TURNS = 3;

const rule: fc.Arbitrary<RuleSetting> = fc.record({
  tool: fc.constantFrom("a", "b", "any"),
  when: fc.constantFrom("none", "yes", "no", "throws", "promise", "acts"),
  word: fc.constantFrom("allow", "deny", "ask"),
});

const setting: fc.Arbitrary<GateSetting> = fc.record({
  rules: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(undefined, undefined, []) },
    { weight: 1, arbitrary: fc.array(rule, { minLength: 1, maxLength: 3 }) },
  ),
  approver: fc.constantFrom("nobody", "manual", "manual", "callback", "callback", "callback"),
  answerer: fc.constantFrom("nobody", "manual", "callback"),
  approvalTimeout: fc.constantFrom(0, 10),
  stopsAtOnce: fc.boolean(),
});

const turn = fc.nat(TURNS);
const which = fc.nat(5);

const step: fc.Arbitrary<GateStep> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("ask" as const),
      tool: fc.constantFrom("a" as const, "b" as const),
      native: fc.constantFrom("x" as const, "y" as const, "x~2" as const),
      turn,
      isHandled: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("question" as const),
      native: fc.constantFrom("x" as const, "y" as const),
      turn,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("reply" as const),
      to: which,
      deed: fc.constantFrom(
        "approve" as const,
        "approve always" as const,
        "reject" as const,
        "reply garbage" as const,
      ),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("callback" as const),
      which,
      gives: fc.constantFrom(
        "approve" as const,
        "approve always" as const,
        "reject" as const,
        "garbage" as const,
        "failure" as const,
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("withdraw" as const), which }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("advance" as const), ms: fc.integer({ min: 1, max: 12 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("turn" as const),
      turn: fc.nat(TURNS - 1),
      ends: fc.constantFrom("cancel" as const, "stopped" as const, "complete" as const, "fail" as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("listen" as const), turn: fc.nat(TURNS - 1) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("when" as const),
      moment: fc.constantFrom<Moment>(
        "opened",
        "turn opened",
        "status",
        "toolCall",
        "warning",
        "callback",
        "rule",
        "abort",
        "settled",
      ),
      deed: fc.constantFrom<Deed>(
        "approve",
        "approve always",
        "reject",
        "reply garbage",
        "reply again",
        "withdraw",
        "cancel",
        "new session",
        "ask",
        "throw",
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      { do: "newSession" } as const,
      { do: "rest" } as const,
      { do: "rest" } as const,
    ),
  },
);

export const gateLives = (length: number): fc.Arbitrary<GateLife> =>
  fc.record({ setting, steps: fc.array(step, { maxLength: length }) });
