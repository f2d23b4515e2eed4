import { readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { AcpClient } from "agentwire/acp";
import { acpStep, acpTool, MockAcpAgent, type MockAcpOptions } from "agentwire/testing";
import { expect, test, vi } from "vitest";
import { goOn } from "../../docs/snippets/acp.ts";
import { acpAgent } from "../../docs/snippets/testing.ts";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { capturedOutput } from "../helpers/captured-output.ts";
import { RawAcp } from "../testing/acp/raw-client.ts";

const output = capturedOutput();

/** A folder with a program `gemini`, which is the agent, in the PATH. */
async function installed(agent: MockAcpAgent) {
  const folder = await tempFolder();
  const { command, args, env } = await agent.program();
  const words = [command, ...args].map((word) => `'${word}'`).join(" ");
  const variables = Object.entries(env).map(([name, value]) => `export ${name}='${value}'\n`);
  const script = `#!/bin/sh\n${variables.join("")}exec ${words} "$@"\n`;
  await writeFile(join(folder.path, "gemini"), script, { mode: 0o755 });
  vi.stubEnv("PATH", `${folder.path}${delimiter}${process.env["PATH"]}`);
  return folder;
}

test("the ACP agent of docs/testing.md asks, runs as a program, and records both", async () => {
  await using agent = acpAgent();
  const client = RawAcp.spawn(await agent.program());
  await client.initialize();
  await client.newSession();
  const response = client.prompt("hello");
  client.decide(await client.nextRequest("session/request_permission"), "allow_once");
  await response;

  expect(client.updates.at(-1)).toBe('"One file."');
  expect(await agent.nextRequest()).toMatchObject({
    id: 0,
    method: "session/request_permission",
    reply: { result: { outcome: { outcome: "selected", optionId: "proceed_once" } } },
  });
  expect(agent.violations).toEqual([]);
});

test("every option of the ACP agent has a docstring", async () => {
  const types = await readFile(new URL("../../src/testing/acp/options.ts", import.meta.url), "utf8");
  const refusal = (() => {
    try {
      return new MockAcpAgent({ xxxxxxxxxxxxxxxx: 1 } as MockAcpOptions);
    } catch (error) {
      return String(error);
    }
  })();
  const names = /These exist: (.*)\./.exec(String(refusal))?.[1]?.split(", ") ?? [];

  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !new RegExp(`\\*/\\s+readonly ${name}\\?:`).test(types))).toEqual([]);
});

test("the first program of docs/acp.md finds `gemini`, denies what it asks for, and shows its text", async () => {
  await using agent = new MockAcpAgent({
    profile: "gemini",
    answer: () => ["Let me look. ", acpStep.calls(acpTool.shell("rm -rf build")), "As you like."],
  });
  await using _ = await installed(agent);

  await import("../../docs/snippets/acp-first.ts");

  expect(output.streamed).toBe("Let me look. As you like.");
  expect(output.logged).toEqual([[expect.stringContaining("rm -rf build")]]);
  expect(agent.links[0]?.process?.argv).toContain("--acp");
  expect(agent.violations).toEqual([]);
});

test("the conversation of docs/acp.md goes on, and is loaded again", async () => {
  await using agent = new MockAcpAgent({ answer: ({ text }) => [`I did: ${text}`] });
  const client = new AcpClient({ createStream: () => agent.connect() });
  const messages = await goOn(client);
  await client.close();
  expect(messages).toMatchObject([
    { role: "user", content: "Fix the failing test." },
    { role: "assistant", content: "I did: Fix the failing test." },
    { role: "user", content: "What did you change?" },
    { role: "assistant" },
  ]);
});
