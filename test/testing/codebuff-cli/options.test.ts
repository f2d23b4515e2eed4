import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { FakeCodebuffCli, type FakeCodebuffProfile } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { tempFolder } from "../../../scripts/support/temp-folder.ts";
import { objectOf, played, run } from "./fake.ts";

const COMMON = { "--max": true, "--cwd": "." } as const;

describe("the CLI's options", () => {
  test.each<[FakeCodebuffProfile, readonly string[], Record<string, string | true>]>([
    [
      "note",
      ["--stream-json", "--json", "-n", "-q", "--timeout", "60", "--free", "--plan", "--continue", "c1"],
      {
        "--stream-json": true,
        "--json": true,
        "--non-interactive": true,
        "--quiet": true,
        "--timeout": "60",
        "--free": true,
        "--plan": true,
        "--continue": "c1",
      },
    ],
    [
      "fork",
      [
        ...["--json", "--non-interactive", "--quiet", "--output", "out.txt", "--timeout", "60", "--lite"],
        ...["--plan", "--continue", "c1", "--agent", "a/b@1", "--clear-logs"],
      ],
      {
        "--json": true,
        "--non-interactive": true,
        "--quiet": true,
        "--output": "out.txt",
        "--timeout": "60",
        "--lite": true,
        "--plan": true,
        "--continue": "c1",
        "--agent": "a/b@1",
        "--clear-logs": true,
      },
    ],
    [
      "print",
      ["-p", "--params", '{"a":1}', "--lite", "--agent", "a/b@1"],
      { "--print": true, "--params": '{"a":1}', "--lite": true, "--agent": "a/b@1" },
    ],
  ])("of %s are all known, even when combined", async (profile, argv, options) => {
    await using folder = await tempFolder();
    const given = [...argv, "--max", "--cwd", ".", "--", "hi"];
    const { record, code } = await played({ profile }, given, { cwd: folder.path });

    expect(code).toBe(0);
    expect(record.options).toEqual({ ...options, ...COMMON });
    expect(record.argv).toEqual(given);
  });

  test("of tui are all known, even when combined, and open the terminal UI", async () => {
    await using cli = await FakeCodebuffCli.start({ profile: "tui", unknownOption: "error" });
    const argv = [
      "--free",
      "--lite",
      "--max",
      "--plan",
      "--continue",
      "--agent",
      "a",
      "--clear-logs",
      "--cwd",
      ".",
    ];
    const running = run(cli, argv);
    const { options } = await cli.nextRun();
    await cli.stop();

    expect((await running).signal).toBe("SIGKILL");
    expect(Object.keys(options)).toEqual(argv.filter((word) => word.startsWith("-")));
    expect(options["--continue"]).toBe(true);
  });

  test.each<[FakeCodebuffProfile, string]>([
    ...["--output", "--print", "--params", "--lite", "--agent", "--clear-logs"].map(
      (flag): [FakeCodebuffProfile, string] => ["note", flag],
    ),
    ...["--stream-json", "--free", "-p", "--params"].map((flag): [FakeCodebuffProfile, string] => [
      "fork",
      flag,
    ]),
    ...["--stream-json", "--json", "-n", "-q", "-o", "--timeout", "--free", "--plan", "--continue"].map(
      (flag): [FakeCodebuffProfile, string] => ["print", flag],
    ),
    ...["--stream-json", "--json", "-n", "--timeout", "-p"].map((flag): [FakeCodebuffProfile, string] => [
      "tui",
      flag,
    ]),
  ])("of %s exclude %s: exit code 1 and an empty stdout", async (profile, flag) => {
    const { stdout, stderr, code } = await played({ profile, unknownOption: "error" }, [flag, "--", "hi"]);

    expect({ stdout, stderr, code }).toEqual({
      stdout: "",
      stderr: `error: unknown option '${flag}'\n`,
      code: 1,
    });
  });

  test("that the profile lacks are ignored with unknownOption: ignore", async () => {
    const { lines, record } = await played({ unknownOption: "ignore" }, [
      "--future",
      ...["--stream-json", "--", "hi"],
    ]);

    expect(lines).toHaveLength(3);
    expect(record.unknownOptions).toEqual(["--future"]);
  });

  test("-v and -h print the version and the options, with exit code 0", async () => {
    await using cli = await FakeCodebuffCli.start({ version: "1.2.3" });
    const [version, help] = await Promise.all([run(cli, ["-v"]), run(cli, ["--help"])]);

    expect(version).toMatchObject({ stdout: "1.2.3\n", stderr: "", code: 0 });
    expect(help).toMatchObject({ stderr: "", code: 0 });
    expect(help.stdout).toMatch(/^ {2}--stream-json /m);
    expect(help.stdout).not.toContain("--lite");
  });

  test("for the mode select the agent: plan before max before free", async () => {
    await using cli = await FakeCodebuffCli.start();
    const modes = [["--free"], ["--free", "--max"], ["--plan", "--max"], []];
    await Promise.all(modes.map((mode) => run(cli, ["--stream-json", ...mode, "--", "hi"])));
    const agents = cli.runs().map(({ argv, agent }) => `${argv.slice(1, -2).join(" ")} ${agent}`);

    expect(agents.sort()).toEqual([
      " base2",
      "--free --max base2-max",
      "--free base2-free",
      "--plan --max base2-plan",
    ]);
  });

  test.each([
    [
      "an option without its required value",
      ["--timeout"],
      "error: option '--timeout <seconds>' argument missing\n",
    ],
    ["a value for an option without a value", ["--max=3"], "error: unknown option '--max=3'\n"],
    ["a group with an unknown letter", ["-nz"], "error: unknown option '-z'\n"],
  ])("are refused: %s", async (_, argv, stderr) => {
    expect(await played({}, argv)).toMatchObject({ stdout: "", stderr, code: 1 });
  });

  test("take values in the same word, in a group, or from a next word that looks like an option", async () => {
    const argv = ["-nq", "--timeout=60", "--cwd=.", "--continue=c1", "--timeout", "-5", "two", "words"];
    const { record, stdout } = await played({ echoPrompt: true }, argv);

    expect(record.options).toEqual({
      "--non-interactive": true,
      "--quiet": true,
      "--timeout": "-5",
      "--cwd": ".",
      "--continue": "c1",
    });
    expect(stdout).toBe("two words\n");
  });
});

