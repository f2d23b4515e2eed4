import { tmpdir } from "node:os";
import { join } from "node:path";
import { CodebuffCli, type CodebuffCliOptions, type CodebuffCliPromptOptions } from "agentwire/codebuff-cli";
import { expect } from "vitest";
import { resolveOptions } from "../../src/codebuff-cli/options.ts";
import { thrown } from "../contract/support.ts";
import { describe, test } from "./rows.ts";

/** What each option cannot be. */
const WRONG: { readonly [Name in keyof Required<CodebuffCliOptions>]: readonly unknown[] } = {
  command: ["", " ", 7, "a\0b"],
  args: ["--x", [7], ["a\0b"]],
  profile: ["jsonl", 7],
  mode: ["lite", 7],
  freeFlag: ["--max", true],
  cwd: ["", "-x", "a\0b", 7],
  env: [[], { A: 7 }, { A: "a\0b" }, { "A=B": "c" }, { "": "c" }, "A=b"],
  apiKey: [7, "a\0b"],
  homeDir: ["", "-x", 7],
  configDirName: ["", "-x", 7],
  credentialOrder: ["own", 7],
  isolateHome: ["yes", 1],
  requireKey: ["yes", 1],
  promptVia: ["pipe", 7],
  endOfOptions: ["--", 1],
  commandPrefixes: ["/x", [7]],
  allowCommands: ["yes", 1],
  maxProcesses: [0, -1, 1.5, "4"],
  startupTimeout: [-1, NaN, "1"],
  idleTimeout: [-1, Infinity, "1"],
  exitGrace: [-1, "1"],
  killGrace: [-1, "1"],
  requireFinish: ["yes", 1],
  requireContinuity: ["yes", 1],
  answerByContinue: ["yes", 1],
  forwardSignals: ["SIGINT", 1],
  maxLineBytes: [0, -1, "1"],
  maxOutputBytes: [0, -1, "1"],
  maxQueuedEvents: [0, -1, "1"],
  maxQueuedTurns: [0, -1, "1"],
  maxQueuedBytes: [0, -1, "1"],
  maxBufferedBytes: [0, -1, "1"],
  maxTextBytes: [0, -1, "1"],
  signal: [{}, 7],
  logger: [7, "console", {}],
  debug: ["yes", 1],
  clock: [7, "now"],
};

/** And each option of a prompt. */
const WRONG_OF_PROMPT: { readonly [Name in keyof Required<CodebuffCliPromptOptions>]: readonly unknown[] } = {
  mode: ["lite", 7],
  cwd: ["", "-x", "a\0b", 7],
  promptVia: ["pipe", 7],
  allowCommands: ["yes", 1],
  agent: ["", "-x", "--max", "a\0b", 7],
  params: [[], "x", 7],
  sessionId: ["", "-x", "--max", "a b", "a\0b", "/etc", ".a", "é", "a".repeat(129), 7],
  timeoutSeconds: [0, -1, NaN, Infinity, "3", 1e9],
};

const cases = (table: object) =>
  Object.entries(table).flatMap(([name, values]) =>
    (values as unknown[]).map((value) => [name, value] as const),
  );

describe("an invalid option is refused by the constructor", () => {
  test.each(cases(WRONG))("%s: %j", (name, value) => {
    expect(thrown(() => new CodebuffCli({ [name]: value }))).toMatchObject({
      code: "invalid-input",
      message: expect.stringContaining(`\`${name}\``),
      hint: expect.any(String),
    });
  });

  test.each([null, 7, "x", []])("options that are %j", (options) => {
    expect(thrown(() => new CodebuffCli(options as object))).toMatchObject({ code: "invalid-input" });
  });

  test("and its value is never shown", () => {
    expect(String(thrown(() => new CodebuffCli({ apiKey: "hush\0" })))).not.toContain("hush");
  });
});

