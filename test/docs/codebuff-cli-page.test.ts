import { readdirSync, readFileSync } from "node:fs";
import {
  CodebuffCli,
  type CodebuffCliClientEvents,
  CodebuffCliError,
  type CodebuffCliEvent,
  type CodebuffCliFailureKind,
  type CodebuffCliMode,
  type CodebuffCliOptions,
  type CodebuffCliProbe,
  type CodebuffCliProfile,
  type CodebuffCliPromptOptions,
  type CodebuffCliResult,
  type CodebuffCliStderr,
  type CredentialFinding,
  type CredentialPlace,
  type CredentialWarning,
  findCodebuffCredentials,
  type TurnOptions,
} from "agentwire/codebuff-cli";
import { describe, expect, test } from "vitest";
import { buildArgv } from "../../src/codebuff-cli/input.ts";
import { resolveOptions } from "../../src/codebuff-cli/options.ts";
import { codeIn, names, Page, read } from "./page.ts";

const doc = new Page("docs/codebuff-cli.md");

const KINDS = names<CodebuffCliFailureKind>({
  process_exit: true,
  run_failed: true,
  no_prompt: true,
  auth: true,
  payment_required: true,
  forbidden: true,
  rate_limited: true,
  server: true,
  agent_not_found: true,
  no_response: true,
  cancelled_by_cli: true,
  unsupported_flag: true,
  protocol_error: true,
  stream_ended: true,
  interactive_cli: true,
});

const OPTIONS = names<keyof CodebuffCliOptions>({
  command: true,
  args: true,
  profile: true,
  mode: true,
  freeFlag: true,
  cwd: true,
  env: true,
  apiKey: true,
  homeDir: true,
  configDirName: true,
  credentialOrder: true,
  isolateHome: true,
  requireKey: true,
  promptVia: true,
  endOfOptions: true,
  commandPrefixes: true,
  allowCommands: true,
  maxProcesses: true,
  startupTimeout: true,
  idleTimeout: true,
  exitGrace: true,
  killGrace: true,
  requireFinish: true,
  requireContinuity: true,
  answerByContinue: true,
  forwardSignals: true,
  maxLineBytes: true,
  maxOutputBytes: true,
  maxQueuedEvents: true,
  maxQueuedTurns: true,
  maxQueuedBytes: true,
  maxBufferedBytes: true,
  maxTextBytes: true,
  signal: true,
  logger: true,
  debug: true,
  clock: true,
});

