// `agentwire check`: a transcript of universal events against the rules.
import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { inert } from "../../chat/index.ts";
import { LineSplitter } from "../../process/lines.ts";
import { type LineProblem, NoTranscript, TranscriptCheck } from "../check/transcript-check.ts";
import type { CommandCall } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { wrongCall } from "../failure.ts";
import { PacedOutput } from "../output.ts";
import { exitCodeOfSignal, onSignals } from "../signals.ts";

/** Bytes: as much as `JsonlReader` reads. Longer lines are problems. */
const MAX_LINE_BYTES = 256 * 1_024 * 1_024;

/** What the standard input is called. */
const STDIN = "stdin";

export async function checkCommand({ args, given, isJson }: CommandCall): Promise<number> {
  const [path = "-"] = args;
  const file = path === "-" ? STDIN : path;
  const input: Readable = path === "-" ? process.stdin : createReadStream(path);
  const check = new TranscriptCheck(given.flag("live"));
  const output = new PacedOutput();
  let code: number | undefined;
  const offSignals = onSignals((signal) => {
    code = exitCodeOfSignal(signal);
    input.destroy();
  });
  output.left.addEventListener("abort", () => input.destroy());
  const tell = (problems: readonly LineProblem[]): Promise<void> | undefined =>
    problems.length === 0
      ? undefined
      : output.write(problems.map((problem) => problemLine(file, problem, isJson)).join(""));
  const lines = new LineSplitter(MAX_LINE_BYTES);
  try {
    for await (const piece of input)
      for (const line of lines.push(piece as Buffer)) {
        await tell(check.push(line));
        if (code !== undefined) return code;
      }
    if (code !== undefined) return code;
    await tell(check.end(lines.end()));
    await output.write(summaryLine(file, check, isJson));
    return check.counts.problems === 0 ? EXIT.done : EXIT.failed;
  } catch (error) {
    if (code !== undefined) return code;
    if (output.left.aborted) return EXIT.failed;
    throw failureOf(error, file);
  } finally {
    offSignals();
    output.off();
  }
}

function problemLine(file: string, problem: LineProblem, isJson: boolean): string {
  if (isJson) return `${JSON.stringify({ type: "problem", file, ...problem })}\n`;
  const { line, rule, message } = problem;
  return `${inert(`${file}:${line}: ${rule}: ${message}`, { keepNewlines: false })}\n`;
}

function summaryLine(file: string, { counts }: TranscriptCheck, isJson: boolean): string {
  if (isJson) return `${JSON.stringify({ type: "summary", file, ...counts })}\n`;
  const { events, sessions, problems } = counts;
  const words = [many(events, "event"), many(sessions, "session"), many(problems, "problem")];
  return `${inert(file, { keepNewlines: false })}: ${words.join(", ")}\n`;
}

const many = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

function failureOf(error: unknown, file: string): unknown {
  if (error instanceof NoTranscript)
    return wrongCall(
      `${file}:${error.line}: no transcript: ${error.message}.`,
      "Pass what `agentwire chat --output stream-json` prints, or a file of a store.",
    );
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return error;
  return wrongCall(
    `${file} cannot be read: ${code}.`,
    "Pass the path of a transcript, or - for the standard input.",
  );
}
