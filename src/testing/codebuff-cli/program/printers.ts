// Chooses the output mode and its printer.
import type { FakeCodebuffProfile, FakeCodebuffScenario } from "../scenario.ts";
import type { Failure } from "./failures.ts";
import { PROGRAMS, USAGE } from "./flags.ts";
import { ObjectPrinter } from "./object-printer.ts";
import { Output } from "./output.ts";
import type { Arguments } from "./parse-arguments.ts";
import type { Printer } from "./printer.ts";
import type { Sink } from "./sink.ts";
import { StreamPrinter } from "./stream-printer.ts";
import { PlainPrinter, QuietPrinter } from "./text-printer.ts";

/** What a run prints: a stream of events, an object, text, text at the end, or a terminal UI. */
export type Mode = "stream" | "object" | "plain" | "quiet" | "terminal";

export function modeOf(scenario: FakeCodebuffScenario, { options, words, firstWordIsBare }: Arguments): Mode {
  const { profile = "note", plain, quiet, jsonObject } = scenario;
  const { nonInteractive, commands } = PROGRAMS[profile];
  if (profile === "tui") return "terminal";
  if (plain === true) return "plain";
  if (quiet === true) return "quiet";
  if (jsonObject !== undefined) return "object";
  if (!nonInteractive.some((flag) => options.has(flag))) return "terminal";
  // A command asks its own questions. The fork looks for one only where it can.
  if (profile !== "fork" && firstWordIsBare && commands.includes(words[0] ?? "")) return "terminal";
  if (options.has("--stream-json") || options.has("--print")) return "stream";
  if (options.has("--json")) return "object";
  return options.has("--quiet") ? "quiet" : "plain";
}

export function printerOf(
  mode: Exclude<Mode, "terminal">,
  scenario: FakeCodebuffScenario,
  stdout: Output,
  stderr: Sink,
): Printer {
  const { profile = "note", errorEventOn = profile === "print" ? "stderr" : "stdout" } = scenario;
  const tellFailure = (failure: Failure) => stderr.write(Buffer.from(describe(failure, profile)));
  const errors = errorEventOn === "stderr" ? new Lines(stderr) : stdout;
  switch (mode) {
    case "stream":
      return new StreamPrinter(stdout, errors, tellFailure);
    case "object":
      return new ObjectPrinter(stdout, scenario.jsonObject);
    case "plain":
      return new PlainPrinter(stdout, tellFailure);
    case "quiet":
      return new QuietPrinter(new PlainPrinter(stdout, tellFailure));
  }
}

/** Lines that are written one by one, whole and without what the scenario does to stdout. */
class Lines extends Output {
  constructor(sink: Sink) {
    super(sink, {});
  }

  override line(text: string): Promise<void> {
    super.line(text);
    return this.flush();
  }
}

function describe(failure: Failure, profile: FakeCodebuffProfile): string {
  const { error, stack, label, printed, usage } = failure;
  if (profile === "print" && label !== "")
    return `${JSON.stringify({ type: "error", message: printed ?? error })}\n`;
  const lines = [
    label + error,
    ...(stack === undefined ? [] : [stack]),
    ...(usage === true ? ["", USAGE] : []),
  ];
  return `${lines.join("\n")}\n`;
}
