// `FakeCodebuffCli`: starts the fake program for a test, and reads its records.
//
// How to extend this fake, most common first:
//
// 1. A new misbehaviour: a switch. Add it to scenario.ts with its TSDoc and to read-scenario.ts, which checks it; play it
//    where it belongs: program/steps.ts for what events there are, program/output.ts for how they are framed,
//    program/run.ts for how the process begins and ends. Give it a test by its name.
// 2. A new way to fail: `FakeCodebuffFailure` in scenario.ts, and its words in program/failures.ts.
// 3. A new thing that a script can do: `FakeCodebuffStep` in script.ts, `STEPS` in read-scenario.ts, program/player.ts.
// 4. A new option of the CLI: program/flags.ts.
// 5. More to know about a run: record.ts, program/journal.ts.

import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Lifelines } from "../processes/lifelines.ts";
import { type FakeScript, findScript } from "../processes/script-path.ts";
import { Waiters } from "../waiters.ts";
import { LIFELINE, RECORD, SCENARIO } from "./environment.ts";
import { checkScenario } from "./read-scenario.ts";
import type { FakeCodebuffRecord } from "./record.ts";
import type { FakeCodebuffScenario } from "./scenario.ts";

/**
 * A fake of the Codebuff CLI: a real program that prints what a scenario says, and records how it was started. It needs
 * no network and no account. It uses only files in its own folder. It parses options as the real program does; the
 * prompt is the words joined by spaces, or stdin. Output is never faster than its reader, except in modes that print
 * everything at the end.
 *
 * Without this class, start the program with `FAKE_CODEBUFF_SCENARIO` (JSON, or the path of a JSON file) and
 * `FAKE_CODEBUFF_RECORD` (the file or folder of the record).
 *
 * All its processes are killed by `stop()`, and when the test process ends.
 *
 * @example
 * ```ts
 * await using cli = await FakeCodebuffCli.start({
 *   events: [{ type: "start", messageHistoryLength: 0 }, { type: "text", text: "Hello" }, { type: "finish", totalCost: 3 }],
 * });
 * const child = spawn(cli.command, [...cli.args, "--stream-json", "--", "hi"], { env: { ...process.env, ...cli.env } });
 * const { argv, prompt } = await cli.nextRun();
 * ```
 */
export class FakeCodebuffCli {
  /** The path of the fake program. It needs only Node 20 or later. */
  readonly path: string;
  /** The command to start: this Node. */
  readonly command: string = process.execPath;
  /** The arguments before the CLI's options: the path of the fake program. */
  readonly args: readonly string[];
  /** The environment variables that a run needs. */
  readonly env: Readonly<Record<string, string>>;
  readonly #folder: string;
  readonly #runs: string;
  readonly #lifelines: Lifelines;
  readonly #waiters: Waiters;
  /** The names of the records, in the order of their discovery. */
  readonly #seen: string[] = [];
  readonly #next = { started: 0, ended: 0 };
  #scenario: FakeCodebuffScenario = {};
  readonly #removeNow = (): void => rmSync(this.#folder, { recursive: true, force: true });
  #stopping: Promise<void> | undefined;
  /** The result of `runs()` after the records are removed. */
  #final: readonly FakeCodebuffRecord[] | undefined;

