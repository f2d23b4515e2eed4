import { chmod, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { CodebuffCliOptions } from "agentwire/codebuff-cli";
import { CodebuffCli } from "agentwire/codebuff-cli";
import { FakeCodebuffCli, type FakeCodebuffScenario } from "agentwire/testing";
import { describe, expect, test, vi } from "vitest";
import * as page from "../../docs/snippets/codebuff-cli.ts";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { capturedOutput } from "../helpers/captured-output.ts";
import { NO_HOME } from "../helpers/codebuff-cli.ts";

const output = capturedOutput();

/** A fake program, the options that lead to it, and a client of it. */
async function started(scenario: FakeCodebuffScenario = {}) {
  const cli = await FakeCodebuffCli.start(scenario);
  const options: CodebuffCliOptions = {
    command: cli.command,
    args: cli.args,
    env: { CODEBUFF_API_KEY: "", ...cli.env },
    homeDir: NO_HOME,
  };
  const client = new CodebuffCli(options);
  return { cli, options, client, [Symbol.asyncDispose]: () => ended(cli, client) };
}

async function ended(cli: FakeCodebuffCli, client: CodebuffCli): Promise<void> {
  await client.close({ force: true });
  await cli.stop();
}

/** Closes a client when the test leaves. */
const closing = (client: CodebuffCli) => ({ [Symbol.asyncDispose]: () => client.close({ force: true }) });

/** A machine on which nobody has logged in, for whoever asks the system where its user lives. */
async function home() {
  const folder = await tempFolder();
  vi.stubEnv("HOME", folder.path);
  vi.stubEnv("USERPROFILE", folder.path);
  vi.stubEnv("CODEBUFF_API_KEY", "");
  return folder;
}

const continued = (cli: FakeCodebuffCli) => cli.runs().map(({ options }) => options["--continue"]);

test("the first program of docs/codebuff-cli.md finds `codebuff`, and shows its text and tools", async () => {
  await using folder = await home();
  await using cli = await FakeCodebuffCli.start({
    events: [
      { type: "start" },
      { type: "text", text: "Let me look." },
      { type: "tool_call", toolCallId: "t1", toolName: "read_files", input: { paths: ["a.ts"] } },
      { type: "tool_result", toolCallId: "t1", toolName: "read_files", output: [] },
      { type: "text", text: "A comma is missing." },
      { type: "finish", totalCost: 12 },
    ],
  });
  const program = join(folder.path, "codebuff");
  await writeFile(program, `#!/bin/sh\nexec '${cli.command}' '${cli.path}' "$@"\n`);
  await chmod(program, 0o755);
  vi.stubEnv("PATH", `${folder.path}${delimiter}${process.env["PATH"]}`);
  for (const [name, value] of Object.entries(cli.env)) vi.stubEnv(name, value);

  await import("../../docs/snippets/codebuff-cli-first.ts");

  expect(output.streamed).toBe("Let me look.A comma is missing.");
  expect(output.logged).toEqual([["\n(read_files)"], ["\n(tool calls: 1, credits: 12)"]]);
  expect(cli.runs().map(({ argv }) => argv.at(-1))).toEqual(["Why does the build fail? Change nothing."]);
});

describe("the probe of a program", () => {
  test.each([
    ["note", ["--stream-json"], "--free"],
    ["fork", ["-n", "--json"], "--lite"],
    ["print", ["-p"], "--lite"],
  ] as const)("finds the profile, and the client uses its flags: %s", async (profile, flags, free) => {
    await using at = await started({ profile });
    const client = await page.chosen({ ...at.options, mode: "free" });
    await using _closing = closing(client);
    expect((await client.prompt("hi").result).text).toBe("You said: hi");
    expect(at.cli.runs().at(-1)?.argv).toEqual([...flags, free, "--", "hi"]);
  });

  test("refuses a program that needs a terminal", async () => {
    await using at = await started({ profile: "tui" });
    await expect(page.chosen(at.options)).rejects.toThrow("(1.0.600) runs in a terminal only");
  });
});

test("a conversation is continued, saved, and continued from its saved state", async () => {
  await using at = await started({ sessionKey: "session_id", sessionId: "s-1" });
  const resumed = await page.conversations(at.client);
  await resumed.prompt("And now?").result;
  expect(continued(at.cli)).toEqual([undefined, "s-1", "s-1"]);
});

test("a question is answered by the next prompt", async () => {
  await using at = await started({ askUser: true, sessionKey: "session_id", sessionId: "s-1" });
  const asked: string[] = [];
  const client = await page.questions(at.options, async (questions) => {
    asked.push(...questions.map(({ question }) => question));
    at.cli.set({ askUser: undefined });
    return ["Red"];
  });
  await using _closing = closing(client);
  await at.cli.nextRun();
  const answered = await at.cli.nextRun();
  expect(asked).toEqual(["Which colour?"]);
  expect(answered.prompt).toBe("Red");
  expect(continued(at.cli)).toEqual([undefined, "s-1"]);
});

describe("credentials", () => {
  test("are separate with `isolateHome`, in a home folder for the program", async () => {
    await using at = await started({ requireKey: true, recordEnv: ["HOME"] });
    const client = page.isolated(at.options, "a-key");
    await using _closing = closing(client);
    await client.prompt("hi").result;
    expect(at.cli.runs()[0]?.env["HOME"]).toContain("codebuff-home-");
  });
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s ends the running turn first, then the program with exit code %i", async (signal, code) => {
  await using at = await started({ events: [{ type: "text", text: "part" }, { hold: "for ever" }] });
  const left = new Promise((resolve) => {
    vi.spyOn(process, "exit").mockImplementation((given) => resolve(given) as never);
  });
  const forget = page.onSignals(at.client);
  const leave = process.listeners(signal).at(-1);
  try {
    void at.client.prompt("hi");
    const { pid } = await at.cli.nextRun();
    leave?.(signal);
    expect(await left).toBe(code);
    await at.cli.gone(pid);
  } finally {
    forget();
  }
});

test("a second Ctrl-C does not wait for the process", async () => {
  await using at = await started({ events: [{ hold: "for ever" }], ignoreSigterm: true });
  const left = new Promise((resolve) => {
    vi.spyOn(process, "exit").mockImplementation((given) => resolve(given) as never);
  });
  const forget = page.onSignals(at.client);
  const leave = process.listeners("SIGINT").at(-1);
  try {
    void at.client.prompt("hi");
    const { pid } = await at.cli.nextRun();
    leave?.("SIGINT");
    await at.cli.waitFor((cli) => cli.runs()[0]?.signals[0]);
    leave?.("SIGINT");
    expect(await left).toBe(130);
    await at.cli.gone(pid);
  } finally {
    forget();
  }
});

describe("an error", () => {
  test("of the program is shown with its message, and a missing key opens the login", async () => {
    await using at = await started({ failWith: "no-key" });
    const logIn = vi.fn();
    await page.errors(at.client, logIn);
    expect(logIn).toHaveBeenCalledOnce();
    expect(output.logged).toEqual([
      ["auth", expect.stringMatching(/No authentication token found.*CODEBUFF_API_KEY/)],
      [1, expect.stringMatching(/^Error: No authentication token found/)],
    ]);
  });

  test("of a missing program says how to install it; any other error is thrown", async () => {
    const client = new CodebuffCli({ command: "no-such-program", homeDir: NO_HOME });
    const logIn = vi.fn();
    await page.errors(client, logIn);
    await client.close();
    expect(output.logged).toEqual([
      [expect.stringMatching(/^`no-such-program` is not to be found; .*npm install -g codebuff/)],
    ]);
    await expect(page.errors(client, logIn)).rejects.toMatchObject({ code: "closed" });
    expect(logIn).not.toHaveBeenCalled();
  });
});
