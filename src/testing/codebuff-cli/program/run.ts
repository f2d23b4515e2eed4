// One run, from the arguments to the exit.
import { Buffer } from "node:buffer";
import { closeSync } from "node:fs";
import { Lifeline } from "../../processes/lifeline.ts";
import { LIFELINE, RECORD, SCENARIO } from "../environment.ts";
import { readScenario } from "../read-scenario.ts";
import type { FakeCodebuffScenario } from "../scenario.ts";
import { openSession } from "./chats.ts";
import { findKey } from "./credentials.ts";
import { type Failure, scriptedFailure } from "./failures.ts";
import { startRelative } from "./family.ts";
import { type Arguments, agentOf, helpText, PROGRAMS, parseArguments } from "./flags.ts";
import { ProgramJournal, processGroup, sha256, toldEnvironment } from "./journal.ts";
import { Output } from "./output.ts";
import { forever, pause } from "./pause.ts";
import { StepPlayer } from "./player.ts";
import { type Mode, modeOf, printerOf } from "./printers.ts";
import { readStdin, stdinKind } from "./read-stdin.ts";
import { die, hearSignals } from "./signals.ts";
import { type ByteSink, fileSink, makeNoise, streamSink } from "./sink.ts";

/** The first output of a terminal UI: the alternate screen, cleared, with a hidden cursor. */
const SCREEN = "\u001b[?1049h\u001b[2J\u001b[H\u001b[?25lCodebuff will run commands on your behalf.\r\n";

export class ProgramRun {
  readonly #scenario: FakeCodebuffScenario;
  readonly #arguments: Arguments;
  readonly #agent: string;
  readonly #journal: ProgramJournal;
  readonly #stderr = streamSink(process.stderr);
  readonly #lifeline: Lifeline | undefined;

  /** Greets the test before the record is written. So the test notices the end of every run that has a record. */
  static async start(): Promise<void> {
    const address = process.env[LIFELINE];
    const lifeline = address === undefined ? undefined : await Lifeline.connect(address);
    const run = new ProgramRun(lifeline);
    const { id } = run.#journal;
    await lifeline?.greet({ pid: process.pid, ...(id === undefined ? {} : { run: id }) });
    run.#journal.begin();
    await run.#play();
  }

  private constructor(lifeline: Lifeline | undefined) {
    this.#lifeline = lifeline;
    const argv = process.argv.slice(2);
    this.#scenario = readScenario(process.env[SCENARIO]);
    this.#arguments = parseArguments(PROGRAMS[this.#profile], argv);
    this.#agent = agentOf(this.#arguments);
    const { options, unknown, words } = this.#arguments;
    const pgid = processGroup();
    this.#journal = new ProgramJournal(process.env[RECORD], {
      argv,
      cwd: process.cwd(),
      stdin: { kind: stdinKind() },
      env: toldEnvironment(this.#scenario.recordEnv),
      options: Object.fromEntries(options),
      unknownOptions: unknown,
      agent: this.#agent,
      ...(pgid === undefined ? {} : { pgid }),
      ...(words.length === 0 ? {} : { prompt: words.join(" "), promptFrom: "argv" }),
    });
    this.#journal.onChange = () => lifeline?.tell();
    hearSignals(this.#journal, this.#scenario);
  }

