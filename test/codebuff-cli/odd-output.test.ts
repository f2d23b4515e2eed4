// What a run comes to whose program prints otherwise than its profile says; how that is read is in report.test.ts and events.test.ts.
import { fileURLToPath } from "node:url";
import { CodebuffCli, type CodebuffCliProfile } from "agentwire/codebuff-cli";
import { describe, expect, test } from "vitest";
import { NO_HOME } from "../helpers/codebuff-cli.ts";
import { eventsOf } from "../helpers/turns.ts";

interface Printed {
  readonly profile?: CodebuffCliProfile;
  /** What is no text is a line of JSON. */
  readonly lines: readonly unknown[];
  readonly stderr?: string;
  readonly code?: number;
  readonly requireFinish?: boolean;
}

const program = fileURLToPath(new URL("programs/prints.ts", import.meta.url));

/** How one run ends, and what came of it. */
async function ended({ profile = "stream-json", lines, stderr = "", code = 0, ...options }: Printed) {
  const printed = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  await using client = new CodebuffCli({
    ...options,
    profile,
    command: process.execPath,
    args: [program],
    homeDir: NO_HOME,
    env: { PRINTS: printed.join("\n"), SAYS: stderr, CODE: String(code), CODEBUFF_API_KEY: "" },
  });
  const turn = client.prompt("hi");
  const events = eventsOf(turn);
  const outcome = await turn.outcome;
  return { ...outcome, text: turn.text, types: events.map(({ type }) => type) };
}

const START = { type: "start" };
const TEXT = { type: "text", text: "the answer" };
const FINISH = { type: "finish", totalCost: 3 };
const CALL = { type: "tool_call", toolCallId: "t", toolName: "a", input: {} };
const REFUSED = { success: false, output: "", error: "Payment Required" };
const ANSWERED = { success: true, output: "the answer", traces: [{ type: "tool_call", toolName: "a" }] };

const failed = (fields: object) => ({ status: "failed", error: expect.objectContaining(fields) });
const completed = (fields: object) => ({ status: "completed", result: expect.objectContaining(fields) });

describe("a program that should stream", () => {
  test("but prints only objects that are no events fails, with advice to change `profile`", async () => {
    const lines = Array.from({ length: 27 }, (_, at) => ({ level: "info", at }));
    expect(await ended({ lines })).toMatchObject(
      failed({ kind: "protocol_error", message: expect.stringContaining("`profile`") }),
    );
    expect(await ended({ lines: [...lines, FINISH] })).toMatchObject(completed({ text: "" }));
    expect(await ended({ lines: ["", " ", ""] })).toMatchObject(completed({ missingFinish: true }));
  });

  test("but prints one report completes or fails as the report says", async () => {
    const answered = await ended({ lines: [ANSWERED], requireFinish: true });
    expect(answered).toMatchObject(completed({ text: "the answer" }));
    expect(answered).not.toHaveProperty("result.missingFinish");
    expect(answered.types).toEqual(["tool_call", "text"]);
    expect(await ended({ lines: [REFUSED] })).toMatchObject(failed({ kind: "payment_required" }));
    expect(await ended({ lines: [{ success: true }] })).toMatchObject(completed({ text: "" }));
  });

  test("and repeats everything in a report is counted once", async () => {
    const { types, text } = await ended({ lines: [START, CALL, '"the "', TEXT, ANSWERED] });
    expect(types).toEqual(["start", "tool_call", "chunk", "text"]);
    expect(text).toBe("the answer");
    expect(await ended({ lines: [CALL, ANSWERED] })).toMatchObject({ types: ["tool_call", "text"] });
  });

  test("and fails with a report and an exit code fails with the report's reason", async () => {
    const stderr = "Error: No prompt provided.\n";
    const lines = [START, { type: "error", message: "Unauthorized" }, REFUSED];
    expect(await ended({ lines, stderr, code: 1 })).toMatchObject(failed({ kind: "payment_required" }));
    expect(await ended({ lines: [...lines, FINISH], stderr, code: 1 })).toMatchObject(
      failed({ kind: "payment_required" }),
    );
  });

  test("and goes on after a failure report completes, but fails if the report comes after `finish`", async () => {
    expect(await ended({ lines: [REFUSED, TEXT, FINISH] })).toMatchObject(completed({ text: "the answer" }));
    expect(await ended({ lines: [TEXT, FINISH, REFUSED] })).toMatchObject(
      failed({ kind: "payment_required" }),
    );
  });
});

describe("a program that should print one report at its end", () => {
  test("but prints lines of events is read by the events", async () => {
    const profile = "json";
    const whole = await ended({ profile, lines: [START, CALL, TEXT, FINISH], requireFinish: true });
    expect(whole).toMatchObject(completed({ text: "the answer", cost: { amount: 3, unit: "credits" } }));
    expect(whole.types).toEqual(["start", "tool_call", "text", "finish"]);
    expect(await ended({ profile, lines: [TEXT] })).toMatchObject(completed({ missingFinish: true }));
    expect(await ended({ profile, lines: [TEXT], requireFinish: true })).toMatchObject(
      failed({ kind: "stream_ended" }),
    );
    expect(await ended({ profile, lines: [START] })).toMatchObject(failed({ kind: "protocol_error" }));
  });

  test("and also prints lines of events is counted once", async () => {
    const run = await ended({ profile: "json", lines: [START, CALL, TEXT, FINISH, ANSWERED] });
    expect(run).toMatchObject(completed({ text: "the answer" }));
    expect(run.types).toEqual(["start", "tool_call", "text", "finish"]);
    expect(await ended({ profile: "json", lines: [FINISH, REFUSED] })).toMatchObject(
      failed({ kind: "payment_required" }),
    );
  });

  test("may begin with a byte-order mark, which is no part of its text", async () => {
    expect(await ended({ profile: "json", lines: [`\ufeff${JSON.stringify(ANSWERED)}`] })).toMatchObject(
      completed({ text: "the answer" }),
    );
    expect(await ended({ profile: "text", lines: ["\ufeffthe answer", ""] })).toMatchObject(
      completed({ text: "the answer" }),
    );
  });
});

test("a program without a known error message fails with its last line of stderr", async () => {
  const stderr = "env: 'node': No such file or directory\n\n";
  expect(await ended({ lines: [], stderr, code: 127 })).toMatchObject(
    failed({ kind: "process_exit", message: expect.stringMatching(/code 127: env: 'node': No such file/) }),
  );
});

test("a program that does not know `--free` fails with advice to set `freeFlag`", async () => {
  const stderr = "error: unknown option '--free'\n";
  expect(await ended({ lines: [], stderr, code: 1 })).toMatchObject(
    failed({ kind: "unsupported_flag", message: expect.stringContaining("`freeFlag`") }),
  );
});