describe("docs/codebuff-cli.md names", () => {
  test.each([
    [
      "every profile",
      "Which program, which profile",
      names<CodebuffCliProfile>({ "stream-json": true, json: true, print: true, text: true }),
    ],
    [
      "what a probe finds",
      "Which program, which profile",
      names<keyof CodebuffCliProbe>({ version: true, flags: true, profile: true, freeFlag: true }),
    ],
    [
      "every event of a turn",
      "What is in a turn",
      names<CodebuffCliEvent["type"]>({
        start: true,
        text: true,
        chunk: true,
        error: true,
        download: true,
        tool_call: true,
        tool_progress: true,
        tool_result: true,
        finish: true,
        subagent_start: true,
        subagent_finish: true,
        subagent_chunk: true,
        reasoning_delta: true,
        reasoning_chunk: true,
        unknown: true,
      }),
    ],
    [
      "what a turn ends with",
      "What is in a turn",
      names<Exclude<keyof CodebuffCliResult, "usage"> | keyof CodebuffCliStderr>({
        text: true,
        truncated: true,
        cost: true,
        sessionId: true,
        toolCalls: true,
        missingFinish: true,
        exitCode: true,
        stderr: true,
        head: true,
        tail: true,
        totalLines: true,
      }),
    ],
    [
      "what the client tells, and what it never does",
      "What is in a turn",
      names<keyof CodebuffCliClientEvents>({
        settled: true,
        spawned: true,
        stderr: true,
        status: true,
        reconnecting: true,
        reconnected: true,
        disconnected: true,
        protocolWarning: true,
        turn: true,
        event: true,
        approval: true,
        question: true,
        message: true,
        frame: true,
      }),
    ],
    [
      "every option of a prompt",
      "Options of a prompt",
      names<keyof CodebuffCliPromptOptions | keyof TurnOptions>({
        mode: true,
        cwd: true,
        promptVia: true,
        allowCommands: true,
        agent: true,
        params: true,
        key: true,
        branchOf: true,
        shown: true,
        sessionId: true,
        timeoutSeconds: true,
        signal: true,
        timeout: true,
        idleTimeout: true,
        read: true,
      }),
    ],
    [
      "every mode",
      "Options of a prompt",
      names<CodebuffCliMode>({ default: true, free: true, max: true, plan: true }),
    ],
    [
      "what a look for a key finds",
      "Credentials",
      names<CredentialFinding["status"] | "exposed">({
        used: true,
        other: true,
        same: true,
        none: true,
        missing: true,
        unreadable: true,
        "too-large": true,
        "not-json": true,
        "no-object": true,
        exposed: true,
      }),
    ],
  ])("%s", (_, title, all) => {
    const named = new Set(codeIn(doc.section(title)).map((code) => code.replace(/^"|[?("].*$/g, "")));
    for (const code of codeIn(doc.section(title)))
      for (const [name] of code.matchAll(/\w+/g)) named.add(name);
    expect(all.filter((name) => !named.has(name))).toEqual([]);
  });

  test("every option of the client, once, in one of its two tables", () => {
    const told = ["Options", "Timers and limits"].flatMap((title) =>
      doc.rows(title).flatMap(([cell = ""]) => codeIn(cell)),
    );
    expect(told.sort()).toEqual([...OPTIONS].sort());
  });

  test("every kind of failure, in the order of the type", () => {
    const told = doc.rows("Which error, what now").map(([cell = ""]) => codeIn(cell)[0] ?? "");
    expect(told.slice(told.indexOf("kind") + 1)).toEqual(KINDS);
  });

  test("what to do about each kind of failure", () => {
    const told = doc
      .rows("Which error, what now")
      .filter(([cell = ""]) => KINDS.some((kind) => cell === `\`${kind}\``));
    expect(told.filter((cells) => cells.length !== 3 || cells.some((cell) => cell.trim() === ""))).toEqual(
      [],
    );
  });

  test("every warning that the client gives", () => {
    const folder = new URL("../../src/codebuff-cli/", import.meta.url);
    const code = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), "utf8"));
    const given = code.flatMap((text) =>
      [...text.matchAll(/\bwarn\(\s*"([\w-]+)"/g)].map(([, kind = ""]) => kind),
    );
    const ofKeys = names<CredentialWarning["kind"]>({
      "credential-conflict": true,
      "credentials-exposed": true,
    });
    expect(given).toContain("no-continuity");
    const named = codeIn(doc.section("What is in a turn"));
    expect([...given, ...ofKeys, "listener-threw"].filter((kind) => !named.includes(kind))).toEqual([]);
  });

  test("every place of a key, in the order of the search", () => {
    const order: Readonly<Record<CredentialPlace, RegExp>> = {
      "option apiKey": /^option `apiKey`/,
      CODEBUFF_API_KEY: /^`CODEBUFF_API_KEY`/,
      "~/.codebuff/config.json": /^`~\/\.codebuff\/config\.json`$/,
      "~/.codebuff/auth.json": /^`~\/\.codebuff\/auth\.json`$/,
      "the program's own file": /the program's own file$/,
    };
    const told = doc.rows("Credentials").filter(([number = ""]) => /^\d$/.test(number));
    const { findings } = findCodebuffCredentials({ homeDir: "/nowhere/at/all" }, {});
    expect(told).toHaveLength(findings.length);
    for (const [at, { place }] of findings.entries()) expect(told[at]?.[1]).toMatch(order[place]);
  });

  test("the flags of each profile", () => {
    const base = {
      args: [],
      mode: "default",
      freeFlag: "--free",
      agent: undefined,
      params: undefined,
      sessionId: undefined,
      timeoutSeconds: undefined,
      cwd: undefined,
      endOfOptions: true,
      prompt: undefined,
    } as const;
    const told = doc.rows("Which program, which profile").flatMap(([name = "", flags = ""]) => {
      const [profile] = codeIn(name);
      return profile?.startsWith('"') ? [[JSON.parse(profile), codeIn(flags)[0]?.split(" ")]] : [];
    });
    const real = (["stream-json", "json", "print", "text"] as const).map((profile) => [
      profile,
      buildArgv({ ...base, profile }),
    ]);
    expect(told).toEqual(real);
  });
});

