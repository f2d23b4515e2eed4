import { rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { CodebuffCli } from "agentwire/codebuff-cli";
import { describe, expect, test } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { cliWorld, HELD, NO_HOME } from "../helpers/codebuff-cli.ts";
import { share } from "../helpers/runs.ts";
import { shown, thrown } from "../helpers/turns.ts";

/** Turns that wait at once. */
const MANY = share(5_000);

describe("queued prompts", () => {
  test("keep the options of the call, even if the caller changes the object later", async () => {
    await using at = await cliWorld(
      { profile: "print", events: { byPrompt: { first: HELD } } },
      { profile: "print", maxProcesses: 1 },
    );
    const first = at.client.prompt("first");
    await shown(first, "part");
    const params: Record<string, unknown> = { a: 1 };
    const options = { params, mode: "max" as "max" | "free" };
    const second = at.client.prompt("second", options);
    params["itself"] = params;
    options.mode = "free";
    at.cli.release("go");
    await second.result;
    expect(at.cli.runs()[1]?.argv).toEqual(["-p", "--max", "--params", '{"a":1}', "--", "second"]);
  });

  test("pass a relative `cwd` as an absolute path", async () => {
    await using folder = await tempFolder();
    await using at = await cliWorld();
    await at.client.prompt("hi", { cwd: relative(process.cwd(), folder.path) }).result;
    const [run] = at.cli.runs();
    expect(run?.argv).toEqual(["--stream-json", "--cwd", folder.path, "--", "hi"]);
  });

  test("refuse `params` whose JSON is not an object", async () => {
    await using at = await cliWorld({ profile: "print" }, { profile: "print" });
    expect(thrown(() => at.client.prompt("hi", { params: { toJSON: () => [1] } }))).toMatchObject({
      code: "invalid-input",
      message: expect.stringContaining("`params`"),
    });
  });

  test("of many that cannot be started any more, each fails", async () => {
    await using folder = await tempFolder();
    const command = join(folder.path, "tool");
    await writeFile(command, "#!/bin/sh\nread line\n", { mode: 0o755 });
    const client = new CodebuffCli({ command, homeDir: NO_HOME, maxProcesses: 1, maxQueuedTurns: MANY });
    const turns = Array.from({ length: MANY }, () => client.prompt("hi"));
    await rm(command);
    await turns[0]?.cancel();
    const outcomes = await Promise.all(turns.slice(1).map(({ outcome }) => outcome));
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(["failed"]));
    await client.close();
  });
});
