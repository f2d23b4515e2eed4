// Every flag that the client sends is understood by the program that it is meant for, and no prompt is taken for one.
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { CodebuffCliProfile, CodebuffCliPromptOptions } from "agentwire/codebuff-cli";
import { expect } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { cliWorld } from "../helpers/codebuff-cli.ts";
import { thrown } from "../helpers/turns.ts";
import { describe, test } from "./rows.ts";

/** The program of each profile, and how it says what it was told. */
const PROGRAMS = {
  "stream-json": { fake: "note", says: ["--stream-json"], free: "base2-free" },
  json: { fake: "fork", says: ["--non-interactive", "--json"], free: "base2-lite" },
  print: { fake: "print", says: ["--print"], free: "base2-lite" },
  text: { fake: "fork", says: ["--non-interactive", "--quiet"], free: "base2-lite" },
} as const;

/** One run of a profile's own program, and what it understood. */
async function understood(profile: CodebuffCliProfile, options: CodebuffCliPromptOptions) {
  const { fake } = PROGRAMS[profile];
  await using at = await cliWorld({ profile: fake, echoPrompt: true }, { profile });
  const { text } = await at.client.prompt("-x", options).result;
  const [run] = at.cli.runs();
  expect(text).toBe("-x");
  expect(run?.unknownOptions).toEqual([]);
  return { options: run?.options, agent: run?.agent, argv: run?.argv };
}

describe("a mode", () => {
  const CASES = (["stream-json", "json", "print", "text"] as const).flatMap((profile) =>
    (["default", "free", "max", "plan"] as const).map((mode) => ({ profile, mode })),
  );

  test.each(CASES.filter(({ profile, mode }) => profile !== "print" || mode !== "plan"))(
    "2.1 $profile mode $mode: selects its agent",
    async ({ profile, mode }) => {
      const { says, free } = PROGRAMS[profile];
      const { options, agent } = await understood(profile, { mode });
      expect(agent).toBe({ default: "base2", free, max: "base2-max", plan: "base2-plan" }[mode]);
      expect(Object.keys(options ?? {})).toHaveLength(says.length + (mode === "default" ? 0 : 1));
      expect(options).toMatchObject(Object.fromEntries(says.map((name) => [name, true])));
    },
  );

  test("2.1 print mode plan: is refused, because the `print` program has no plan mode", async () => {
    await using at = await cliWorld({ profile: "print" }, { profile: "print" });
    expect(thrown(() => at.client.prompt("hi", { mode: "plan" }))).toMatchObject({
      code: "invalid-input",
      message: expect.stringContaining("`plan`"),
    });
    expect(at.cli.runs()).toEqual([]);
  });
});

describe("an option", () => {
  const GIVEN = {
    sessionId: "2026-02-04T10-00",
    timeoutSeconds: 59.1,
    agent: "my-agent",
    params: { depth: 2 },
  };
  const TOLD = {
    sessionId: { "--continue": "2026-02-04T10-00" },
    timeoutSeconds: { "--timeout": "60" },
    agent: { "--agent": "my-agent" },
    params: { "--params": '{"depth":2}' },
  };
  const ROWS = {
    "stream-json": ["sessionId", "timeoutSeconds"],
    json: ["agent", "sessionId", "timeoutSeconds"],
    print: ["agent", "params"],
    text: ["agent", "sessionId", "timeoutSeconds"],
  } as const;
  const CASES = (Object.keys(ROWS) as (keyof typeof ROWS)[]).map((profile) => {
    const flags: readonly string[] = [
      ...PROGRAMS[profile].says,
      ...ROWS[profile].flatMap((name) => Object.keys(TOLD[name])),
      "--cwd",
    ];
    return { profile, rows: flags.map((flag) => `2.1 ${profile} ${flag}`).join(" & ") };
  });

  test.each(CASES)("$rows: becomes a flag that the program accepts", async ({ profile }) => {
    await using folder = await tempFolder();
    const names: readonly (keyof typeof TOLD)[] = ROWS[profile];
    const given = Object.fromEntries(names.map((name) => [name, GIVEN[name]]));
    const { options } = await understood(profile, { ...given, cwd: folder.path });
    expect(options).toEqual(
      Object.assign(
        Object.fromEntries(PROGRAMS[profile].says.map((name) => [name, true])),
        ...names.map((name) => TOLD[name]),
        { "--cwd": folder.path },
      ),
    );
  });

  test("2.1 print lacks: `timeoutSeconds` becomes no flag, and the client enforces it", async () => {
    await using at = await cliWorld({ profile: "print", events: [{ hold: "go" }] }, { profile: "print" });
    const turn = at.client.prompt("hi", { timeoutSeconds: 10 });
    const { argv } = await at.cli.nextRun();
    expect(argv).toEqual(["-p", "--", "hi"]);
    await at.clock.advance(15_000);
    expect(await turn.outcome).toMatchObject({
      error: { code: "turn-timeout", kind: "total", timeout: 10_000 },
    });
  });
});

