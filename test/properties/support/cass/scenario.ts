import fc from "fast-check";
import type { Scenario } from "../life.ts";
import type { Reader } from "../watched-turn.ts";

/** How the client is set up, and what kind of server it meets. */
export interface CassSetting {
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
  /** Whether it does all that it is asked before `send` returns, as one in the same process can. */
  readonly instant: boolean;
  /** Sockets as in browsers, which cannot be cut. */
  readonly browser: boolean;
  readonly reconnect: boolean;
  readonly keepalive: boolean;
  readonly idleTimeout: number;
  readonly maxBufferedBytes: number;
  readonly maxQueuedTurns: number;
  readonly random: number;
  /** Whether the first connection stands before the first step. */
  readonly warm: boolean;
  /** Whether the server serves all that is left before the client is closed. */
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
export type CassStep =
  // the user
  | {
      readonly do: "prompt";
      readonly kind: Kind;
      readonly reader: Reader;
      readonly signal: boolean;
      readonly timeout: number;
    }
  | { readonly do: "cancel" | "read" | "leave" | "abort"; readonly turn: number }
  | { readonly do: "getStatus" | "connect" | "abortClient" }
  | { readonly do: "close"; readonly drainTimeout: number }
  | { readonly do: "blob"; readonly which: number; readonly reads: boolean }
  | { readonly do: "when"; readonly moment: Moment; readonly deed: Deed }
  // the server
  | { readonly do: "serves" | "begins" | "answers" | "spoils" | "finishesBehind" }
  | { readonly do: "fails"; readonly begins: boolean }
  | { readonly do: "greets"; readonly how: (typeof GREETINGS)[number] }
  | { readonly do: "answersAuth"; readonly how: (typeof AUTH_ANSWERS)[number] }
  | { readonly do: "noise"; readonly what: (typeof NOISES)[number]; readonly n: number }
  // the link
  | { readonly do: "opens" | "beginsToClose" | "refusesFrame" }
  | { readonly do: "ends"; readonly socket: number; readonly code: number }
  | { readonly do: "late"; readonly socket: number }
  // time
  | { readonly do: "advance"; readonly ms: number };

export type CassScenario = Scenario<CassSetting, CassStep>;

const one = <Value>(...values: readonly Value[]) => fc.constantFrom<Value[]>(...values);
const which = fc.oneof({ weight: 3, arbitrary: fc.nat(2) }, { weight: 1, arbitrary: fc.nat(20) });
/** True once in `n` times. */
const rarely = (n: number) => fc.nat(n - 1).map((drawn) => drawn === 0);

type Fields<Do extends CassStep["do"]> = {
  [Key in Exclude<keyof (CassStep & { readonly do: Do }), "do">]: fc.Arbitrary<unknown>;
};

function record<Do extends CassStep["do"]>(
  name: Do | fc.Arbitrary<Do>,
  fields: Fields<Do>,
): fc.Arbitrary<CassStep> {
  const kind = typeof name === "string" ? fc.constant(name) : name;
  return fc.record({ do: kind, ...fields }) as unknown as fc.Arbitrary<CassStep>;
}

const plain = (...names: readonly CassStep["do"][]): fc.Arbitrary<CassStep> =>
  fc.record({ do: one(...names) }) as unknown as fc.Arbitrary<CassStep>;

const TIMES = [0, 1, 100, 500, 999, 1_000, 3_000, 5_000, 10_000, 30_000, 60_000];

const userStep = fc.oneof(
  {
    weight: 9,
    arbitrary: record("prompt", {
      kind: one<Kind>("chat", "chat", "chat", "same", "same", "held", "image", "intro", "demo"),
      reader: one<Reader>("loop", "loop", "text", "two", "slow", "nobody"),
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
      socket: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(5)),
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
