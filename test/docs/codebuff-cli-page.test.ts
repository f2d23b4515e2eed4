import { readdirSync, readFileSync } from "node:fs";
import {
  CodebuffCli,
  type CodebuffCliClientEvents,
  CodebuffCliError,
  type CodebuffCliFailureKind,
  type CodebuffCliOptions,
  type CodebuffCliProfile,
  type CredentialPlace,
  type CredentialWarning,
  findCodebuffCredentials,
} from "agentwire/codebuff-cli";
import { describe, expect, test } from "vitest";
import { buildArgv } from "../../src/codebuff-cli/input.ts";
import { resolveOptions } from "../../src/codebuff-cli/options.ts";
import { codeIn, names, Page, read } from "./page.ts";
import { defaultIn, empty, Reference } from "./support/reference.ts";

const doc = new Page("docs/codebuff-cli.md");
const reference = new Reference("codebuff-cli");

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

/** The members of which the reference says nothing. */
function silent(type: string): string[] {
  return [...reference.members(type)].flatMap(([name, { text, default: told }]) =>
    text === "" && told === undefined ? [name] : [],
  );
}

describe("the reference of agentwire/codebuff-cli tells", () => {
  test("of every option, and of no other", () => {
    expect([...reference.members("CodebuffCliOptions").keys()].sort()).toEqual([...OPTIONS].sort());
    expect(silent("CodebuffCliOptions")).toEqual([]);
  });

  test.each([
    ["CodebuffCliPromptOptions", []],
    ["CodebuffCliProbe", []],
    ["CodebuffCliStderr", ["totalLines"]],
    ["CodebuffCliResult", ["toolCalls", "stderr", "truncated", "usage"]],
    ["CodebuffCliClientEvents", []],
  ])("of every member of %s but those with a plain name", (type, plain) => {
    expect(silent(type)).toEqual(plain);
  });

  test("why a run fails, for each kind, and that none is retryable", () => {
    expect([...reference.union("CodebuffCliFailureKind")].map(([kind]) => JSON.parse(kind))).toEqual(KINDS);
    const untold = [...reference.union("CodebuffCliFailureKind")].filter(([, text]) => text === "");
    expect(untold).toEqual([]);
    expect(reference.of("CodebuffCliFailureKind").text).toContain("None is retryable");
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
    const told = codeIn(reference.members("CodebuffCliClientEvents").get("protocolWarning")?.text ?? "");
    expect([...given, ...ofKeys, "listener-threw"].filter((kind) => !told.includes(kind))).toEqual([]);
  });

  test("which events never come", () => {
    const never = names<Extract<keyof CodebuffCliClientEvents, `${string}connect${string}` | "approval">>({
      reconnecting: true,
      reconnected: true,
      disconnected: true,
      approval: true,
    });
    const { text } = reference.of("CodebuffCliClientEvents");
    expect(never.filter((name) => !codeIn(text).includes(name))).toEqual([]);
  });
});

describe("docs/codebuff-cli.md names", () => {
  test("every profile", () => {
    const all = names<CodebuffCliProfile>({ "stream-json": true, json: true, print: true, text: true });
    const told = doc.rows("Which program, which profile").flatMap(([cell = ""]) => codeIn(cell));
    expect(told.filter((code) => code.startsWith('"')).map((code) => JSON.parse(code))).toEqual(all);
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

describe("the defaults in the reference of agentwire/codebuff-cli", () => {
  const real: Readonly<Record<string, unknown>> = { ...resolveOptions({}) };
  const words = ["cwd", "clock", "outbox", "freeFlag"]; // told in words
  const checked = Object.keys(real).filter((name) => !words.includes(name));

  test.each(checked)("equal the code's: %s", (name) => {
    const entry = reference.members("CodebuffCliOptions").get(name);
    expect(entry && defaultIn(entry)).toEqual(empty(real[name]));
  });

  test.each(["json", "text"] as const)("say what is different in the profile %s", (profile) => {
    expect(resolveOptions({ profile })).toMatchObject({
      startupTimeout: 0,
      idleTimeout: 0,
      freeFlag: "--lite",
    });
    const told = (name: string) => reference.members("CodebuffCliOptions").get(name)?.default;
    expect(told("startupTimeout")).toContain("off if all output comes at the end");
    expect(told("idleTimeout")).toContain("off if all output comes at the end");
    expect(told("freeFlag")).toBe('"--free" for `stream-json`, else "--lite"');
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
    expect(notes).toMatch(/\*\*Windows is not tested\*\*/);
  });
});

test("docs/codebuff-cli.md says what the program is called now", () => {
  expect(doc.text).toContain("**Codebuff is called Freebuff now**");
});