describe("the defaults in docs/codebuff-cli.md", () => {
  const real: Readonly<Record<string, unknown>> = { ...resolveOptions({}) };
  const UNITS: Readonly<Record<string, number>> = { "": 1, s: 1_000, MiB: 2 ** 20 };
  /** `10 s` as the code has it. */
  const written = (told: string): unknown => {
    const [text = ""] = codeIn(told);
    if (text !== "") return JSON.parse(text);
    const [, figure, unit = ""] = /^(\d+) ?(\w*)$/.exec(told) ?? [];
    return Number(figure) * (UNITS[unit] ?? Number.NaN);
  };
  const told = ["Options", "Timers and limits"].flatMap((title) =>
    doc.rows(title).flatMap(([cell = "", value = ""]) => codeIn(cell).map((option) => ({ option, value }))),
  );
  const checked = told.filter(
    ({ option }) => option in real && !["cwd", "debug", "outbox", "clock"].includes(option),
  );

  test.each(checked)("equal the code's: $option is $value", ({ option, value }) => {
    expect(written(value)).toEqual(real[option]);
  });

  test("are compared with the code for all options that have one", () => {
    const all = Object.keys(real).filter((name) => !["cwd", "debug", "clock", "outbox"].includes(name));
    expect(checked.map(({ option }) => option).sort()).toEqual(all.sort());
    expect([real["cwd"], real["debug"]]).toEqual([undefined, false]);
  });

  test.each(["json", "text"] as const)("say which timers are off in the profile %s", (profile) => {
    expect(resolveOptions({ profile })).toMatchObject({
      startupTimeout: 0,
      idleTimeout: 0,
      freeFlag: "--lite",
    });
    const why = (name: string): string =>
      doc.rows("Timers and limits").find(([cell]) => cell === `\`${name}\``)?.[2] ?? "";
    expect(why("startupTimeout")).toContain(`"${profile}"`);
    expect(why("idleTimeout")).toMatch(/Off as above/);
  });
});

test("no kind of failure is retryable, as docs/codebuff-cli.md says", () => {
  const stderr = { head: [], tail: [], truncated: false, totalLines: 0 };
  const retryable = KINDS.filter(
    (kind) =>
      new CodebuffCliError({ kind, origin: "process", serverMessage: "", exitCode: 1, stderr }).retryable,
  );
  expect(retryable).toEqual([]);
  expect(doc.section("Which error, what now")).toContain("None is `retryable`");
});

describe("the safety notes of docs/codebuff-cli.md", () => {
  const notes = doc.section("Before you run it");

  test.each([
    ["that nobody is asked, and what a prompt is worth", /Nobody is asked.*worth as\s+much as a shell/s],
    ["that `cwd` is no cage", /`cwd` is where it begins, and no cage/],
    [
      "that the whole environment goes there",
      /environment is yours, all of it.*`env: \{ DEPLOY_TOKEN: "" \}`/s,
    ],
    ["that arguments are seen", /Arguments are seen by everybody.*`promptVia: "stdin"`/s],
    ["that the key is no argument", /The key is never an argument/],
    ["that no shell reads a prompt", /No shell reads a prompt.*`--` stands before it/s],
    ["that two runs may meet in a folder", /Two runs in one folder/],
    ["that what comes back is a stranger's", /somebody else's text: strip escapes/],
    ["that Ctrl-C does not reach it", /Ctrl-C does not reach it/],
  ])("say %s", (_, words) => {
    expect(notes).toMatch(words);
  });

  test("match the capability `permissions`, which is `none`", async () => {
    const client = new CodebuffCli();
    expect(client.capabilities.permissions).toBe("none");
    await client.close();
  });

  test("are linked from the top of the page and from README.md", () => {
    expect(doc.text.split("\n## ")[0]).toContain("(#before-you-run-it)");
    expect(read("README.md").includes("(docs/codebuff-cli.md#before-you-run-it)")).toBe(true);
  });

  test("say what still runs after the user's program has ended, and that Windows is not tested", () => {
    expect(doc.section("Stopping")).toMatch(/SIGKILL, or crashes \| \*\*goes on without you\*\*/);
    expect(doc.section("Stopping")).toMatch(/nobody listens \| is killed with all that it started/);
    expect(doc.section("Where it runs")).toMatch(/\*\*Windows is not tested\*\*/);
  });
});

test("docs/codebuff-cli.md lists twelve differences, and fills each column of their table", () => {
  const [, ...differences] = doc.rows("What differs, and who takes care of it");
  expect(differences).toHaveLength(12);
  for (const cells of differences) {
    expect(cells).toHaveLength(4);
    expect(cells.every((cell) => cell.trim() !== "")).toBe(true);
  }
});
