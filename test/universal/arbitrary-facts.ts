import {
  type AnyAgentwireError,
  type AnyEvent,
  ClosedError,
  ConnectionLostError,
  type DecidedBy,
  HandshakeError,
  InvalidInputError,
  PayloadTooLargeError,
  type PendingRequest,
  type Question,
  QueueFullError,
  RequestError,
  type SettledRequest,
  type ToolCallState,
  TurnError,
  type TurnOutcome,
  type TurnResult,
  TurnTimeoutError,
  type TurnToolCall,
} from "agentwire";
import type { Fact } from "agentwire/universal";
import fc from "fast-check";

/** What a protocol brings to its arbitrary facts. */
export interface FactSource<Event extends AnyEvent, Result extends TurnResult> {
  readonly event: fc.Arbitrary<Event>;
  readonly result: fc.Arbitrary<Result>;
  /** Errors that only this protocol has. */
  readonly error?: fc.Arbitrary<AnyAgentwireError>;
  /** Events of the client that belong to no turn. */
  readonly notice?: fc.Arbitrary<{ readonly name: string; readonly value: unknown }>;
}

/** Few ids, so that facts meet: they repeat, cross and contradict each other. */
const TURNS = ["t1", "t2", "t3"] as const;
const CALLS = ["c1", "c1~2", "c2"] as const;
const QUESTIONS = ["q1", "q2", "c1"] as const;
const TOOLS = ["mcp_shell", "mcp_read_file", "unknown"] as const;

export const turnId: fc.Arbitrary<string> = fc.constantFrom(...TURNS);
export const callId: fc.Arbitrary<string> = fc.constantFrom(...CALLS);

/** Texts that are empty, blank, cut through a character, or say something. */
export const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 8 }) },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 4 }) },
  fc.constantFrom("", " ", "\n", "\ud83d", "\ude00", "{}", "null"),
);

/** JSON as a wire gives it: without -0, which JSON has not. */
export const json: fc.Arbitrary<unknown> = fc
  .json({ maxDepth: 1 })
  .map((written): unknown => JSON.parse(JSON.stringify(JSON.parse(written))));

/** Changes a value as a broken server might: a field is lost or of another type, or all is something else. */
export function garbled<T extends object>(value: fc.Arbitrary<T>): fc.Arbitrary<T> {
  const broken = fc.tuple(value, fc.nat(), fc.option(json, { nil: undefined })).map(([whole, at, other]) => {
    const names = Object.keys(whole).filter((name) => name !== "type");
    const name = names[at % Math.max(1, names.length)];
    return name === undefined ? whole : { ...whole, [name]: other };
  });
  const strange = fc.record({ type: fc.constantFrom("Strange", "toString", "__proto__", "") });
  return fc.oneof(
    { weight: 6, arbitrary: value },
    { weight: 1, arbitrary: fc.oneof(broken, strange) },
  ) as fc.Arbitrary<T>; // wrong on purpose
}

const lostLink = fc
  .constantFrom("connection-lost", "context-lost")
  .map((code) => new ConnectionLostError("the link was lost", { code }));

/** An error of each code. */
const anyError: fc.Arbitrary<AnyAgentwireError> = fc.oneof(
  lostLink,
  fc.constantFrom("idle", "total").map((kind) => new TurnTimeoutError(kind, 1_000)),
  fc.constantFrom(
    new ClosedError("the client was closed"),
    new HandshakeError("rejected", "the server refused the client"),
    new RequestError("refused", { serverMessage: "no" }),
    new QueueFullError("turns", 101, 100),
    new PayloadTooLargeError("too much", { bytes: 9, limit: 8 }),
    new InvalidInputError("that is wrong.", "Pass something else."),
    new TurnError({ origin: "error", kind: "other", serverMessage: "broke", status: 500, retryable: true }),
  ),
);

const STATES: readonly ToolCallState[] = [
  "requested",
  "awaiting",
  "approved",
  "running",
  "done",
  "failed",
  "denied",
  "abandoned",
];

const call: fc.Arbitrary<TurnToolCall> = fc.record(
  {
    id: callId,
    name: fc.constantFrom(...TOOLS),
    input: json,
    state: fc.constantFrom(...STATES),
    raw: fc.oneof(fc.record({ call_id: callId }), json),
    output: fc.oneof(text, json),
    error: text,
    deniedBy: fc.constantFrom("user", "policy", "server"),
    reason: text,
    startInferred: fc.constant(true),
    background: fc.boolean(),
    agentId: fc.constantFrom(0, 1, 2),
  },
  { requiredKeys: ["id", "name", "input", "state", "raw"] },
);

