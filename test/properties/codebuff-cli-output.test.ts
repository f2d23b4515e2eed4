import { CodebuffCli, type CodebuffCliEvent, type CodebuffCliProfile } from "agentwire/codebuff-cli";
import { ManualClock } from "agentwire/testing";
import fc from "fast-check";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { ProcessListener, ProcessSetup } from "../../src/process/group-process.ts";
import { PATIENCE, runs } from "../helpers/runs.ts";

/** The process that the client believes to have started, as long as it runs: it says what the test says. */
const started = vi.hoisted((): ProcessListener[] => []);
vi.mock("../../src/process/group-process.ts", () => ({
  GroupProcess: class {
    readonly pid = 1;
    readonly #listener: ProcessListener;
    constructor({ listener }: ProcessSetup) {
      this.#listener = listener;
      started.push(listener);
    }
    pause(): void {}
    resume(): void {}
    terminate(): void {}
    kill(): void {
      if (started.pop()) this.#listener.ended({ code: null, signal: "SIGKILL" });
    }
  },
}));

/** Bytes that a line may have, so that some have more. */
const MAX_LINE = 200;

const clock = new ManualClock();
afterAll(() => expect(clock.pending).toBe(0));

/** All that comes of one run that writes these pieces. */
async function told(profile: CodebuffCliProfile, pieces: readonly Uint8Array[], code: number) {
  const client = new CodebuffCli({
    command: process.execPath,
    homeDir: "/nowhere/at/all",
    profile,
    maxLineBytes: MAX_LINE,
    clock,
  });
  const warnings: unknown[] = [];
  client.on("protocolWarning", ({ turnId, ...warning }) => {
    warnings.push({ ...warning, isOfTurn: turnId === turn.id }); // the id is another one in each run
  });
  const events: CodebuffCliEvent[] = [];
  const turn = client.prompt("hi");
  turn.on("event", (event) => events.push(event));
  const calls: unknown[] = [];
  turn.on("toolCall", (call) => calls.push(call));
  for (const piece of pieces) started.at(-1)?.stdout(piece);
  started.pop()?.ended({ code, signal: null });
  const outcome = await turn.outcome;
  await client.close();
  const { text, status } = turn;
  return { events, warnings, calls, text, status, outcome: JSON.stringify(outcome) };
}

const words = fc.oneof(
  fc.constantFrom("é", "漢", "👋", "🇩🇪", "\u2028", "\\n", "NaN"),
  fc.string({ unit: "grapheme" }),
);
const ids = fc.constantFrom("t1", "t2", "ask_1");

/** Events that follow one another in any order, known and unknown, right and wrong. */
const event = fc.oneof(
  fc.record({ type: fc.constant("text"), text: words }, { requiredKeys: ["type"] }),
  fc.record({ type: fc.constant("text"), text: words, agentId: fc.constantFrom("main-agent", "s1") }),
  fc.record({ type: fc.constant("start"), session_id: words }),
  fc.record({
    type: fc.constant("tool_call"),
    toolCallId: ids,
    toolName: words,
    input: fc.constant({ a: 1 }),
  }),
  fc.record({ type: fc.constant("tool_progress"), toolCallId: ids, output: words }),
  fc.record({ type: fc.constant("tool_result"), toolCallId: ids, output: fc.constant([]) }),
  fc.record({ type: fc.constant("error"), message: words }),
  fc.record({ type: words, more: fc.jsonValue() }),
  fc.record(
    { type: fc.constant("finish"), totalCost: fc.constantFrom(1, -1, "1") },
    { requiredKeys: ["type"] },
  ),
);

/** What a program prints that says all at its end, over many lines. */
const report = fc
  .record({ success: fc.boolean(), output: words, traces: fc.array(event, { maxLength: 4 }), error: words })
  .map((object) => JSON.stringify(object, null, 2));

const line = fc.oneof(
  { weight: 6, arbitrary: event.map((each) => JSON.stringify(each)) },
  { weight: 2, arbitrary: words.map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: fc.oneof(fc.json(), report) },
  { weight: 1, arbitrary: words },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", " ", "\r", "10%\r20%", "\u001b[2J", "\ufeff", "{", "[Infinity]"),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: MAX_LINE - 30, max: MAX_LINE + 30 }).map((size) => `"${"x".repeat(size)}"`),
  },
);

/** A whole output, in bytes: lines of either ending, the last one of none perhaps, and bytes that are no text. */
const output = fc
  .record({
    mark: fc.boolean(),
    lines: fc.array(fc.tuple(line, fc.constantFrom("\n", "\n", "\r\n")), { maxLength: 20 }),
    last: fc.option(fc.oneof(line, report), { nil: "" }),
    odd: fc.option(fc.nat(400), { nil: undefined, freq: 4 }),
  })
  .map(({ mark, lines, last, odd }) => {
    const bytes = Buffer.from(`${mark ? "\ufeff" : ""}${lines.flat().join("")}${last}`);
    if (odd !== undefined && odd < bytes.length && bytes[odd] !== 0x0a) bytes[odd] = 0xff;
    return bytes;
  });

/** What a pipe may make of it: pieces of any size, none of them empty. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const at = [...new Set([0, ...places.filter((place) => place < bytes.length), bytes.length])].sort(
    (a, b) => a - b,
  );
  return at.slice(1).map((end, index) => bytes.slice(at[index], end));
}

const places = fc.oneof(
  fc.array(fc.nat(600)),
  fc.constant(Array.from({ length: 20_000 }, (_, index) => index)), // byte by byte
);

describe("any split of a program's output gives the same events and outcome", () => {
  test.each(["stream-json", "print", "json", "text"] as const)(
    "in the profile %s",
    async (profile) => {
      await fc.assert(
        fc.asyncProperty(output, places, fc.constantFrom(0, 0, 1), async (bytes, cuts, code) => {
          const whole = await told(profile, bytes.length === 0 ? [] : [bytes], code);
          expect(await told(profile, cut(bytes, cuts), code)).toEqual(whole);
        }),
        runs(150),
      );
    },
    PATIENCE,
  );
});
