// The output of a run: one printer for each output mode.
import { Buffer } from "node:buffer";
import type { FakeCodebuffProfile, FakeCodebuffScenario } from "../scenario.ts";
import type { FakeCodebuffEvent } from "../script.ts";
import { HUGE_HEAD, HUGE_TAIL, hugeEvent } from "./canned.ts";
import type { Failure } from "./failures.ts";
import { type Arguments, PROGRAMS, USAGE_TEXT } from "./flags.ts";
import { Output } from "./output.ts";
import type { ByteSink } from "./sink.ts";
import { isOfRoot } from "./steps.ts";
import { ProgramTranscript } from "./transcript.ts";

/** An event stream, an object, text, text at the end, or a terminal UI. */
export type Mode = "stream" | "object" | "plain" | "quiet" | "terminal";

type Printing = Promise<void> | undefined;

/** Prints events in one output mode. Await returned promises. */
export interface Printer {
  event(event: FakeCodebuffEvent): Printing;
  /** A text chunk of the root agent. */
  chunk(text: string): Printing;
  /** Any value in place of an event. */
  json(value: unknown): Printing;
  /** A `text` event with a line of a given size in bytes. */
  huge(bytes: number): Printing;
  end(failure: Failure | undefined): Promise<void>;
}

export function modeOf(scenario: FakeCodebuffScenario, { options, words, firstWordIsBare }: Arguments): Mode {
  const { profile = "note", plain, quiet, jsonObject } = scenario;
  const { nonInteractive, commands } = PROGRAMS[profile];
  if (profile === "tui") return "terminal";
  if (plain === true) return "plain";
  if (quiet === true) return "quiet";
  if (jsonObject !== undefined) return "object";
  if (!nonInteractive.some((flag) => options.has(flag))) return "terminal";
  // A command has its own prompts. The fork checks for one only in interactive mode.
  if (profile !== "fork" && firstWordIsBare && commands.includes(words[0] ?? "")) return "terminal";
  if (options.has("--stream-json") || options.has("--print")) return "stream";
  if (options.has("--json")) return "object";
  return options.has("--quiet") ? "quiet" : "plain";
}

export function printerOf(
  mode: Exclude<Mode, "terminal">,
  scenario: FakeCodebuffScenario,
  stdout: Output,
  stderr: ByteSink,
): Printer {
  const { profile = "note", errorEventOn = profile === "print" ? "stderr" : "stdout" } = scenario;
  const tell = async (failure: Failure | undefined) => {
    if (failure) await stderr.write(Buffer.from(describe(failure, profile)));
  };
  const plain = plainPrinter(stdout, tell);
  switch (mode) {
    case "stream":
      return streamPrinter(stdout, errorEventOn === "stderr" ? new Lines(stderr) : stdout, tell);
    case "object":
      return atTheEnd(async (said, failure) => {
        await stdout.line(JSON.stringify(scenario.jsonObject ?? objectOf(said, failure), null, 2));
      });
    case "plain":
      return plain;
    case "quiet":
      return atTheEnd(async ({ text }, failure) => {
        if (text !== "") await plain.chunk(text);
        await plain.end(failure);
      });
  }
}

/** One JSON value per line. A failure is printed on stderr. */
function streamPrinter(stdout: Output, errors: Output, tell: Printer["end"]): Printer {
  const json = (value: unknown) => stdout.line(JSON.stringify(value));
  return {
    event: (event) => (event.type === "error" ? errors.line(JSON.stringify(event)) : json(event)),
    chunk: json,
    json,
    huge: (bytes) => stdout.huge(HUGE_HEAD, HUGE_TAIL, bytes),
    end: tell,
  };
}

/** Only the root agent's text, as it arrives, with a final newline. */
function plainPrinter(stdout: Output, tell: Printer["end"]): Printer {
  let chunked = false;
  let said = false;
  const block = (event: FakeCodebuffEvent) => {
    // Text blocks repeat the chunks.
    if (event.type !== "text" || !isOfRoot(event) || chunked) return undefined;
    said = true;
    return stdout.raw(String(event["text"]));
  };
  return {
    event: block,
    chunk(text) {
      said = chunked = true;
      return stdout.raw(text);
    },
    json: () => undefined,
    huge: (bytes) => block(hugeEvent(bytes)),
    async end(failure) {
      if (said) await stdout.line("");
      await tell(failure);
    },
  };
}

/** Prints nothing before the end. */
function atTheEnd(print: (said: ProgramTranscript, failure: Failure | undefined) => Promise<void>): Printer {
  const said = new ProgramTranscript();
  const event = (each: FakeCodebuffEvent) => said.event(each);
  return {
    event,
    chunk: (text) => said.chunk(text),
    json: () => undefined,
    huge: (bytes) => event(hugeEvent(bytes)),
    end: (failure) => print(said, failure),
  };
}

/** The object of `--json`. It contains a failure. */
function objectOf({ text, traces }: ProgramTranscript, failure: Failure | undefined): object {
  if (!failure) return { success: true, output: text, traces };
  const { error, stack, late } = failure;
  const said = stack === undefined ? error : `${error}\n\n${stack}`;
  return { success: false, output: text, ...(late ? { traces } : {}), error: said };
}

/** Writes lines one by one, without the scenario's changes to stdout. */
class Lines extends Output {
  constructor(sink: ByteSink) {
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
    ...(usage === true ? ["", USAGE_TEXT] : []),
  ];
  return `${lines.join("\n")}\n`;
}