const question: fc.Arbitrary<Omit<Question, "turnId">> = fc.record({
  id: fc.constantFrom(...QUESTIONS),
  questions: fc.array(
    fc.record({
      question: text,
      options: fc.array(fc.record({ label: text }), { maxLength: 3 }),
      multiSelect: fc.boolean(),
    }),
    { maxLength: 2 },
  ),
  raw: json,
});

const ofTurn = fc.option(turnId, { nil: undefined, freq: 4 });

const pending: fc.Arbitrary<{ readonly turnId: string | undefined; readonly request: PendingRequest }> = fc
  .tuple(ofTurn, fc.oneof(call, question))
  .map(([of, asked]) => {
    const turn = of === undefined ? {} : { turnId: of };
    if ("questions" in asked)
      return {
        turnId: of,
        request: { type: "question", id: asked.id, question: { ...asked, ...turn } },
      } as const;
    const { id, name, input, raw } = asked;
    return {
      turnId: of,
      request: { type: "approval", id, call: { id, name, input, raw, ...turn } },
    } as const;
  });

const CAUSES: readonly DecidedBy[] = [
  "policy",
  "session",
  "callback",
  "reply",
  "timeout",
  "error",
  "elsewhere",
  "cancelled",
  "ended",
  "disconnected",
];

const settled: fc.Arbitrary<{ readonly turnId: string | undefined; readonly request: SettledRequest }> = fc
  .record({
    asked: pending,
    by: fc.constantFrom(...CAUSES),
    decision: fc.constantFrom("once", "always", "reject"),
    answers: fc.option(fc.array(fc.array(text, { maxLength: 2 }), { maxLength: 2 }), { nil: undefined }),
  })
  .map(({ asked: { turnId: of, request }, by, decision, answers }) =>
    request.type === "approval"
      ? { turnId: of, request: { ...request, ruling: { decision, by } } as const }
      : { turnId: of, request: { ...request, reply: { answers, by } } as const },
  );

const input = fc.record({
  text,
  images: fc.constantFrom([], [{ path: "data:image/png;base64,AAAA", mime: "image/png" }]),
});

function endOf<Result extends TurnResult>(
  result: fc.Arbitrary<Result>,
  error: fc.Arbitrary<AnyAgentwireError>,
): fc.Arbitrary<TurnOutcome<Result>> {
  const partial = fc.record({ text });
  return fc.oneof(
    { weight: 3, arbitrary: result.map((value) => ({ status: "completed", result: value }) as const) },
    fc.record({
      status: fc.constant("cancelled" as const),
      by: fc.constantFrom("user", "signal"),
      partial,
    }),
    { weight: 2, arbitrary: fc.record({ status: fc.constant("failed" as const), error, partial }) },
  );
}

const WARNINGS = ["unreadable-frame", "invalid-message", "frame-failed", "listener-threw"] as const;

/** Any fact at any time: of turns that run, have ended or never began. Ends of sessions are rare, or nothing would follow. */
export function arbitraryFact<Event extends AnyEvent, Result extends TurnResult>(
  source: FactSource<Event, Result>,
  garble: <T extends object>(value: fc.Arbitrary<T>) => fc.Arbitrary<T> = garbled,
): fc.Arbitrary<Fact<Event, Result>> {
  const error = source.error ? fc.oneof(source.error, anyError) : anyError;
  const event = garble(source.event);
  const end = endOf(garble(source.result), error);
  const fact = <Type extends Fact["type"], Rest>(type: Type, rest: fc.Arbitrary<Rest>) =>
    rest.map((values) => ({ type, ...values }));
  const none = fc.constant({});
  const maybeInput = fc.option(input, { nil: undefined }).map((given) => (given ? { input: given } : {}));
  const weighted = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });
  return fc.oneof(
    weighted(20, fact("event", fc.record({ turnId, event }))),
    weighted(8, fact("sent", fc.record({ turnId, input }))),
    weighted(10, fact("call", fc.record({ turnId, call }))),
    weighted(5, fact("asked", pending)),
    weighted(5, fact("settled", settled)),
    weighted(
      6,
      fact(
        "ended",
        fc.tuple(fc.record({ turnId, end }), maybeInput).map(([of, given]) => ({ ...of, ...given })),
      ),
    ),
    weighted(5, fact("stray", fc.record({ event }))),
    weighted(2, fact("opened", fc.record({ nativeSessionId: text, isNative: fc.boolean() }))),
    weighted(2, fact("missed", fc.record({ turnId, text, calls: fc.array(call, { maxLength: 2 }) }))),
    weighted(2, fact("recovering", fc.record({ turnId }))),
    weighted(
      2,
      fact(
        "warning",
        fc.record({ kind: fc.constantFrom(...WARNINGS), message: text }).map((warning) => ({ warning })),
      ),
    ),
    weighted(2, fact("disconnected", fc.record({ error: lostLink }))),
    weighted(
      2,
      fact(
        "retrying",
        fc.record({ attempt: fc.nat(9), delay: fc.double({ min: 0, max: 3e4, noNaN: true }) }),
      ),
    ),
    weighted(2, fact("reconnected", none)),
    weighted(3, fact("quiet", none)),
    weighted(
      3,
      fact("notice", source.notice ?? fc.record({ name: fc.constant("unknownMessage"), value: json })),
    ),
    weighted(1, fact("lost", fc.record({ error: fc.oneof(lostLink, error) }))),
    weighted(
      1,
      fact(
        "done",
        fc.constant({
          data: { reason: "completed", terminated_by: "agent", metadata: { total_cost: 1 } },
        } as const),
      ),
    ),
    weighted(1, fact("closed", none)),
  );
}

