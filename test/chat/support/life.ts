import { type MockAgentStep, agentStep as step } from "agentwire/testing";
import fc from "fast-check";
import type { MockLoss } from "../../../src/testing/agent/script.ts";

/** What the user, the network or the app does next. */
export type Act =
  | { readonly do: "send"; readonly text: string }
  | { readonly do: "cancel"; readonly what: "turn" | "all" }
  | { readonly do: "retry"; readonly at: number }
  | { readonly do: "decide"; readonly which: Which; readonly decision: "once" | "always" | "reject" }
  | { readonly do: "answer"; readonly which: Which; readonly answer: string | null }
  | { readonly do: "resume"; readonly how: "without-context" | "with-transcript" }
  | { readonly do: "connect" | "dismiss" | "close" | "restore" | "reload" | "settle" | "open gate" }
  | { readonly do: "pass"; readonly ms: number }
  | { readonly do: "lose"; readonly loss: MockLoss }
  | { readonly do: "refuse"; readonly connections: boolean }
  | { readonly do: "store"; readonly is: "slow" | "broken" | "well" };

/** An entry of `pending`, an id that was pending before, or one that never was. */
export type Which = "first" | "last" | "old" | "unknown";

/** One answer of the agent. */
export type Answer = readonly MockAgentStep[];

export interface Life {
  readonly answers: readonly Answer[];
  readonly acts: readonly Act[];
  readonly survivesReconnect: boolean;
  readonly reconnects: boolean;
  /** Whether a client has one conversation alone, which never goes on from an earlier one. */
  readonly hasOneConversation: boolean;
  /** ms */
  readonly connectDelay: number;
  readonly pace: number;
  readonly cancelDelay: number;
  readonly approvalTimeout: number;
  readonly whenBusy: "queue" | "refuse";
  readonly hasStore: boolean;
}

const loss: fc.Arbitrary<MockLoss> = fc.record(
  { back: fc.boolean(), recovers: fc.boolean(), forgets: fc.boolean(), forGood: fc.boolean() },
  { requiredKeys: [] },
);

const simpleStep: fc.Arbitrary<MockAgentStep> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom("Some words to show. ", "é🙂\u202e", "").map((text) => step.text(text)),
  },
  fc.constant(step.reasoning("hm, let me see")),
  fc.record({ approval: fc.boolean(), fails: fc.boolean() }).map(({ approval, fails }) =>
    step.tool({
      name: "write_file",
      id: "shell", // Codey's ids repeat
      input: { path: "a.txt" },
      approval,
      streams: ["some ", "output"],
      ...(fails ? { error: "no" } : {}),
    }),
  ),
  fc.constant(step.question({ questions: [{ question: "Which?", options: ["A", "B"] }] })),
  fc.constant(step.status("thinking")),
  fc.constant(step.error("a hiccup")),
  fc.constant(step.file("a.txt", { diff: "+x" })),
  fc.constant(step.data({ odd: true })),
  fc.constant(step.usage({ inputTokens: 3, outputTokens: 5 })),
  fc.constant(step.cost(2)),
);

const agentSteps: fc.Arbitrary<MockAgentStep> = fc.oneof(
  { weight: 8, arbitrary: simpleStep },
  fc
    .array(simpleStep, { maxLength: 3 })
    .map((steps) => step.subagent({ type: "file-picker", name: "Fletcher", steps })),
  fc.constant(step.fail("it broke")),
  fc.constant(step.hang()),
  fc.constant(step.delay(100)),
  fc.constant(step.wait("gate")),
  loss.map((how) => step.lose(how)),
);

const which = fc.constantFrom<Which>("first", "last", "old", "unknown");

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("send" as const), text: fc.constantFrom("Hello", "Go on", " ") }),
  },
  { weight: 6, arbitrary: fc.constant({ do: "settle" as const }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.constantFrom(1, 50, 6_000) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("cancel" as const), what: fc.constantFrom("turn", "all") }),
  },
  fc.record({ do: fc.constant("retry" as const), at: fc.nat(9) }),
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("decide" as const),
      which,
      decision: fc.constantFrom("once", "always", "reject"),
    }),
  },
  fc.record({ do: fc.constant("answer" as const), which, answer: fc.constantFrom("A", "other", null) }),
  fc.record({
    do: fc.constant("resume" as const),
    how: fc.constantFrom("without-context", "with-transcript"),
  }),
  fc.record({ do: fc.constant("lose" as const), loss }),
  fc.record({ do: fc.constant("refuse" as const), connections: fc.boolean() }),
  fc.record({ do: fc.constant("store" as const), is: fc.constantFrom("slow", "broken", "well") }),
  fc.record({ do: fc.constantFrom("connect", "dismiss", "restore", "reload", "close", "open gate") }),
);

export const lives: fc.Arbitrary<Life> = fc.record({
  answers: fc.array(fc.array(agentSteps, { maxLength: 6 }), { minLength: 1, maxLength: 4 }),
  acts: fc
    .tuple(fc.array(act, { maxLength: 25 }), fc.boolean())
    .map(([acts, isCutShort]) => (isCutShort ? acts : [...acts, { do: "settle" as const }])),
  survivesReconnect: fc.boolean(),
  reconnects: fc.boolean(),
  hasOneConversation: fc.boolean(),
  connectDelay: fc.constantFrom(0, 0, 30),
  pace: fc.constantFrom(0, 0, 7),
  cancelDelay: fc.constantFrom(0, 100),
  approvalTimeout: fc.constantFrom(0, 0, 1_000),
  whenBusy: fc.constantFrom("queue", "queue", "refuse"),
  hasStore: fc.boolean(),
});