describe("a prompt as the last argument, as in the fork", () => {
  const FORK = { profile: "fork", echoPrompt: true, traceLines: false } as const;

  test("-x hello is refused as an unknown option", async () => {
    const { stderr, stdout, code } = await played(FORK, ["-n", "-x hello"]);

    expect({ stderr, stdout, code }).toEqual({
      stderr: "error: unknown option '-x hello'\n",
      stdout: "",
      code: 1,
    });
  });

  test("--max is read as a mode, and there is no prompt", async () => {
    const { stderr, record, code } = await played(FORK, ["-n", "--max"]);

    expect(stderr).toMatch(/^Error: No prompt provided\.\n\nUsage: /);
    expect(record).toMatchObject({ agent: "base2-max", options: { "--max": true } });
    expect(record).not.toHaveProperty("prompt");
    expect(code).toBe(1);
  });

  test("--cwd=/elsewhere do it is read as the working directory, and the CLI crashes", async () => {
    const { stderr, stdout, code } = await played(FORK, ["-n", "--cwd=/elsewhere do it"]);

    expect(stderr).toMatch(/ENOENT: no such file or directory.*'\/elsewhere do it'\n +at /s);
    expect({ stdout, code }).toEqual({ stdout: "", code: 1 });
  });

  test("-oFILE writes the answer to stdin's prompt into that file", async () => {
    await using folder = await tempFolder();
    const file = join(folder.path, "answer.txt");
    const ended = await played(FORK, ["-n", `-o${file}`], { stdin: "from stdin" });

    expect(ended).toMatchObject({ stdout: "", stderr: "", code: 0 });
    expect(await readFile(file, "utf8")).toBe("from stdin\n");
  });

  test.each([
    ["-x hello", "-x hello"],
    ["--max", "--max"],
    ["--cwd=/elsewhere do it", "--cwd=/elsewhere do it"],
    ["-o/some/file", "-o/some/file"],
    ["--", "--"],
    ["-", "-"],
    ["publish", "publish"],
    ["what a shell would run", "\"quotes\" 'quotes' $(id) `id` %PATH% ; touch x"],
    ["lines, emoji and a leading space", " two\nlines\r\nand\ta tab, 👋🏽 and é"],
    ["90 kB", "long ".repeat(18_000)],
  ])("%s after -- is sent verbatim", async (_, prompt) => {
    const { stdout, record } = await played(FORK, ["-n", "--json", "--", prompt]);

    expect(objectOf({ stdout })["output"]).toBe(prompt);
    expect(record).toMatchObject({ prompt, promptFrom: "argv" });
  });

  test("a leading space makes it verbatim without --", async () => {
    expect(await played(FORK, ["-n", " hi"])).toMatchObject({ stdout: " hi\n" });
  });

  test("after --continue without an id is read as the id, unless -- precedes it", async () => {
    await using cli = await FakeCodebuffCli.start(FORK);
    const eaten = await run(cli, ["-n", "--continue", "hello"]);
    const guarded = await run(cli, ["-n", "--continue", "--", "text"]);

    expect(eaten).toMatchObject({
      stdout: "",
      stderr: expect.stringMatching(/^Error: No prompt provided\./),
      code: 1,
    });
    expect(guarded).toMatchObject({ stdout: "text\n", code: 0 });
    expect(cli.runs().map(({ options }) => options["--continue"])).toEqual(["hello", true]);
  });

  test("publish is a prompt even without --, in non-interactive mode", async () => {
    expect(await played(FORK, ["-n", "publish"])).toMatchObject({ stdout: "publish\n" });
  });
});
