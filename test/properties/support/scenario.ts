import fc from "fast-check";
import type { Scenario as AnyScenario } from "./life.ts";
import { one, stepsOf, which, whichSocket } from "./steps.ts";
import type { Reader } from "./watched-turn.ts";

/** How the client is set up, and what kind of peer it meets. */
export interface Setting {
  readonly profile: "auto" | "proxy" | "codebuff";
  /** How the peer answers `identify` when it does what it should. */
  readonly peer: "proxy" | "codebuff";
  /** Whether the peer acks, or answers in full, before `send` returns, as one in the same process can. */
  readonly instant: "no" | "acks" | "answers";
  /** Sockets as in browsers, which cannot be cut. */
  readonly browser: boolean;
  readonly token: "none" | "text" | "asked" | "flaky";
  /** `maxConcurrentPrompts`; `undefined` leaves it to the server that is met. */
  readonly atOnce: number | undefined;
  readonly settleWindow: number;
  readonly reconnect: "usual" | "never" | "twice";
  readonly keepalive: boolean;
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
  "late",
  "orphan",
  "actionError",
  "initResponse",
  "usage",
  "reconnectRequested",
  "turn status",
  "turn event",
] as const;
export type Moment = (typeof MOMENTS)[number];

export type Deed =
  | "prompt"
  | "cancel first"
  | "cancel last"
  | "close"
  | "force close"
  | "connect"
  | "subscribe"
  | "init"
  | "throw";

/** What an id in a frame names: the prompt, a sub-agent of it, or nothing that the client knows. */
export type Naming = "exact" | "sub" | "unknown";

/** One thing that happens. Numbers pick from what there is at that time. */
export type Step =
  // the user
  | {
      readonly do: "prompt";
      readonly reader: Reader;
      readonly signal: boolean;
      readonly timeout: number;
      readonly nested: boolean;
    }
  | {
      readonly do: "say";
      readonly conversation: number;
      readonly reader: Reader;
      readonly signal: boolean;
    }
  | { readonly do: "init" | "giveUpWaiting" | "abortClient" | "handlersAnswer" }
  | { readonly do: "subscribe" | "unsubscribe"; readonly topics: readonly string[] }
  | { readonly do: "cancel" | "read" | "leave" | "abort"; readonly turn: number }
  | { readonly do: "connect"; readonly signal: boolean }
  | { readonly do: "close"; readonly force: boolean; readonly drainTimeout: number }
  | { readonly do: "when"; readonly moment: Moment; readonly deed: Deed }
  // the server
  | { readonly do: "goesWell" | "reconnectRequest" | "initResponse" | "repeatRequest" }
  | {
      readonly do: "ack";
      readonly frame: number;
      readonly form: "yes" | "no" | "unknown" | "again" | "anonymous yes" | "anonymous no";
      readonly error: number;
    }
  | {
      readonly do: "chunk";
      readonly turn: number;
      readonly naming: Naming;
      readonly form: "text" | "sse" | "sse error" | "repr" | "event";
    }
  | {
      readonly do: "end";
      readonly turn: number;
      readonly naming: Naming;
      readonly form: "response" | "output error" | "error";
    }
  | {
      readonly do: "tell";
      readonly turn: number;
      readonly naming: Naming;
      readonly form: "subagent" | "cost" | "log" | "usage";
    }
  | {
      readonly do: "ask";
      readonly turn: number;
      readonly naming: Naming | "nobody";
      readonly form: "tool" | "other tool" | "read-files" | "read-files-request" | "mcp" | "invalid";
      readonly handler: "quick" | "slow" | "throws" | "wrong" | "cancels" | "absent";
      readonly timeout: number | null;
    }
  | { readonly do: "actionError" }
  | { readonly do: "garbage" | "binary"; readonly kind: number }
  // the link
  | { readonly do: "opens" | "beginsToClose" | "refusesFrame" }
  | { readonly do: "ends"; readonly socket: number; readonly code: number; readonly error: boolean }
  | { readonly do: "nextDial"; readonly how: "throws" | "forbidden" | "open" | "dead" }
  | { readonly do: "late"; readonly socket: number }
  // time
  | { readonly do: "advance"; readonly ms: number };

export type Scenario = AnyScenario<Setting, Step>;

const often = fc.constantFrom;
const reader = one<Reader>("loop", "loop", "text", "two", "slow", "slow", "nobody");
const naming = one<Naming>("exact", "exact", "exact", "exact", "sub", "unknown");
const topics = fc.subarray(["a", "b", "c"], { minLength: 1 });
const rarely = fc.nat(9).map((n) => n === 0);

const { record, plain } = stepsOf<Step>();

const TIMES = [0, 1, 10, 50, 250, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 25_000, 30_000, 45_000, 130_000];