describe("a prompt", () => {
  /** All that each is without a guard, as it was seen: a wrong option, a mode, a folder, a file that is written. */
  const PROMPTS = ["-x hello", "--max", "--cwd=/elsewhere do it"] as const;

  test.each(PROMPTS)("2.2 prompt %s: is not read as an option", async (prompt) => {
    await using at = await cliWorld({ profile: "fork", echoPrompt: true }, { profile: "json" });
    expect((await at.client.prompt(prompt).result).text).toBe(prompt);
    expect(at.cli.runs()[0]).toMatchObject({ cwd: process.cwd(), agent: "base2", prompt });
    expect(Object.keys(at.cli.runs()[0]?.options ?? {})).toEqual(["--non-interactive", "--json"]);
  });

  test("2.2 prompt -o/some/file: writes no file, as an argument or over stdin", async () => {
    await using folder = await tempFolder();
    await using at = await cliWorld({ profile: "fork", echoPrompt: true }, { profile: "json" });
    const file = join(folder.path, "file");
    for (const promptVia of ["arg", "stdin"] as const) {
      expect((await at.client.prompt(`-o${file}`, { promptVia }).result).text).toBe(`-o${file}`);
    }
    expect(existsSync(file)).toBe(false);
  });

  test("2.2 prompt behind --: arrives unchanged, even with a `--` of its own", async () => {
    await using at = await cliWorld({ profile: "fork", echoPrompt: true }, { profile: "text" });
    const prompts = [...PROMPTS, "-- --max", "--", "-o/f"];
    const results = await Promise.all(prompts.map((prompt) => at.client.prompt(prompt).result));
    expect(results.map(({ text }) => text)).toEqual(prompts);
  });

  test("2.2 prompt leading space: keeps its spaces", async () => {
    await using at = await cliWorld({ echoPrompt: true });
    expect((await at.client.prompt("  --max ").result).text).toBe("  --max ");
  });

  test("2.2 prompt behind --continue: is not read as a session id", async () => {
    await using at = await cliWorld({ echoPrompt: true });
    expect((await at.client.prompt("text").result).text).toBe("text");
    expect((await at.client.prompt("text", { sessionId: "s-1" }).result).text).toBe("text");
    expect(at.cli.runs().map(({ argv }) => argv)).toEqual([
      ["--stream-json", "--", "text"],
      ["--stream-json", "--continue", "s-1", "--", "text"],
    ]);
  });

  test.each([
    ["2.1 first word publish", "fork", "json", "publish"],
    ["2.1 first word login", "note", "stream-json", "login"],
    ["2.1 first word init-agents", "print", "print", "init-agents"],
  ] as const)("%s: is not read as a command", async (_, profile, mine, prompt) => {
    await using at = await cliWorld({ profile, echoPrompt: true }, { profile: mine });
    expect((await at.client.prompt(prompt).result).text).toBe(prompt);
  });

  test("5.11 two runs in one folder: runs beside another in the same folder, each with its own answer", async () => {
    await using folder = await tempFolder();
    const cwd = join(folder.path, "project");
    await mkdir(cwd);
    await using at = await cliWorld({
      events: { byPrompt: { a: [{ hold: "go" }, { type: "text", text: "A" }] } },
    });
    const first = at.client.prompt("a", { cwd });
    expect((await at.client.prompt("b", { cwd }).result).text).toBe("You said: b");
    at.cli.release("go");
    expect((await first.result).text).toBe("A");
    expect(at.cli.runs().map((run) => run.cwd)).toEqual([cwd, cwd]);
  });
});
