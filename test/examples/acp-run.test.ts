import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { acpStep, acpTool, MockAcpAgent, type MockAcpOptions } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { Child } from "./support/child.ts";

const PROGRAM = fileURLToPath(new URL("../../examples/acp-run.ts", import.meta.url));

/** A program of the user's, at a path, which is the agent. */
async function machine(options: MockAcpOptions = {}) {
  const agent = new MockAcpAgent(options);
  const folder = await tempFolder();
  const { command, args, env } = await agent.program();
  const path = join(folder.path, "my-agent");
  const words = [command, ...args].map((word) => `'${word}'`).join(" ");
  const variables = Object.entries(env).map(([name, value]) => `export ${name}='${value}'\n`);
  await writeFile(path, `#!/bin/sh\n${variables.join("")}exec ${words} "$@"\n`, { mode: 0o755 });
  return {
    agent,
    folder: folder.path,
    run: (...rest: readonly string[]) => new Child(PROGRAM, ["--cwd", folder.path, path, ...rest]),
    async [Symbol.asyncDispose]() {
      await agent.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe("acp-run with --mock", () => {
  test("shows the plan, asks before a command, and says how to go on", async () => {
    await using child = new Child(PROGRAM, ["--mock", "Why?"]);
    await child.until("Allow it?");
    child.type("y");
    expect(await child.exitCode()).toBe(0);
    expect(child.text).toMatch(/You said: Why\?\..*\n {2}\[>\] Count the pages\nThe agent wants execute:\n/);
    expect(child.text).toMatch(
      /execute is done:\n[\s\S]*notes\.md[\s\S]*\[x\] Count the pages\nThere are two pages\./,
    );
    expect(child.text).toMatch(/\(done, 40 tokens written\)\n$/);
    expect(child.stderr).toBe("");
  });

  test("denies what nobody allows", async () => {
    await using child = new Child(PROGRAM, ["--mock", "Why?"]);
    await child.until("Allow it?");
    child.endOfInput();
    expect(await child.exitCode()).toBe(0);
    expect(child.text).toMatch(/execute was denied by the user\n[\s\S]*As you like: I looked at nothing\./);
  });

  test("ends on Ctrl-C in the middle of an answer", async () => {
    await using child = new Child(PROGRAM, ["--mock", "Why?"]);
    await child.until("You said");
    child.interrupt();
    expect(await child.exitCode()).toBe(130);
    expect(child.text).toMatch(/\n\(cancelling; Ctrl-C again kills it\)\n$/);
  });
});

describe("acp-run with the user's own agent", () => {
  test("passes arguments, the folder, the mode and the model on", async () => {
    await using at = await machine({ answer: ["Done."] });
    await using child = at.run("--arg=--fast", "--mode", "plan", "--model", "mock-model-large", "hello");
    await child.exitCode();
    const [link] = at.agent.links;
    expect(link?.process?.argv).toContain("--fast");
    expect(link?.process?.cwd).toBe(at.folder);
    expect(at.agent.received.map(({ method }) => method)).toContain("session/set_config_option");
    expect(at.agent.violations).toEqual([]);
  });

  test("--list shows what the agent has, and sends no prompt", async () => {
    await using at = await machine({ profile: "gemini" });
    await using child = at.run("--list");
    expect(await child.exitCode()).toBe(0);
    expect(child.text).toMatch(/modes: default \(now\)/);
    expect(child.text).toMatch(/models: \S+ \(now\)/);
    expect(at.agent.prompts).toEqual([]);
  });

  test("removes terminal control codes from what the agent says", async () => {
    const call = acpTool.shell("\u001b[8mls", "\u001b[2J", { permission: false });
    await using at = await machine({ answer: ["a\u001b[2Jb ", acpStep.calls(call)] });
    await using child = at.run("hello");
    expect(await child.exitCode()).toBe(0);
    expect(child.text).not.toContain("\u001b");
  });

  test("exits with 1, and with the words of an agent that fails", async () => {
    await using at = await machine({ answer: [acpStep.fail(500, "no model today")] });
    await using child = at.run("hello");
    expect(await child.exitCode()).toBe(1);
    expect(child.text).toContain("no model today");
  });
});

test.each([
  [[], "pass an agent and one prompt"],
  [["--mock"], "pass an agent and one prompt"],
  [["--mock", "--list", "x"], "pass an agent and one prompt"],
  [["--nope"], "Unknown option"],
])("acp-run with the invalid arguments %j exits with 2, and names the mistake", async (args, complaint) => {
  await using child = new Child(PROGRAM, args);
  expect(await child.exitCode()).toBe(2);
  expect(child.text).toContain(complaint);
});

test("acp-run names the way to install a usual agent that is missing", async () => {
  await using child = new Child(PROGRAM, ["vibe", "hello"], { env: { PATH: "" } });
  expect(await child.exitCode()).toBe(1);
  expect(child.text).toContain("mistral-vibe");
});
