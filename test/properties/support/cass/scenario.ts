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

/** How the client is set up, and what kind of server it meets. */
export interface CassSetting extends SessionSetting {
  readonly auth: "query" | "message";
  /** `flaky` works, rejects, never answers, throws and gives nonsense, in turns. */
  readonly token: "text" | "function" | "flaky" | "refresh" | "opaque" | "none";
  /** With a token, too. */
  readonly allowAnonymous: boolean;
  readonly requireConnected: boolean;
  readonly maxTurnsInFlight: number;
  readonly cancel: "wait" | "reconnect";
  readonly recover: boolean;
  /** Whether REST answers. */
  readonly rest: "good" | "down" | "silent";
  /** Whether the server says something of each turn before its response. */
  readonly announces: boolean;
  /** Whether it knows `ping` and `status`. */
  readonly answersAsked: boolean;
  /** Whether it reads while it works on a turn; otherwise it ends a connection with an unread frame, 20 s later, with 1011. */
  readonly reads: boolean;
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
  "authenticated",
  "title",
  "system",
  "audio",
  "recovering",
  "serverError",
  "stray",
  "unknownMessage",
] as const;

/** The same, where it is not an event of the client. */
export const OTHER_MOMENTS = ["turn status", "turn event", "token", "fetch", "blob"] as const;

export type Moment = (typeof MOMENTS)[number] | (typeof OTHER_MOMENTS)[number];

export const DEEDS = [
  "prompt",
  "say",
  "cancel first",
  "cancel last",
  "status",
  "connect",
  "close",
  "cut",
  "throw",
] as const;
export type Deed = (typeof DEEDS)[number];

/** `same` says what others say too, `held` belongs to a conversation, `image` has one that is still to be read. */
export const KINDS = ["chat", "same", "held", "image", "intro", "demo"] as const;
export type Kind = (typeof KINDS)[number];

export const GREETINGS = ["good", "nobody", "other", "initializing", "error", "auth_error"] as const;
export const AUTH_ANSWERS = ["good", "other", "auth_error", "error", "initializing", "unreadable"] as const;

/** What a server says besides answers; none of it may become anybody's. */
export const NOISES = [
  "unsolicited",
  "repeated",
  "unreadable",
  "thinking",
  "error",
  "pong",
  "status",
  "audio",
  "title",
  "system",
  "connected",
  "auth",
  "garbage",
] as const;

/** One thing that happens. Numbers pick from what there is at that time. */
export type OwnCassStep =
  // the user
  | {
      readonly do: "prompt";
      readonly kind: Kind;
      readonly reader: Reader;
      readonly signal: boolean;
      readonly timeout: number;
    }
  | { readonly do: "getStatus" }
  | { readonly do: "close"; readonly drainTimeout: number }
  | { readonly do: "blob"; readonly which: number; readonly reads: boolean }
  // the server
  | { readonly do: "serves" | "begins" | "answers" | "spoils" | "finishesBehind" }
  | { readonly do: "fails"; readonly begins: boolean }
  | { readonly do: "greets"; readonly how: (typeof GREETINGS)[number] }
  | { readonly do: "answersAuth"; readonly how: (typeof AUTH_ANSWERS)[number] }
  | { readonly do: "noise"; readonly what: (typeof NOISES)[number]; readonly n: number };

export type CassStep = OwnCassStep | SessionStep<Moment, Deed>;

export type CassScenario = Scenario<CassSetting, CassStep>;

const { record, plain } = stepsOf<CassStep>();

const TIMES = [0, 1, 100, 500, 999, 1_000, 3_000, 5_000, 10_000, 30_000, 60_000];

const userStep = fc.oneof(
  {
    weight: 9,
    arbitrary: record("prompt", {
      kind: one<Kind>("chat", "chat", "chat", "same", "same", "held", "image", "intro", "demo"),
      reader: sessionReader,
      signal: fc.boolean(),
      timeout: one(0, 0, 0, 3_000, 60_000),
    }),
  },
  {
    weight: 5,
    arbitrary: record(one("cancel", "cancel", "cancel", "read", "leave", "abort"), { turn: which }),
  },
  { weight: 2, arbitrary: plain("getStatus", "connect") },
  { weight: 2, arbitrary: record("blob", { which, reads: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: record("when", {
      moment: one<Moment>(...MOMENTS, ...OTHER_MOMENTS, ...OTHER_MOMENTS, "frame", "event"),
      deed: one<Deed>(...DEEDS, "prompt", "prompt", "cancel first", "cancel first"),
    }),
  },
);

const serverStep = fc.oneof(
  { weight: 10, arbitrary: plain("serves") },
  { weight: 14, arbitrary: plain("begins", "answers", "answers") },
  { weight: 1, arbitrary: plain("spoils", "finishesBehind") },
  { weight: 2, arbitrary: record("fails", { begins: fc.boolean() }) },
  { weight: 3, arbitrary: record("greets", { how: one("good", "good", "good", "good", ...GREETINGS) }) },
  {
    weight: 3,
    arbitrary: record("answersAuth", { how: one("good", "good", "good", ...AUTH_ANSWERS) }),
  },
  { weight: 9, arbitrary: record("noise", { what: one(...NOISES), n: fc.nat(40) }) },
);

const linkStep = fc.oneof(
  { weight: 5, arbitrary: plain("opens") },
  { weight: 1, arbitrary: plain("beginsToClose", "refusesFrame") },
  {
    weight: 4,
    arbitrary: record("ends", {
      socket: whichSocket,
      code: one(1000, 1001, 1005, 1006, 1009, 1011, 1012),
    }),
  },
  { weight: 1, arbitrary: record("late", { socket: fc.nat(5) }) },
);

const step: fc.Arbitrary<CassStep> = fc.oneof(
  { weight: 32, arbitrary: userStep },
  { weight: 44, arbitrary: serverStep },
  { weight: 9, arbitrary: linkStep },
  { weight: 10, arbitrary: record("advance", { ms: one(...TIMES) }) },
  {
    weight: 1,
    arbitrary: fc.oneof(record("close", { drainTimeout: one(0, 0, 5_000) }), plain("abortClient")),
  },
);

/** Any life of a client that gets its token to the server by `auth`, up to `length` things long. */
export function cassScenarios(auth: CassSetting["auth"], length: number): fc.Arbitrary<CassScenario> {
  const setting: fc.Arbitrary<CassSetting> = fc.record({
    auth: fc.constant(auth),
    token: one<CassSetting["token"]>("text", "text", "function", "flaky", "refresh", "opaque", "none"),
    allowAnonymous: rarely(4),
    requireConnected: rarely(5).map((never) => !never),
    maxTurnsInFlight: one(1, 1, 2, 100),
    cancel: one<CassSetting["cancel"]>("wait", "wait", "reconnect"),
    recover: fc.boolean(),
    rest: one<CassSetting["rest"]>("good", "good", "down", "silent"),
    announces: rarely(4).map((never) => !never),
    answersAsked: fc.boolean(),
    reads: fc.boolean(),
    instant: rarely(6),
    browser: fc.boolean(),
    reconnect: rarely(5).map((never) => !never),
    keepalive: fc.boolean(),
    idleTimeout: one(0, 60_000, 120_000),
    maxBufferedBytes: one(300, 65_536),
    maxQueuedTurns: one(3, 100),
    random: one(0, 0.5, 0.999),
    warm: rarely(5).map((never) => !never),
    recovers: fc.boolean(),
  });
  return fc.record({ setting, steps: fc.array(step, { maxLength: length, size: "max" }) });
}