describe("an invalid option of a prompt is refused by the call, before a process starts", () => {
  test.each(cases(WRONG_OF_PROMPT))("2.2 rule 2 & 7 bad values & 4 invalid_option: %s: %o", (name, value) => {
    // A command that would be found out, were it started.
    const client = new CodebuffCli({ command: "/nowhere/at/all", profile: "json" });
    expect(thrown(() => client.prompt("hi", { [name]: value }))).toMatchObject({
      code: "invalid-input",
      message: expect.stringContaining(`\`${name}\``),
    });
    expect(client.status).toBe("idle");
  });

  test.each([
    ["a missing folder", join(tmpdir(), "is-not-there")],
    ["a file", import.meta.filename],
    ["a name that is too long", "a".repeat(5_000)],
    ["a path below a file", join(import.meta.filename, "x")],
  ])("2.2 rule 2, cwd: %s", (_, cwd) => {
    const words = { code: "invalid-input", message: expect.stringContaining("`cwd`") };
    expect(thrown(() => new CodebuffCli().prompt("hi", { cwd }))).toMatchObject(words);
    expect(thrown(() => new CodebuffCli({ cwd }).prompt("hi"))).toMatchObject(words);
  });

  test.each([
    ["an object that contains itself", () => Object.assign({}, { self: {} as object }), true],
    ["a bigint, which JSON does not have", () => ({ count: 1n }), false],
    ["an object that becomes a string in JSON", () => ({ toJSON: () => "text" }), false],
    ["an object that becomes undefined in JSON", () => ({ toJSON: () => undefined }), false],
  ])("params: %s", (_, make, isCircle) => {
    const params: Record<string, unknown> = make();
    if (isCircle) params["self"] = params;
    const client = new CodebuffCli({ profile: "print" });
    expect(thrown(() => client.prompt("hi", { params }))).toMatchObject({
      code: "invalid-input",
      message: expect.stringContaining("`params`"),
    });
  });

  test.each([
    ["stream-json", { agent: "a" }, "agent"],
    ["stream-json", { params: {} }, "params"],
    ["json", { params: {} }, "params"],
    ["print", { sessionId: "s" }, "sessionId"],
    ["print", { mode: "plan" }, "plan"],
    ["text", { params: {} }, "params"],
  ] as const)("2.1 %s lacks: %j", (profile, options, name) => {
    expect(thrown(() => new CodebuffCli({ profile }).prompt("hi", options))).toMatchObject({
      code: "invalid-input",
      message: expect.stringContaining(`no flag for \`${name}\``),
    });
  });
});

describe("the defaults", () => {
  test("3.2 defaults: have the documented values", () => {
    expect(resolveOptions({})).toMatchObject({
      command: "codebuff",
      args: [],
      profile: "stream-json",
      mode: "default",
      promptVia: "arg",
      endOfOptions: true,
      commandPrefixes: ["/ralph"],
      maxProcesses: 4,
      startupTimeout: 60_000,
      idleTimeout: 600_000,
      exitGrace: 5_000,
      killGrace: 5_000,
      maxLineBytes: 16_777_216,
      maxOutputBytes: 67_108_864,
      maxQueuedEvents: 1_000,
      maxQueuedTurns: 100,
      maxQueuedBytes: 1_048_576,
    });
  });

  test.each([
    ["stream-json", "--free", 60_000, 600_000],
    ["print", "--lite", 60_000, 600_000],
    ["json", "--lite", 0, 0],
    ["text", "--lite", 0, 0],
  ] as const)(
    "3.2 clocks of %s: have that program's free flag, and timeouts only if it streams",
    (profile, freeFlag, startupTimeout, idleTimeout) => {
      expect(resolveOptions({ profile })).toMatchObject({ freeFlag, startupTimeout, idleTimeout });
    },
  );

  test("are overridden by given options", () => {
    expect(
      resolveOptions({ profile: "json", freeFlag: "--free", startupTimeout: 5, idleTimeout: 6 }),
    ).toMatchObject({
      freeFlag: "--free",
      startupTimeout: 5,
      idleTimeout: 6,
    });
  });
});

describe("the capabilities of a client", () => {
  const of = (options: CodebuffCliOptions) => new CodebuffCli(options).capabilities;

  test.each(["stream-json", "print"] as const)("with %s: include everything that streams", (profile) => {
    expect(of({ profile })).toEqual({
      textDeltas: true,
      reasoning: true,
      toolCalls: true,
      toolOutputDeltas: true,
      subagents: true,
      permissions: "none",
      questions: false,
      usage: "cost",
      images: false,
      cancelOnWire: true,
      history: "server",
      conversations: "many",
      survivesReconnect: true,
      reopens: true,
      recovers: false,
      plan: true,
      context: false,
      branches: false,
      files: false,
      models: false,
      modes: false,
      preview: false,
    });
    expect(of({ profile, answerByContinue: true }).questions).toBe(true);
  });

  test("without a stream: include no text deltas and no cost", () => {
    expect(of({ profile: "json" })).toMatchObject({
      textDeltas: false,
      toolCalls: true,
      subagents: true,
      usage: "none",
    });
    expect(of({ profile: "text" })).toMatchObject({ textDeltas: false, toolCalls: false, subagents: false });
  });
});
