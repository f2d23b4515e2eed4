import type { AnyEvent, TurnResult } from "agentwire";
import type { CassEvent, CassResult } from "agentwire/cass";
import type { CodebuffEvent, CodebuffResult } from "agentwire/codebuff";
import type { CodebuffCliEvent, CodebuffCliResult } from "agentwire/codebuff-cli";
import type { CodebuffRunEvent, CodebuffRunResult } from "agentwire/codebuff-run";
import type { CodeyEvent, CodeyResult } from "agentwire/codey";
import type { Fact, Mapping, NormaliserOptions } from "agentwire/universal";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CassMapping } from "../../src/cass/universal.ts";
import { CodebuffMapping } from "../../src/codebuff/universal.ts";
import { CodebuffCliMapping } from "../../src/codebuff-cli/universal.ts";
import { CodebuffRunMapping } from "../../src/codebuff-run/universal.ts";
import { CodeyMapping } from "../../src/codey/universal.ts";
import { cassFacts } from "../cass/universal/facts.ts";
import { codebuffFacts } from "../codebuff/universal/facts.ts";
import { cliFacts } from "../codebuff-cli/universal/facts.ts";
import { runFacts } from "../codebuff-run/universal/facts.ts";
import { codeyFacts } from "../codey/universal/facts.ts";
import { PATIENCE, runs } from "../helpers/runs.ts";
import { arbitraryFacts, arbitraryTurn, type FactSource, interruptions, text } from "./arbitrary-facts.ts";
import { expectSound } from "./invariants.ts";

interface Row<Event extends AnyEvent, Result extends TurnResult> {
  readonly newMapping: () => Mapping<Event, Result>;
  readonly facts: FactSource<Event, Result>;
  /** Whether the facts keep the types of the wire. Codebuff's chunks are garbled. */
  readonly typed: boolean;
  /** The event of one chunk of the text; Codey shows blank text too, and Cass reads tags in it. */
  readonly chunk?: (chunk: string) => Event;
  /** The event that repeats the text as a whole, where the backend sends one. */
  readonly whole?: (text: string) => Event;
}

/** A text in pieces, which may be cut inside a character. */
const pieces = fc
  .tuple(fc.array(text, { maxLength: 8 }), fc.array(fc.nat(40), { maxLength: 6 }))
  .map(([texts, cuts]) => {
    const whole = texts.join("");
    const places = cuts.map((cut) => cut % (whole.length + 1));
    const ends = [...new Set([...places, whole.length])].sort((one, other) => one - other);
    return ends.map((end, at) => whole.slice(ends[at - 1] ?? 0, end));
  });

/** A row keeps its own types behind `visit`. */
type Visit<T> = <Event extends AnyEvent, Result extends TurnResult>(row: Row<Event, Result>) => T;
const row =
  <Event extends AnyEvent, Result extends TurnResult>(given: Row<Event, Result>) =>
  <T>(visit: Visit<T>): T =>
    visit(given);

const codebuffChunk = (chunk: string | { readonly type: string; readonly text: string }) => ({
  type: "response-chunk" as const,
  userInputId: "t1",
  chunk,
  text: typeof chunk === "string" ? chunk : "",
});

const BACKENDS = {
  codebuff: row<CodebuffEvent, CodebuffResult>({
    newMapping: () => new CodebuffMapping(),
    facts: codebuffFacts,
    typed: false,
    chunk: codebuffChunk,
    whole: (whole) => codebuffChunk({ type: "text", text: whole }),
  }),
  codey: row<CodeyEvent, CodeyResult>({
    newMapping: () => new CodeyMapping(),
    facts: codeyFacts,
    typed: true,
  }),
  cass: row<CassEvent, CassResult>({
    newMapping: () => new CassMapping({ inferTools: true, includeDebug: true }),
    facts: cassFacts,
    typed: true,
  }),
  "codebuff-cli": row<CodebuffCliEvent, CodebuffCliResult>({
    newMapping: () => new CodebuffCliMapping(true),
    facts: cliFacts,
    typed: true,
    chunk: (delta) => ({ type: "chunk", delta }),
    whole: (whole) => ({ type: "text", text: whole, delta: "" }),
  }),
  "codebuff-run": row<CodebuffRunEvent, CodebuffRunResult>({
    newMapping: () => new CodebuffRunMapping(true),
    facts: runFacts,
    typed: true,
    chunk: (chunk) => ({ type: "chunk", chunk }),
    whole: (whole) => ({ type: "text", text: whole }),
  }),
};

const options: fc.Arbitrary<Partial<NormaliserOptions>> = fc.record({
  includeRaw: fc.boolean(),
  eagerStart: fc.boolean(),
});

describe.each(Object.entries(BACKENDS))("the universal events of %s", (_name, visit) => {
  test(
    "keep every rule whatever comes in whatever order, and are the same again",
    () =>
      visit(({ newMapping, facts }) =>
        fc.assert(
          fc.property(arbitraryFacts(facts), options, (given, asked) => {
            expectSound(newMapping, given, asked);
          }),
          runs(400),
        ),
      ),
    PATIENCE,
  );

  test(
    "leave nothing open after a cancel, a loss, a limit or a close at any moment of a turn",
    () =>
      visit(<Event extends AnyEvent, Result extends TurnResult>({ newMapping, facts }: Row<Event, Result>) =>
        fc.assert(
          fc.property(arbitraryTurn(facts, "t1"), (turn) => {
            for (const cut of interruptions<Event, Result>("t1"))
              for (let at = 0; at < turn.length; at++)
                expectSound(newMapping, [...turn.slice(0, at), ...cut, ...turn.slice(at)]);
          }),
          runs(20),
        ),
      ),
    PATIENCE,
  );

  if (visit(({ typed }) => typed))
    test(
      "have no `agent.unparsed` for facts of the right types",
      () =>
        visit(({ newMapping, facts }) =>
          fc.assert(
            fc.property(arbitraryTurn(facts, "t1"), (turn) => {
              const events = expectSound(newMapping, turn);
              const warned = turn.some(({ type }) => type === "warning");
              if (!warned) expect(events.filter(({ type }) => type === "agent.unparsed")).toEqual([]);
            }),
            runs(200),
          ),
        ),
      PATIENCE,
    );

  if (visit(({ chunk }) => chunk !== undefined))
    test(
      "have the same text however its chunks are cut, and a whole text after its chunks adds nothing",
      () =>
        visit(<Event extends AnyEvent, Result extends TurnResult>(backend: Row<Event, Result>) =>
          fc.assert(
            fc.property(pieces, fc.boolean(), (chunks, repeats) => {
              const { chunk, whole, newMapping } = backend;
              const joined = chunks.join("");
              const said = joined.trim() === "" ? "" : joined;
              const events: readonly Event[] = [
                ...(chunk ? chunks.map(chunk) : []),
                ...(whole && repeats && said !== "" ? [whole(joined)] : []),
              ];
              const told = expectSound<Event, Result>(newMapping, [
                { type: "sent", turnId: "t1", input: { text: "go" } },
                ...events.map((event): Fact<Event, Result> => ({ type: "event", turnId: "t1", event })),
              ]);
              expect(
                told.map((event) => (event.type === "item.delta" ? event.data.delta : "")).join(""),
              ).toBe(said);
            }),
            runs(200),
          ),
        ),
      PATIENCE,
    );
});
