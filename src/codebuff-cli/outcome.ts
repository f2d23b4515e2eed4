// Decides how a run ended: by its report, exit code and output.
import type { Exit } from "../process/group-process.ts";
import { type CodebuffCliFailureKind, type CodebuffCliStderr, kindOf, withoutStack } from "./errors.ts";

export interface Ended {
  readonly exit: Exit;
  /** The process was still running after its `finish`, and this library ended it. */
  readonly overstayed: boolean;
  readonly finished: boolean;
  readonly hasEvents: boolean;
  /** At least one line was neither an event nor blank. */
  readonly hasGarbage: boolean;
  /** The program's report, if any. `unreadable`: the profile needs a report, but none can be read. */
  readonly report: RunReport | undefined;
  readonly interactive: boolean;
  readonly lastError: string | undefined;
  readonly stderr: CodebuffCliStderr;
  readonly requireFinish: boolean;
}

export type RunReport =
  | { readonly status: "success" }
  | { readonly status: "failure"; readonly error: string }
  | { readonly status: "unreadable" }
  /** The output exceeded `maxOutputBytes`, so this library ended the program. */
  | { readonly status: "too-long" };

export type RunVerdict =
  | { readonly status: "completed"; readonly missingFinish: boolean }
  | { readonly status: "failed"; readonly kind: CodebuffCliFailureKind; readonly words: string };

/** Decides the outcome of a run whose turn was not stopped. */
export function verdictOn(ended: Ended): RunVerdict {
  const { exit, overstayed, finished, hasEvents, hasGarbage, report, interactive, requireFinish } = ended;
  if (interactive) return failed("interactive_cli", "the program has opened its user interface");
  if (overstayed) return { status: "completed", missingFinish: false };
  if (report?.status === "too-long") return failed("protocol_error", "it wrote more than `maxOutputBytes`");
  if (exit.code !== 0) return exitFailure(ended);
  if (report?.status === "failure") return failed(kindOf(report.error) ?? "run_failed", report.error);
  if (report?.status === "unreadable") return failed("protocol_error", "its output is no report of a run");
  if (report || finished) return { status: "completed", missingFinish: false };
  if (!hasEvents && hasGarbage) return failed("protocol_error", "nothing that it wrote is an event");
  if (requireFinish) return failed("stream_ended", "it ended without saying that the agent was done");
  return { status: "completed", missingFinish: true };
}

/** The failure of a process. The message is from the report, the last `error` event or stderr. */
function exitFailure({ exit, report, lastError, stderr }: Ended): RunVerdict {
  const reported = report?.status === "failure" ? report.error : undefined;
  const lines = [...stderr.head, ...stderr.tail];
  const printed = lastWords(lines);
  const how = exit.signal === null ? `with code ${exit.code}` : `by ${exit.signal}`;
  for (const words of [reported, lastError, printed]) {
    const kind = words === undefined ? undefined : kindOf(words);
    if (kind && words !== undefined) return failed(kind, words);
  }
  const words = [reported, printed, lastError, lastLine(lines)]
    .map((said = "") => withoutStack(said))
    .find((said) => said !== "");
  return failed("process_exit", `the program ended ${how}${words === undefined ? "" : `: ${words}`}`);
}

function failed(kind: CodebuffCliFailureKind, words: string): RunVerdict {
  return { status: "failed", kind, words: withoutStack(words) };
}

/** The last stderr line that begins like an error message of the program. */
export function lastWords(lines: readonly string[]): string | undefined {
  return lines.findLast((line) =>
    /^(?:(?:Error running prompt|Error|error): |Could not connect to server)/.test(line),
  );
}

/** Lines after the message of a crash: stack frames, closing brackets, the version of Node. */
const NO_WORDS = /^(?:\s+at .*|Node\.js v\d.*|[\s{}[\]^]*)$/;

export function lastLine(lines: readonly string[]): string | undefined {
  return lines.findLast((line) => !NO_WORDS.test(line));
}
