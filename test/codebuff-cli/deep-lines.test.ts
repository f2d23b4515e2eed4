import { fileURLToPath } from "node:url";
import { CodebuffCli, type CodebuffCliProfile, type ProtocolWarning } from "agentwire/codebuff-cli";
import { describe, expect, test, vi } from "vitest";
import { readLine } from "../../src/codebuff-cli/messages.ts";
import { readReport } from "../../src/codebuff-cli/report.ts";
import { LiveTurn } from "../../src/core/turn/live-turn.ts";
import { NO_HOME } from "../helpers/codebuff-cli.ts";
import { deepened, LEVELS } from "../helpers/deep.ts";

const program = fileURLToPath(new URL("programs/prints.ts", import.meta.url));

/** A run that prints these lines, and what the client warned of. */
async function run(lines: readonly string[], profile: CodebuffCliProfile = "stream-json") {
  const warnings: ProtocolWarning[] = [];
  await using client = new CodebuffCli({
    profile,
    command: process.execPath,
    args: [program],
    homeDir: NO_HOME,
    env: { PRINTS: lines.join("\n"), CODEBUFF_API_KEY: "" },
  });
  client.on("protocolWarning", (warning) => warnings.push(warning));
  const outcome = await client.prompt("hi").outcome;
  return { outcome, warnings };
}

const TEXT = { type: "text", text: "the answer" };
const FINISH = { type: "finish", totalCost: 3 };
const SUBAGENT = { agentId: "a", agentType: "t", displayName: "d", onlyChild: true, params: { a: 1 } };

const EVENTS: readonly { readonly type: string; readonly [field: string]: unknown }[] = [
  { type: "start", agentId: "a", messageHistoryLength: 1 },
  TEXT,
  { type: "error", message: "m" },
  { type: "download", version: "1", status: "complete" },
  { type: "tool_call", toolCallId: "c", toolName: "ask_user", input: { questions: [{ question: "q" }] } },
  { type: "tool_progress", toolCallId: "c", output: "o" },
  { type: "tool_result", toolCallId: "c", output: [{ type: "json", value: { error: { a: 1 } } }] },
  FINISH,
  { type: "subagent_start", ...SUBAGENT },
  { type: "subagent_finish", ...SUBAGENT },
  { type: "reasoning_delta", text: "t", ancestorRunIds: ["a"], runId: "r" },
  { type: "subagent_chunk", agentId: "a", agentType: "t", chunk: "c" },
  { type: "reasoning_chunk", agentId: "a", ancestorRunIds: ["a"], chunk: "c" },
  { type: "unheard", data: { a: 1 } },
];

const json = (value: unknown): string => JSON.stringify(value);

describe("a line that is nested too deeply", () => {
  test.each(EVENTS)("$type: is not an event, whichever field is nested", (event) => {
    for (const levels of LEVELS) {
      for (const [field, line] of deepened(event, levels))
        expect(readLine(line), field).toEqual({
          kind: "unparsed",
          problem: "a line that is nested too deeply",
        });
    }
  });

  test.each(EVENTS)("$type: causes a warning, and the run completes", async (event) => {
    const deep = deepened(event, 6_000).get("an unknown field") ?? "";
    const { outcome, warnings } = await run([json(TEXT), deep, json(FINISH)]);
    expect(outcome).toMatchObject({ status: "completed", result: { text: "the answer" } });
    expect(warnings.map(({ kind }) => kind)).toEqual(["unparsed-line"]);
  });

  test("is not read as a report either", async () => {
    const report = { success: true, output: "the answer", traces: [{ type: "tool_call", toolName: "a" }] };
    for (const levels of LEVELS) {
      for (const [field, text] of deepened(report, levels))
        expect(readReport(text).report, field).toMatchObject({ report: { status: "unreadable" } });
    }
    const deep = deepened(report, 6_000).get("traces") ?? "";
    expect((await run([deep], "json")).outcome).toMatchObject({ status: "failed" });
  });
});

describe("output whose handling throws", () => {
  const broken = (method: "push" | "complete") =>
    vi.spyOn(LiveTurn.prototype, method).mockImplementationOnce(() => {
      throw new RangeError("Maximum call stack size exceeded");
    });

  test.each(["stream-json", "json", "text"] as const)(
    "causes a warning, and the run settles (%s)",
    async (profile) => {
      using spy = broken("push");
      const lines =
        profile === "json"
          ? [json({ success: true, output: "the answer", traces: [] })]
          : [json(TEXT), json(FINISH)];
      const { outcome, warnings } = await run(lines, profile);
      expect(outcome.status).toMatch(/completed|failed/);
      expect(warnings).toMatchObject([{ kind: "line-failed", cause: expect.any(RangeError) }]);
      expect(spy).toHaveBeenCalled();
    },
  );
});