  get #profile(): NonNullable<FakeCodebuffScenario["profile"]> {
    return this.#scenario.profile ?? "note";
  }

  async #play(): Promise<void> {
    await pause(this.#scenario.startDelayMs ?? 0);
    if (await this.#isRefused()) return;
    const { options } = this.#arguments;
    const folder = options.get("--cwd");
    if (typeof folder === "string" && !(await this.#enter(folder))) return;

    const mode = modeOf(this.#scenario, this.#arguments);
    const stdout = new Output(await this.#stdout(), this.#scenario);
    await this.#startRelatives();
    const noise = makeNoise(this.#scenario, this.#stderr);
    if (mode === "terminal") {
      await stdout.raw(SCREEN);
      await stdout.flush();
      await forever();
    } else {
      const failure = await this.#answer(mode, stdout);
      await stdout.flush();
      await noise;
      if (stdout.broken) this.#journal.add({ stdoutBroken: true });
      // The older CLI treats every run with a response as a success.
      const forgiven = this.#profile === "print" && failure?.late === true;
      await this.#leave(failure === undefined || forgiven ? 0 : 1);
    }
  }

  /** Handles what the option parser answers itself: version, help and errors. */
  async #isRefused(): Promise<boolean> {
    const { options, unknown, mistake } = this.#arguments;
    const { version = "1.0.600", unknownOption = this.#profile === "tui" ? "ignore" : "error" } =
      this.#scenario;
    const stdout = streamSink(process.stdout);
    const end = async (sink: ByteSink, text: string, code: number) => {
      await sink.write(Buffer.from(text));
      this.#exit(code);
      return true;
    };
    if (options.has("--version")) return end(stdout, `${version}\n`, 0);
    if (mistake !== undefined) return end(this.#stderr, `${mistake}\n`, 1);
    if (options.has("--help")) return end(stdout, helpText(PROGRAMS[this.#profile]), 0);
    const [first] = unknown;
    if (first === undefined || unknownOption === "ignore") return false;
    return end(this.#stderr, `error: unknown option '${first}'\n`, 1);
  }

  /** Changes the working directory. An invalid folder crashes the program, as in the real CLI. */
  async #enter(folder: string): Promise<boolean> {
    try {
      process.chdir(folder);
      return true;
    } catch (error) {
      await this.#stderr.write(Buffer.from(`${error instanceof Error ? error.stack : String(error)}\n`));
      this.#exit(1);
      return false;
    }
  }

  async #stdout(): Promise<ByteSink> {
    const file = this.#arguments.options.get("--output");
    if (typeof file === "string") return fileSink(file);
    if (this.#scenario.exitBeforeFlush !== true) return streamSink(process.stdout);
    const { pid, pipe } = await startRelative("speak");
    this.#adopt(pid);
    return streamSink(pipe);
  }

  async #startRelatives(): Promise<void> {
    const { grandchild, holdPipes, ignoreSigterm } = this.#scenario;
    if (grandchild === true)
      this.#adopt((await startRelative(ignoreSigterm === true ? "stay stubborn" : "stay")).pid);
    if (holdPipes !== undefined) this.#adopt((await startRelative(`hold ${holdPipes}`)).pid);
  }

  #adopt(pid: number): void {
    this.#journal.add({ grandchildren: [...this.#journal.record.grandchildren, pid] });
  }

  async #answer(mode: Exclude<Mode, "terminal">, stdout: Output): Promise<Failure | undefined> {
    const { options } = this.#arguments;
    const printer = printerOf(mode, this.#scenario, stdout, this.#stderr);
    const tellAtOnce = async (failure: Failure): Promise<Failure> => {
      await printer.end(failure);
      return failure;
    };
    const prompt = await this.#prompt();
    if (prompt === undefined) return tellAtOnce(scriptedFailure("no-prompt", this.#agent));
    const early = this.#earlyFailure();
    if (early) {
      await pause(this.#scenario.failAfterMs ?? 0);
      return tellAtOnce(early);
    }

    // The fork parses `--continue` but ignores it here.
    const session = openSession(
      this.#scenario,
      this.#profile === "fork" ? undefined : options.get("--continue"),
    );
    const kept = this.#scenario.sessionKey !== undefined || session.history !== undefined;
    if (kept)
      this.#journal.add({
        sessionId: session.id,
        ...(session.history === undefined ? {} : { history: session.history }),
      });
    const { traceLines = this.#profile === "fork" } = this.#scenario;
    const player = new StepPlayer({
      scenario: this.#scenario,
      printer,
      stdout,
      stderr: this.#stderr,
      lifeline: this.#lifeline,
      traced: traceLines && mode !== "quiet" && !options.has("--quiet"),
    });
    const question = {
      prompt,
      agent: this.#agent,
      remembered: session.history?.length,
      sessionId: kept ? session.id : undefined,
    };
    const failure = await player.play(question, this.#timeLimit());
    await printer.end(failure);
    session.save(prompt, player.text);
    return failure;
  }

  /** Returns the words of the arguments unchanged, or else stdin, trimmed. */
  async #prompt(): Promise<string | undefined> {
    const { words } = this.#arguments;
    let prompt = words.join(" ");
    if (words.length === 0) {
      const { kind } = this.#journal.record.stdin;
      const text = await readStdin(kind, this.#scenario.stdinWaitMs ?? 100);
      prompt = text.trim();
      const found = prompt === "" ? {} : { prompt, promptFrom: "stdin" as const };
      this.#journal.add({ stdin: { kind, text }, ...found });
    }
    return prompt.trim() === "" ? undefined : prompt;
  }

  #earlyFailure(): Failure | undefined {
    const { requireKey, credentialsFile, failWith } = this.#scenario;
    if (requireKey === true || credentialsFile !== undefined) {
      const key = findKey(this.#scenario);
      if (key) this.#journal.add({ key: { from: key.from, sha256: sha256(key.value) } });
      else if (requireKey === true) return scriptedFailure("no-key", this.#agent);
    }
    const failure = failWith === undefined ? undefined : scriptedFailure(failWith, this.#agent);
    return failure?.late === false ? failure : undefined;
  }

  /** The limit of `--timeout` in ms. A value that is not a positive number means no limit, without an error. */
  #timeLimit(): number | undefined {
    const seconds = Number(this.#arguments.options.get("--timeout"));
    return seconds > 0 && Number.isFinite(seconds) ? seconds * (this.#scenario.secondMs ?? 1000) : undefined;
  }

  async #leave(usual: number): Promise<void> {
    const { exit = {}, closeStdout } = this.#scenario;
    if (closeStdout === true) closeSync(1);
    await pause(exit.afterMs ?? 0);
    if (exit.never === true) await forever();
    else if (exit.signal !== undefined) die(this.#journal, exit.signal);
    else this.#exit(exit.code ?? usual);
  }

  #exit(code: number): void {
    this.#journal.add({ end: { code, signal: null, atMs: this.#journal.now } });
    process.exit(code);
  }
}
