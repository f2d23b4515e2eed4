import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FakeCodebuffCli, type FakeCodebuffFailure, type FakeCodebuffScenario } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { tempFolder } from "../../../scripts/support/temp-folder.ts";
import { objectOf, played, STREAM, start } from "./fake.ts";

const JSON_OBJECT = ["-n", "--json", "--", "hi"] as const;
const FORK = { profile: "fork", traceLines: false } as const;
const TRACES = [{ type: "start", model: "openai/gpt-5-mini" }];

describe("the object of --json for a failed run", () => {
  test.each<[string, FakeCodebuffScenario, string, boolean]>([
    ["no prompt", { failWith: "no-prompt" }, "No prompt provided.", false],
    [
      "no key",
      { requireKey: true },
      "No authentication token found. Please run `codebuff` first to authenticate.",
      false,
    ],
    ["/me refused", { failWith: "me" }, "Authentication failed", false],
    ["chat 401", { failWith: "401" }, "Agent run error: Unauthorized", true],
    ["chat 402", { failWith: "402" }, "Payment Required", true],
    ["chat 403", { failWith: "403" }, "Agent run error: Forbidden", true],
    ["empty answer", { failWith: "no-response" }, "No response from agent", true],
  ])("has the error of %s", async (_, scenario, error, hasTraces) => {
    const { stdout, stderr, code } = await played({ ...FORK, ...scenario }, JSON_OBJECT);

    expect(stdout).toMatch(/^\{\n {2}"success": false,\n {2}"output": "",\n/);
    expect(objectOf({ stdout })).toEqual({
      success: false,
      output: "",
      ...(hasTraces ? { traces: TRACES } : {}),
      error,
    });
    expect({ stderr, code }).toEqual({ stderr: "", code: 1 });
  });

  test.each<[FakeCodebuffFailure, string]>([
    ["429", "Too Many Requests"],
    ["500", "Internal Server Error"],
    ["502", "Bad Gateway"],
    ["503", "Service Unavailable"],
    ["504", "Gateway Timeout"],
  ])("has the error of chat %s, and a stack after a blank line", async (failWith, text) => {
    const { stdout, code } = await played({ ...FORK, failWith }, JSON_OBJECT);
    const [error, stack] = String(objectOf({ stdout })["error"]).split("\n\n");

    expect(error).toBe(`Agent run error: Failed after 4 attempts. Last error: ${text}`);
    expect(stack).toMatch(/\n +at /);
    expect(code).toBe(1);
  });

  test("has the error of an unknown agent", async () => {
    const { stdout } = await played({ ...FORK, failWith: "agent" }, ["--agent", "x", ...JSON_OBJECT]);

    expect(objectOf({ stdout })["error"]).toMatch(/^Invalid agent ID: "x"\. Available agents: \w+/);
  });

  test("has the text so far when --timeout is reached", async () => {
    const scenario = { ...FORK, secondMs: 20, stallAfter: 1, events: [{ type: "text", text: "So far" }] };
    const { stdout, code } = await played(scenario, ["--timeout", "2", "-n", "--json", "--", "hi"]);

    expect(objectOf({ stdout })).toEqual({
      success: false,
      output: "So far",
      traces: [],
      error: "Run cancelled by user.",
    });
    expect(code).toBe(1);
  });

  test.each(["SIGTERM", "SIGINT"] as const)("is not printed after %s", async (signal) => {
    await using cli = await FakeCodebuffCli.start({ ...FORK, stallAfter: 1 });
    const { child, ended } = start(cli, JSON_OBJECT);
    await cli.nextRun();
    child.kill(signal);

    expect(await ended).toMatchObject({ stdout: "", code: null, signal });
    expect(cli.runs()[0]).toMatchObject({ signals: [{ signal }], end: { code: null, signal } });
  });

  test("has the output before the failure", async () => {
    const events = [
      { type: "text", text: "Partly." },
      { type: "error", message: "a hitch" },
    ];
    const { stdout } = await played({ ...FORK, failWith: "402", events }, JSON_OBJECT);

    expect(objectOf({ stdout })).toEqual({
      success: false,
      output: "Partly.",
      traces: [{ type: "error", message: "a hitch" }],
      error: "Payment Required",
    });
  });
});

describe("a failure without --json is printed on stderr", () => {
  test.each<[FakeCodebuffFailure, RegExp]>([
    ["no-prompt", /^Error: No prompt provided\.\n\nUsage: codebuff /],
    ["me", /^Error running prompt: Authentication failed\n$/],
    ["401", /^Error: Agent run error: Unauthorized\n$/],
  ])("for %s with -n", async (failWith, told) => {
    expect(await played({ ...FORK, failWith }, ["-n", "hi"])).toMatchObject({
      stdout: "",
      stderr: expect.stringMatching(told),
      code: 1,
    });
  });

  test("with --stream-json, after a finish without cost and without an error event", async () => {
    const { lines, stderr, code } = await played({ failWith: "402" });

    expect(lines).toEqual([
      '{"type":"start","messageHistoryLength":0}',
      '{"type":"finish","agentId":"base2","totalCost":0}',
    ]);
    expect({ stderr, code }).toEqual({ stderr: "Error: Payment Required\n", code: 1 });
  });

  test("with --stream-json and an empty stdout, if the run fails before it starts", async () => {
    expect(await played({ failWith: "no-key" })).toMatchObject({
      stdout: "",
      stderr: "Error: No authentication token found. Please run `codebuff` first to authenticate.\n",
      code: 1,
    });
  });

  test.each(["x", "-5", "0", ""])(
    "unless --timeout is %j, which silently means no limit",
    async (seconds) => {
      const { lines, code } = await played({ secondMs: 0 }, ["--timeout", seconds, ...STREAM]);

      expect(lines).toHaveLength(3);
      expect(code).toBe(0);
    },
  );
});

describe("the older CLI", () => {
  const PRINT = { profile: "print" } as const;
  const ARGV = ["-p", "--", "hi"] as const;

  test("exits with 1 without a prompt, and prints an error event on stderr", async () => {
    const { stdout, stderr, code } = await played(PRINT, ["-p"]);

    expect({ stdout, code }).toEqual({ stdout: "", code: 1 });
    expect(stderr).toBe('{"type":"error","message":"Error: Print mode requires a prompt to be set"}\n');
  });

  test("exits with 1 without a server", async () => {
    const { stderr, code } = await played({ ...PRINT, failWith: "connect" }, ARGV);

    expect({ stderr, code }).toEqual({ stderr: "Could not connect to server.\n", code: 1 });
  });

  test("exits with 0 even for a failed run, and prints the errors on stderr", async () => {
    const events = [
      { type: "text", text: "a" },
      { type: "error", message: "a hitch" },
    ];
    const { stdout, stderr, code } = await played({ ...PRINT, failWith: "401", events }, ARGV);

    expect(stdout).toBe('{"type":"text","text":"a"}\n');
    expect(
      stderr
        .split("\n")
        .slice(0, -1)
        .map((line): unknown => JSON.parse(line)),
    ).toEqual([
      { type: "error", message: "a hitch" },
      { type: "error", message: "Agent run error: Unauthorized" },
    ]);
    expect(code).toBe(0);
  });
});

describe("an API key", () => {
  const USER = { id: "u", email: "e", name: "n", fingerprintId: "f", fingerprintHash: "h" };

  /** Which key counts, of a file with this content and this one in the environment. */
  async function keyWith(file: unknown, env: string) {
    await using folder = await tempFolder();
    const credentialsFile = join(folder.path, "credentials.json");
    if (file !== undefined) await writeFile(credentialsFile, JSON.stringify(file));
    const { record, code } = await played({ requireKey: true, credentialsFile }, STREAM, {
      env: { CODEBUFF_API_KEY: env },
    });
    return { code, ...record.key };
  }

  test("in the CLI's own file takes precedence over the environment", async () => {
    const file = { default: { ...USER, authToken: "abc" } };
    const sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    expect(await keyWith(file, "def")).toEqual({ code: 0, from: "file", sha256 });
  });

  test.each([
    ["is missing", undefined],
    ["has a profile that lacks a field", { default: { ...USER, name: undefined, authToken: "abc" } }],
    ["has no token", { default: USER }],
    ["that is not an object", 7],
  ])("in the environment is used if the file %s", async (_, file) => {
    expect(await keyWith(file, "def")).toMatchObject({ code: 0, from: "env" });
  });

  test("that is empty counts as missing", async () => {
    expect(await keyWith(undefined, "")).toEqual({ code: 1 });
  });

  test("is recorded only as a hash", async () => {
    const env = {
      CODEBUFF_API_KEY: "abc",
      CODEBUFF_URL: "x?abc",
      NO_COLOR: "1",
      SECRET: "abc.",
      OTHER: "no",
    };
    const { record } = await played({ recordEnv: ["SECRET"] }, STREAM, { env });
    const hidden = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    expect(record.env).toMatchObject({
      CODEBUFF_API_KEY: hidden,
      CODEBUFF_URL: `x?${hidden}`,
      NO_COLOR: "1",
      SECRET: `${hidden}.`,
    });
    expect(record.env).not.toHaveProperty("OTHER");
  });
});