  private constructor(
    script: FakeScript,
    folder: string,
    runs: string,
    lifelines: Lifelines,
    waiters: Waiters,
  ) {
    this.path = script.path;
    this.args = [script.path];
    this.#folder = folder;
    this.#runs = runs;
    this.#lifelines = lifelines;
    this.#waiters = waiters;
    // If the test process ends without `stop()`.
    process.once("exit", this.#removeNow);
    this.env = {
      ...script.env,
      [SCENARIO]: join(folder, "scenario.json"),
      [RECORD]: runs,
      [LIFELINE]: lifelines.address,
    };
  }

  /**
   * Makes a fake that is ready to start.
   *
   * @throws InvalidInputError, which is also a TypeError, for an invalid scenario; suggests a name for an unknown
   * switch
   */
  static async start(scenario: FakeCodebuffScenario = {}): Promise<FakeCodebuffCli> {
    checkScenario(scenario);
    const script = findScript("fake-codebuff");
    const folder = await mkdtemp(join(tmpdir(), "fake-codebuff-"));
    try {
      const runs = join(folder, "runs");
      await mkdir(runs);
      const waiters = new Waiters();
      const lifelines = await Lifelines.open(folder, waiters);
      const cli = new FakeCodebuffCli(script, folder, runs, lifelines, waiters);
      cli.set(scenario);
      return cli;
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /**
   * Changes the scenario of later runs. Given fields replace the old ones, `undefined` removes a field, and the others
   * stay. Running runs keep their scenario.
   *
   * @throws InvalidInputError, which is also a TypeError, for an invalid scenario; suggests a name for an unknown
   * switch
   */
  set(
    scenario: { readonly [Key in keyof FakeCodebuffScenario]: FakeCodebuffScenario[Key] | undefined },
  ): void {
    const given = Object.entries({ ...this.#scenario, ...scenario });
    const next = checkScenario(Object.fromEntries(given.filter(([, value]) => value !== undefined)));
    const file = join(this.#folder, "scenario.json");
    writeFileSync(`${file}.half`, JSON.stringify(next));
    renameSync(`${file}.half`, file);
    this.#scenario = next;
  }

  /** The records of all runs so far, in start order. */
  runs(): readonly FakeCodebuffRecord[] {
    if (this.#final) return this.#final;
    const known = new Set(this.#seen);
    const names = readdirSync(this.#runs).filter((name) => name.endsWith(".json"));
    this.#seen.push(...names.filter((name) => !known.has(name)).sort());
    return this.#seen.map((name) => this.#read(name));
  }

  /**
   * Returns the first run on the first call, the second on the second, and so on. Waits if needed. `started`: resolves
   * when the run has started, with an incomplete record. `ended`: resolves when the run has ended, with the complete
   * record; counted separately.
   */
  nextRun(when: "started" | "ended" = "started"): Promise<FakeCodebuffRecord> {
    const index = this.#next[when]++;
    return this.waitFor(() => {
      const run = this.runs()[index];
      return run && (when === "started" || run.end) ? run : undefined;
    });
  }

  /**
   * Resolves with the first value of `probe` that is not undefined, null or false. Calls `probe` when a run starts, a
   * record changes or a process ends.
   */
  waitFor<T>(probe: (cli: this) => T | undefined | false | null): Promise<T> {
    return this.#waiters.until(() => probe(this));
  }

  /**
   * Resolves when a process has ended: the `pid` of a run, or one of its `grandchildren`. The process may still be a
   * zombie until its parent reaps it; `process.kill(pid, 0)` does not show the difference.
   */
  async gone(pid: number): Promise<void> {
    await this.waitFor(() => this.#lifelines.isGone(pid));
  }

  /** Releases all runs that wait at `{ hold: name }`, now or later. */
  release(name: string): void {
    this.#lifelines.release(name);
  }

  /** Kills all remaining processes, and removes the folder. `runs()` still returns the records. Idempotent. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    await this.#lifelines.stop();
    this.#final = this.runs();
    this.#waiters.end(new Error("the fake CLI was stopped"));
    process.off("exit", this.#removeNow);
    await rm(this.#folder, { recursive: true, force: true });
  }

  #read(name: string): FakeCodebuffRecord {
    // The script of the same build wrote it.
    const record: FakeCodebuffRecord = JSON.parse(readFileSync(join(this.#runs, name), "utf8"));
    const gone = this.#lifelines.endOf(name.replace(/\.json$/, ""));
    if (record.end || gone === undefined) return record;
    // The run was killed before it could record its end.
    return { ...record, end: { code: null, signal: null, atMs: Math.max(0, gone - record.startedAt) } };
  }
}
