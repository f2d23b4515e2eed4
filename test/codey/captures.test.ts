import { readdirSync } from "node:fs";
import type { CodeyResult, TurnOutcome } from "agentwire/codey";
import { expect, test } from "vitest";
import { FAREWELL } from "../helpers/codey.ts";
import { playCapture } from "./support/capture-player.ts";

const FOLDER = new URL("../fixtures/codey-real/", import.meta.url);

/** A call in short: its id, its state, and its output or error. */
type Call = readonly [id: string, state: string, said?: unknown];

/** What is expected of a turn; a field that is left out is not there, or of no interest. */
interface Expected {
  readonly status: "completed" | "failed" | "cancelled";
  readonly text: string;
  readonly calls?: readonly Call[];
  /** Tokens of this turn alone. */
  readonly outputTokens?: number;
  readonly error?: object;
}

const completed = (text: string, outputTokens: number, calls: readonly Call[] = []): Expected => ({
  status: "completed",
  text,
  calls,
  outputTokens,
});

const failed = (kind: string, retryable: boolean, text = "", more: object = {}): Expected => ({
  status: "failed",
  text,
  error: { code: "turn-failed", kind, retryable, ...more },
});

/** Twenty characters per piece, two numbers each. */
function numbers(first: number, last: number): string {
  const words = Array.from({ length: last - first + 1 }, (_, n) => String(1_000_000 + first + n));
  return words.map((word) => `${word.padStart(9, "0")} `).join("");
}

/** What each capture comes to. */
const CAPTURES: Readonly<Record<string, readonly Expected[]>> = {
  "background_auto.jsonl": [
    completed("done", 10, [
      ["b1", "done", "   1│alpha\n   2│beta\n"],
      ["b2", "done", "File not found: auto-missing.txt"],
    ]),
  ],
  "cancel_approval.jsonl": [
    { status: "cancelled", text: "", calls: [["c1", "abandoned"]] },
    completed("next", 10),
  ],
  "cancel_text.jsonl": [{ status: "cancelled", text: numbers(0, 25) }, completed("next", 5)],
  "close_idle.jsonl": [],
  "errors.jsonl": [
    failed("http", false, "", { status: 401 }),
    failed("http", true, "", { status: 429 }),
    failed("http", true, "", { status: 500 }),
    failed("http", true, "", { status: 529 }),
    failed("truncated", true, "part"),
    failed("transport", true, "part"),
    failed("transport", true),
    failed("misconfigured", false),
    failed("other", false),
    failed("other", false),
    failed("truncated", true, "part"),
    failed("other", false),
    failed("other", false),
    completed("fine", 5),
  ],
  "filter_read.jsonl": [
    completed("done", 10, [
      ["r1", "done", "   1│alpha\n   2│beta\n"],
      ["r2", "denied", "Denied by user"],
      ["r3", "failed", "File not found: nope.txt"],
      ["r4", "failed", "Invalid params: missing field `path`"],
      ["r5", "done", "   1│p\n"],
    ]),
  ],
  "gemini_same_call_id.jsonl": [
    {
      status: "cancelled",
      text: "",
      calls: [
        ["mcp_shell", "done", "1\n"],
        ["mcp_shell~2", "abandoned"],
      ],
    },
  ],
  "interleaved.jsonl": [completed("one twothreeend", 10, [["i1", "done", "x\n"]])],
  "params_shape.jsonl": [
    completed("done", 10, [["p1", "denied", "Denied by user"]]),
    completed("done2", 10, [
      ["p2", "failed", "Invalid params: invalid type: integer `1`, expected a string"],
    ]),
    completed("done3", 10, [["p3", "denied", "Denied by user"]]),
  ],
  "plain.jsonl": [completed("Hello wörld 😀", 12)],
  "same_ids.jsonl": [
    completed("t0", 10, [["dup", "done", "0\n"]]),
    completed("t1", 10, [["dup~2", "done", "1\n"]]),
  ],
  "shell_approved.jsonl": [completed("Let me look.One file.", 10, [["toolu_a1", "done", "hi\n"]])],
  "state_history.jsonl": [completed(numbers(0, 11) + numbers(192, 199), 5)],
  "three_foreground.jsonl": [
    completed("done", 10, [
      ["t1", "done", "1\n"],
      ["t2", "denied", "Denied by user"],
      ["t3", "done", "3\n"],
    ]),
  ],
  "usage_repeat.jsonl": [completed("x", 5)],
};

/** A turn as the table has it. */
function shown(outcome: TurnOutcome<CodeyResult>): object {
  const turn = outcome.status === "completed" ? outcome.result : outcome.partial;
  const { text, toolCalls = [], usage } = turn;
  const calls = toolCalls.map(({ id, state, output, error }) => [id, state, output ?? error]);
  return {
    status: outcome.status,
    text,
    calls,
    ...(usage ? { outputTokens: usage.outputTokens } : {}),
    ...(outcome.status === "failed" ? { error: outcome.error } : {}),
  };
}

test("every capture of the real server has an expected outcome", () => {
  expect(readdirSync(FOLDER).sort()).toEqual(Object.keys(CAPTURES));
});

test.each(Object.entries(CAPTURES))(
  "the capture %s of the real server leads to the expected turns",
  async (name, expected) => {
    const { outcomes, warnings, status } = await playCapture(new URL(name, FOLDER));
    expect(outcomes.map(shown)).toMatchObject(
      expected.map(({ calls = [], ...rest }) => ({
        ...rest,
        calls: calls.map(([id, state, said]) => [id, state, said]),
      })),
    );
    expect(warnings).toEqual([]);
    expect(status).toBe(name.startsWith("gemini") ? "ready" : "closed");
  },
);

test("the real server answers GetState and GetHistory during a turn, and still lists a cancelled call", async () => {
  const streaming = await playCapture(new URL("state_history.jsonl", FOLDER));
  expect(streaming.answers).toMatchObject([
    { type: "State", agents: [{ id: 0, is_streaming: false }], pending_approvals: [] },
    { type: "History", messages: [] },
    { type: "History", messages: [] },
  ]);
  const cancelled = await playCapture(new URL("cancel_approval.jsonl", FOLDER));
  expect(cancelled.answers).toMatchObject([
    { pending_approvals: [{ call_id: "c1", name: "", params: null }] },
    { pending_approvals: [] },
  ]);
});

test("the capture close_idle: the client sends three Pings before its Close", async () => {
  const { sent } = await playCapture(new URL("close_idle.jsonl", FOLDER));
  expect(sent).toEqual(FAREWELL.map((type) => JSON.stringify({ type })));
});

test("the capture gemini_same_call_id: the second approval request is denied with the Cancel", async () => {
  const { sent } = await playCapture(new URL("gemini_same_call_id.jsonl", FOLDER));
  const frames = sent.map((text): Record<string, unknown> => JSON.parse(text));
  expect(frames.map(({ type, approved }) => [type, approved])).toEqual([
    ["SendMessage", undefined],
    ["ToolDecision", true],
    ["GetState", undefined],
    ["Cancel", undefined],
    ["ToolDecision", false],
    ["Ping", undefined],
  ]);
});