const userStep = fc.oneof(
  {
    weight: 8,
    arbitrary: record("prompt", {
      reader,
      signal: fc.boolean(),
      timeout: often(0, 0, 0, 3_000, 60_000),
      nested: rarely,
    }),
  },
  { weight: 4, arbitrary: record("say", { conversation: fc.nat(1), reader, signal: fc.boolean() }) },
  { weight: 2, arbitrary: plain("init") },
  { weight: 1, arbitrary: plain("giveUpWaiting", "handlersAnswer") },
  { weight: 2, arbitrary: record("subscribe", { topics }) },
  { weight: 1, arbitrary: record("unsubscribe", { topics }) },
  { weight: 3, arbitrary: record("cancel", { turn: which }) },
  { weight: 3, arbitrary: record("read", { turn: which }) },
  { weight: 1, arbitrary: record("leave", { turn: which }) },
  { weight: 1, arbitrary: record("abort", { turn: which }) },
  { weight: 1, arbitrary: record("connect", { signal: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: record("when", {
      moment: one(...MOMENTS, "event", "turn event", "turn status", "status", "frame"),
      deed: one<Deed>(
        "prompt",
        "prompt",
        "cancel first",
        "cancel last",
        "connect",
        "subscribe",
        "init",
        "throw",
        "throw",
        "close",
        "force close",
      ),
    }),
  },
);

const serverStep = fc.oneof(
  { weight: 8, arbitrary: plain("goesWell") },
  { weight: 1, arbitrary: plain("reconnectRequest", "actionError") },
  { weight: 1, arbitrary: plain("repeatRequest") },
  { weight: 2, arbitrary: plain("initResponse") },
  {
    weight: 5,
    arbitrary: record("ack", {
      frame: which,
      form: one("yes", "yes", "yes", "no", "unknown", "again", "anonymous yes", "anonymous no"),
      error: fc.nat(20),
    }),
  },
  {
    weight: 12,
    arbitrary: record("chunk", {
      turn: which,
      naming,
      form: one("text", "text", "text", "sse", "sse error", "repr", "event"),
    }),
  },
  {
    weight: 8,
    arbitrary: record("end", {
      turn: which,
      naming,
      form: one("response", "response", "output error", "error"),
    }),
  },
  {
    weight: 2,
    arbitrary: record("tell", { turn: which, naming, form: one("subagent", "cost", "log", "usage") }),
  },
  {
    weight: 6,
    arbitrary: record("ask", {
      turn: which,
      naming: fc.oneof(naming, fc.constant("nobody")),
      form: one("tool", "tool", "other tool", "read-files", "read-files-request", "mcp", "invalid"),
      handler: one("quick", "slow", "slow", "throws", "wrong", "cancels", "absent"),
      timeout: often(null, null, 1_000, -1),
    }),
  },
  { weight: 2, arbitrary: record("garbage", { kind: fc.nat(30) }) },
  { weight: 1, arbitrary: record("binary", { kind: fc.nat(4) }) },
);

const linkStep = fc.oneof(
  { weight: 4, arbitrary: plain("opens") },
  { weight: 1, arbitrary: plain("beginsToClose", "refusesFrame") },
  {
    weight: 4,
    arbitrary: record("ends", {
      socket: whichSocket,
      code: often(1000, 1001, 1005, 1006, 1006, 1008, 1009, 1011, 1012, 4000),
      error: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: record("nextDial", { how: one("throws", "forbidden", "open", "dead") }) },
  { weight: 1, arbitrary: record("late", { socket: fc.nat(5) }) },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 30, arbitrary: userStep },
  { weight: 45, arbitrary: serverStep },
  { weight: 10, arbitrary: linkStep },
  { weight: 15, arbitrary: record("advance", { ms: fc.oneof(often(...TIMES), fc.nat(200_000)) }) },
  {
    weight: 1,
    arbitrary: fc.oneof(
      record("close", { force: fc.boolean(), drainTimeout: often(0, 1_000, 10_000) }),
      plain("abortClient"),
    ),
  },
);

/** Any life of a client with one of the profiles, up to `length` things long. */
export function scenarios(profile: Setting["profile"], length: number): fc.Arbitrary<Scenario> {
  const setting: fc.Arbitrary<Setting> = fc.record({
    profile: fc.constant(profile),
    peer: one<Setting["peer"]>("proxy", "codebuff"),
    instant: one<Setting["instant"]>("no", "no", "no", "acks", "answers"),
    browser: fc.boolean(),
    token: one<Setting["token"]>("none", "text", "text", "asked", "flaky"),
    atOnce: often(undefined, undefined, 1, 2, 1_000),
    settleWindow: often(0, 50),
    reconnect: one<Setting["reconnect"]>("usual", "usual", "usual", "never", "twice"),
    keepalive: fc.boolean(),
    maxBufferedBytes: often(300, 65_536),
    maxQueuedTurns: often(3, 100),
    random: often(0, 0.5, 0.999),
    warm: fc.boolean(),
    recovers: fc.boolean(),
  });
  return fc.record({ setting, steps: fc.array(step, { maxLength: length, size: "max" }) });
}
