import type { CodebuffCliOptions } from "agentwire/codebuff-cli";
import type { FakeCodebuffScenario } from "agentwire/testing";
import fc from "fast-check";

/** When the user begins to do something. */
export type Moment = "at once" | "started" | "first event" | "finish" | "end";

/** What the user does about a turn, or about all of them. */
export type Deed =
  | "nothing"
  | "cancel"
  | "cancel twice"
  | "abort"
  | "close"
  | "close by force"
  | "abort the client";

/** Who reads: nobody, who takes all, who stops behind two events and stays, who leaves behind two. */
export type Reader = "nobody" | "all" | "slow" | "leaves" | "text";

/** What one life of a client, its programs and its user is made of. */
export interface Life {
  readonly scenario: FakeCodebuffScenario;
  readonly options: CodebuffCliOptions;
  readonly turns: readonly { readonly reader: Reader; readonly timeout: number | undefined }[];
  /** Comes before the first of the deeds, if it comes at all: see `isSure`. */
  readonly moment: Moment;
  readonly deeds: readonly { readonly do: Deed; readonly turn: number; readonly at: "once" | "next" }[];
  /** ms that pass behind the deeds. */
  readonly passes: number;
  /** Whether time passes without looking what the programs do about their signals. */
  readonly hurried: boolean;
}

/** Once in so many lives. */
const rarely = <Value>(arbitrary: fc.Arbitrary<Value>, every = 6): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: every - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

/** Without the fields that are not there. */
function defined<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

const SCRIPTS: readonly FakeCodebuffScenario["events"][] = [
  undefined,
  [],
  ["a", "b", { type: "text", text: "ab" }, { hold: "never" }],
  [{ type: "tool_call", toolCallId: "t", toolName: "a", input: {} }, { raw: "no event\n" }, "c"],
];

const scenario = fc
  .record({
    events: fc.constantFrom(...SCRIPTS),
    flood: rarely(fc.constantFrom(5, 3_000, "endless"), 2),
    stallAfter: rarely(fc.constantFrom(0, 1, 3)),
    startDelayMs: rarely(fc.constantFrom(5, 1_000_000), 8),
    askUser: rarely(fc.constantFrom(true, { result: null })),
    subagents: rarely(fc.constant(2)),
    junk: rarely(fc.constant(3)),
    chunkBytes: rarely(fc.constantFrom(7, 1_000)),
    noFinish: rarely(fc.constant(true)),
    eventsAfterFinish: rarely(fc.constant(true)),
    stderrFlood: rarely(fc.constant(200_000)),
    failWith: rarely(fc.constantFrom("401", "no-key", "500")),
    exit: rarely(fc.constantFrom({ never: true }, { code: 3 }, { signal: "SIGSEGV" }, { afterMs: 10 }), 3),
    exitBeforeFlush: rarely(fc.constant(true), 10),
    closeStdout: rarely(fc.constant(true), 10),
    holdPipes: rarely(fc.constant(1_000_000), 4),
    ignoreSigterm: rarely(fc.constant(true), 2),
    slowSigterm: rarely(fc.constantFrom(1, 20)),
    grandchild: rarely(fc.constant(true)),
  })
  .map((switches): FakeCodebuffScenario => defined(switches) as FakeCodebuffScenario);

const options = fc
  .record({
    maxQueuedEvents: rarely(fc.constantFrom(1, 10), 2),
    maxProcesses: fc.constantFrom(1, 2),
    killGrace: rarely(fc.constantFrom(0, 50)),
    exitGrace: rarely(fc.constantFrom(0, 50)),
    isolateHome: rarely(fc.constant(true)),
  })
  .map((given): CodebuffCliOptions => defined(given) as CodebuffCliOptions);

/** Which program it is, and which the client takes it for: mostly the same. */
const programs = fc.oneof(
  { weight: 6, arbitrary: fc.constant(["note", "stream-json"] as const) },
  { weight: 1, arbitrary: fc.constant(["print", "print"] as const) },
  { weight: 1, arbitrary: fc.constant(["fork", "json"] as const) },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constantFrom("note", "fork", "print", "tui"),
      fc.constantFrom("stream-json", "json", "print", "text"),
    ),
  },
);

export const lives: fc.Arbitrary<Life> = fc
  .record({
    scenario,
    options,
    turns: fc.array(
      fc.record({
        reader: fc.constantFrom("nobody", "all", "slow", "leaves", "text"),
        timeout: rarely(fc.constantFrom(1, 5_000)),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    moment: fc.constantFrom(
      "at once",
      "started",
      "first event",
      "first event",
      "first event",
      "finish",
      "end",
    ),
    deeds: fc.array(
      fc.record({
        at: fc.constantFrom("once", "next"),
        do: fc.constantFrom(
          "nothing",
          "cancel",
          "cancel twice",
          "abort",
          "close",
          "close by force",
          "abort the client",
        ),
        turn: fc.nat(2),
      }),
      { maxLength: 3 },
    ),
    passes: fc.constantFrom(0, 0, 5_000, 60_000, 600_000),
    hurried: fc.boolean(),
  })
  .chain((life) => programs.map(([theirs, ours]) => playedBy(life, theirs, ours)));

function playedBy(
  life: Life,
  theirs: NonNullable<FakeCodebuffScenario["profile"]>,
  ours: NonNullable<CodebuffCliOptions["profile"]>,
): Life {
  const { flood } = life.scenario;
  // What is all printed at the end cannot be without end: it would fill the memory of the fake.
  const isCollected = flood === "endless" && (ours === "json" || ours === "text");
  return {
    ...life,
    scenario: { ...life.scenario, profile: theirs, ...(isCollected ? { flood: 3_000 } : {}) },
    options: { ...life.options, profile: ours },
  };
}

/** Whether the first turn comes to its moment without time that passes, whatever else is drawn. */
export function isSure({ scenario, options, turns, moment }: Life): boolean {
  if (moment === "at once" || moment === "started") return true;
  const {
    profile,
    events,
    flood,
    stallAfter,
    startDelayMs = 0,
    failWith,
    noFinish,
    exitBeforeFlush,
  } = scenario;
  const isUnderstood =
    (profile === "note" && options.profile === "stream-json") ||
    (profile === "print" && options.profile === "print");
  const isSaid =
    startDelayMs < 1_000 && failWith === undefined && exitBeforeFlush !== true && stallAfter !== 0;
  if (!isUnderstood || !isSaid) return false;
  if (moment === "first event") return !Array.isArray(events) || events.length > 0;
  const isRead = turns[0]?.reader !== "slow" && turns[0]?.reader !== "leaves";
  const isWhole = isRead && events === undefined && flood !== "endless" && stallAfter === undefined;
  if (moment === "finish") return isWhole && noFinish !== true;
  return isWhole && scenario.exit === undefined && scenario.holdPipes === undefined;
}