/** A prompt, what follows it, and its end: as a client tells it, or with anything between. */
export function arbitraryTurn<Event extends AnyEvent, Result extends TurnResult>(
  source: FactSource<Event, Result>,
  id: string,
): fc.Arbitrary<readonly Fact<Event, Result>[]> {
  const own = (fact: Fact<Event, Result>): Fact<Event, Result> =>
    "turnId" in fact && fact.type !== "asked" && fact.type !== "settled" ? { ...fact, turnId: id } : fact;
  const inside = fc.array(
    fc.oneof(
      { weight: 8, arbitrary: source.event.map((event) => ({ type: "event", turnId: id, event }) as const) },
      { weight: 4, arbitrary: call.map((value) => ({ type: "call", turnId: id, call: value }) as const) },
      {
        weight: 2,
        arbitrary: pending.map(({ request }) => ({ type: "asked", turnId: id, request }) as const),
      },
      {
        weight: 2,
        arbitrary: settled.map(({ request }) => ({ type: "settled", turnId: id, request }) as const),
      },
      {
        weight: 1,
        arbitrary: arbitraryFact(source, (value) => value)
          .filter(isNoEnd)
          .map(own),
      },
    ),
    { maxLength: 14 },
  );
  const end = endOf(source.result, source.error ? fc.oneof(source.error, anyError) : anyError);
  return fc
    .tuple(input, inside, end)
    .map(([given, facts, how]) => [
      { type: "sent", turnId: id, input: given },
      ...facts,
      { type: "ended", turnId: id, end: how },
    ]);
}

/** Facts of a session: turns in order with anything between them, or no order at all. */
export function arbitraryFacts<Event extends AnyEvent, Result extends TurnResult>(
  source: FactSource<Event, Result>,
): fc.Arbitrary<readonly Fact<Event, Result>[]> {
  const wild = fc.array(arbitraryFact(source), { maxLength: 40 });
  const between = fc.array(arbitraryFact(source), { maxLength: 3 });
  const orderly = fc
    .tuple(between, arbitraryTurn(source, "t1"), between, arbitraryTurn(source, "t2"), between)
    .map((parts) => parts.flat());
  return fc.oneof(wild, orderly, duplicated(orderly), fc.tuple(orderly, fc.nat()).map(truncated));
}

/** Some facts come twice. */
function duplicated<F>(facts: fc.Arbitrary<readonly F[]>): fc.Arbitrary<readonly F[]> {
  return fc
    .tuple(facts, fc.infiniteStream(fc.boolean()))
    .map(([all, twice]) => all.flatMap((fact) => (twice.next().value ? [fact, fact] : [fact])));
}

function truncated<F>([facts, at]: readonly [readonly F[], number]): readonly F[] {
  return facts.slice(0, at % (facts.length + 1));
}

function isNoEnd({ type }: Fact): boolean {
  return type !== "ended" && type !== "lost" && type !== "done" && type !== "closed" && type !== "sent";
}

/** What can end a turn, a link or a client at any moment. */
export function interruptions<Event extends AnyEvent, Result extends TurnResult>(
  of: string,
): readonly (readonly Fact<Event, Result>[])[] {
  const error = new ConnectionLostError("the link was lost");
  return [
    [{ type: "ended", turnId: of, end: { status: "cancelled", by: "user", partial: { text: "" } } }],
    [
      { type: "ended", turnId: of, end: { status: "failed", error, partial: { text: "" } } },
      { type: "disconnected", error },
    ],
    [
      {
        type: "ended",
        turnId: of,
        end: { status: "failed", error: new TurnTimeoutError("idle", 1_000), partial: { text: "" } },
      },
    ],
    [{ type: "lost", error }],
    [{ type: "closed" }],
  ];
}
