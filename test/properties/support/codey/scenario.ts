import fc from "fast-check";
import type { Scenario } from "../life.ts";
import type { Reader } from "../watched-turn.ts";

/** How the client is set up, and what kind of peer it meets. */
export interface CodeySetting {
  /** Whether the peer answers pings before `send` returns, as one in the same process can. */
  readonly instant: boolean;
  /** Sockets as in browsers, which cannot be cut. */
  readonly browser: boolean;
  readonly reconnect: boolean;
  readonly keepalive: boolean;
  /** Who decides on calls. */
  readonly approver: "nobody" | "callback" | "manual";
  /** Whether a rule stands before that, and what it says. */
  readonly rule: "none" | "allow" | "deny" | "ask" | "throws";
  readonly approvalTimeout: number;
  readonly idleTimeout: number;
  readonly maxBufferedBytes: number;
  readonly maxQueuedTurns: number;
  readonly random: number;
  /** Whether the first connection stands before the first step. */
  readonly warm: boolean;
  /** Whether the peer serves all that is left before the client is closed. */
  readonly recovers: boolean;
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
export type CodeyStep =
  // the user
  | {
      readonly do: "prompt";
      readonly reader: Reader;
      readonly signal: boolean;
      readonly timeout: number;
      readonly held: boolean;
    }
  | { readonly do: "cancel" | "read" | "leave" | "abort"; readonly turn: number }
  | { readonly do: "reply" | "answer"; readonly request: number; readonly given: Given }
  | { readonly do: "ask"; readonly what: "ping" | "getState" | "getHistory" }
  | { readonly do: "connect" | "close" | "abortClient" }
  | { readonly do: "when"; readonly moment: Moment; readonly deed: Deed }
  // the server
  | { readonly do: "serves" | "pong" | "answers" }
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
  | { readonly do: "garbage"; readonly kind: number }
  // the link
  | { readonly do: "opens" | "greets" | "beginsToClose" | "refusesFrame" }
  | { readonly do: "ends"; readonly socket: number; readonly code: number }
  | { readonly do: "late"; readonly socket: number }
  // time
  | { readonly do: "advance"; readonly ms: number };

export type CodeyScenario = Scenario<CodeySetting, CodeyStep>;

const one = <Value>(...values: readonly Value[]) => fc.constantFrom<Value[]>(...values);
const which = fc.oneof({ weight: 3, arbitrary: fc.nat(2) }, { weight: 1, arbitrary: fc.nat(20) });
const agent = one(0, 0, 0, 0, 0, 1);
/** Few ids, so that they repeat: in a request, in a turn and across turns. Those above 1 run in the background. */
const call = one(0, 0, 0, 1, 2, 2, 3);

type Fields<Do extends CodeyStep["do"]> = {
  [Key in Exclude<keyof (CodeyStep & { readonly do: Do }), "do">]: fc.Arbitrary<unknown>;
};

function record<Do extends CodeyStep["do"]>(
  name: Do | fc.Arbitrary<Do>,
  fields: Fields<Do>,
): fc.Arbitrary<CodeyStep> {
  const kind = typeof name === "string" ? fc.constant(name) : name;
  return fc.record({ do: kind, ...fields }) as unknown as fc.Arbitrary<CodeyStep>;
}

const plain = (...names: readonly CodeyStep["do"][]): fc.Arbitrary<CodeyStep> =>
  fc.record({ do: one(...names) }) as unknown as fc.Arbitrary<CodeyStep>;

const TIMES = [0, 1, 20, 100, 500, 1_000, 3_000, 5_000, 10_000, 20_000, 30_000];

const userStep = fc.oneof(
  {
    weight: 8,
    arbitrary: record("prompt", {
      reader: one<Reader>("loop", "loop", "text", "two", "slow", "nobody"),
      signal: fc.boolean(),
      timeout: one(0, 0, 0, 3_000, 5_000, 60_000),
      held: fc.nat(3).map((n) => n === 0),
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
    arbitrary: record("finished", { agent, tokens: fc.nat(20), usage: fc.nat(5).map((n) => n > 0) }),
  },
  { weight: 3, arbitrary: record("error", { fatal: fc.nat(9).map((n) => n === 0) }) },
  { weight: 2, arbitrary: record("garbage", { kind: fc.nat(30) }) },
);

const linkStep = fc.oneof(
  { weight: 4, arbitrary: plain("opens", "greets") },
  { weight: 1, arbitrary: plain("beginsToClose", "refusesFrame") },
  {
    weight: 3,
    arbitrary: record("ends", {
      socket: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(5)),
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
    instant: fc.nat(3).map((n) => n === 0),
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
    warm: fc.nat(4).map((n) => n > 0),
    recovers: fc.boolean(),
  });
  return fc.record({ setting, steps: fc.array(step, { maxLength: length, size: "max" }) });
}
