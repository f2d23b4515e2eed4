import fc from "fast-check";
import type { Scenario } from "../life.ts";
import {
  one,
  rarely,
  type SessionSetting,
  type SessionStep,
  sessionReader,
  stepsOf,
  which,
  whichSocket,
} from "../steps.ts";
import type { Reader } from "../watched-turn.ts";

/** How the client is set up, and what kind of peer it meets. */
export interface CodeySetting extends SessionSetting {
  /** Who decides on calls. */
  readonly approver: "nobody" | "callback" | "manual";
  /** Whether a rule stands before that, and what it says. */
  readonly rule: "none" | "allow" | "deny" | "ask" | "throws";
  readonly approvalTimeout: number;
}

/** When the user's own code runs inside of the client's. */
export const MOMENTS = [
  "status",
  "reconnecting",
  "reconnected",
  "disconnected",
  "event",
  "frame",
  "message",
  "protocolWarning",
  "sessionStarted",
  "late",
  "stray",
  "serverError",
  "unknownMessage",
] as const;

/** The same, where it is not an event of the client. */
export const OTHER_MOMENTS = [
  "turn status",
  "turn event",
  "turn toolCall",
  "turn approval",
  "rule",
  "callback",
  "abort",
] as const;

export type Moment = (typeof MOMENTS)[number] | (typeof OTHER_MOMENTS)[number];

export const DEEDS = [
  "prompt",
  "say",
  "cancel first",
  "cancel last",
  "approve",
  "deny",
  "answer",
  "ping",
  "connect",
  "close",
  "cut",
  "throw",
] as const;
export type Deed = (typeof DEEDS)[number];

export const DECISIONS = ["approve", "deny", "always", "nonsense", "throw"] as const;
export type Given = (typeof DECISIONS)[number];

/** What of a call the server tells. */
export const CALL_MESSAGES = ["asks", "started", "delta", "completed", "toolError", "unreadable"] as const;

/** One thing that happens. Numbers pick from what there is at that time. */
export type OwnCodeyStep =
  // the user
  | {
      readonly do: "prompt";
      readonly reader: Reader;
      readonly signal: boolean;
      readonly timeout: number;
      readonly held: boolean;
    }
  | { readonly do: "reply" | "answer"; readonly request: number; readonly given: Given }
  | { readonly do: "ask"; readonly what: "ping" | "getState" | "getHistory" }
  | { readonly do: "close" }
  // the server
  | { readonly do: "serves" | "pong" | "answers" | "greets" }
  | { readonly do: "text" | "thinking"; readonly agent: number }
  | { readonly do: "request"; readonly agent: number; readonly calls: readonly number[] }
  | {
      readonly do: "call";
      readonly agent: number;
      readonly call: number;
      readonly message: (typeof CALL_MESSAGES)[number];
    }
  | { readonly do: "retrying"; readonly attempt: number; readonly times: number }
  | { readonly do: "finished"; readonly agent: number; readonly tokens: number; readonly usage: boolean }
  | { readonly do: "error"; readonly fatal: boolean }
  | { readonly do: "garbage"; readonly kind: number };

export type CodeyStep = OwnCodeyStep | SessionStep<Moment, Deed>;

export type CodeyScenario = Scenario<CodeySetting, CodeyStep>;

const agent = one(0, 0, 0, 0, 0, 1);
/** Few ids, so that they repeat: in a request, in a turn and across turns. Those above 1 run in the background. */
const call = one(0, 0, 0, 1, 2, 2, 3);

const { record, plain } = stepsOf<CodeyStep>();

const TIMES = [0, 1, 20, 100, 500, 1_000, 3_000, 5_000, 10_000, 20_000, 30_000];

const userStep = fc.oneof(
  {
    weight: 8,
    arbitrary: record("prompt", {
      reader: sessionReader,
      signal: fc.boolean(),
      timeout: one(0, 0, 0, 3_000, 5_000, 60_000),
      held: rarely(4),
    }),
  },
  {
    weight: 6,
    arbitrary: record(one("cancel", "cancel", "cancel", "read", "leave", "abort"), { turn: which }),
  },
  {
    weight: 7,
    arbitrary: record(one("reply", "answer"), {
      request: which,
      given: one<Given>("approve", "approve", "approve", "deny", "deny", "always", "nonsense", "throw"),
    }),
  },
  { weight: 3, arbitrary: record("ask", { what: one("ping", "getState", "getHistory") }) },
  { weight: 1, arbitrary: plain("connect") },
  {
    weight: 6,
    arbitrary: record("when", {
      moment: one<Moment>(...MOMENTS, ...OTHER_MOMENTS, ...OTHER_MOMENTS, "frame", "event"),
      deed: one<Deed>(...DEEDS, "prompt", "prompt", "cancel first", "cancel first"),
    }),
  },
);

const serverStep = fc.oneof(
  { weight: 8, arbitrary: plain("serves", "serves", "pong", "answers") },
  { weight: 8, arbitrary: record(one("text", "text", "thinking"), { agent }) },
  { weight: 6, arbitrary: record("request", { agent, calls: fc.array(call, { maxLength: 3 }) }) },
  {
    weight: 16,
    arbitrary: record("call", {
      agent,
      call,
      message: one("asks", "asks", "asks", ...CALL_MESSAGES),
    }),
  },
  { weight: 2, arbitrary: record("retrying", { attempt: fc.nat(3), times: one(1, 2, 5) }) },
  {
    weight: 6,
    arbitrary: record("finished", { agent, tokens: fc.nat(20), usage: rarely(6).map((never) => !never) }),
  },
  { weight: 3, arbitrary: record("error", { fatal: rarely(10) }) },
  { weight: 2, arbitrary: record("garbage", { kind: fc.nat(30) }) },
);

const linkStep = fc.oneof(
  { weight: 4, arbitrary: plain("opens", "greets") },
  { weight: 1, arbitrary: plain("beginsToClose", "refusesFrame") },
  {
    weight: 3,
    arbitrary: record("ends", {
      socket: whichSocket,
      code: one(1000, 1001, 1005, 1006, 1009, 1011),
    }),
  },
  { weight: 1, arbitrary: record("late", { socket: fc.nat(5) }) },
);

const step: fc.Arbitrary<CodeyStep> = fc.oneof(
  { weight: 32, arbitrary: userStep },
  { weight: 48, arbitrary: serverStep },
  { weight: 7, arbitrary: linkStep },
  { weight: 10, arbitrary: record("advance", { ms: one(...TIMES) }) },
  { weight: 1, arbitrary: plain("close", "abortClient") },
);

/** Any life of a client whose calls are decided by `approver`, up to `length` things long. */
export function codeyScenarios(
  approver: CodeySetting["approver"],
  length: number,
): fc.Arbitrary<CodeyScenario> {
  const setting: fc.Arbitrary<CodeySetting> = fc.record({
    instant: rarely(4),
    browser: fc.boolean(),
    reconnect: fc.boolean(),
    keepalive: fc.boolean(),
    approver: fc.constant(approver),
    rule: one<CodeySetting["rule"]>("none", "none", "none", "allow", "deny", "ask", "throws"),
    approvalTimeout: one(0, 500),
    idleTimeout: one(0, 0, 1_000),
    maxBufferedBytes: one(300, 65_536),
    maxQueuedTurns: one(3, 100),
    random: one(0, 0.5, 0.999),
    warm: rarely(5).map((never) => !never),
    recovers: fc.boolean(),
  });
  return fc.record({ setting, steps: fc.array(step, { maxLength: length, size: "max" }) });
}
