import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { run } from "../../scripts/support/run.ts";

const FROM_SOURCE = fileURLToPath(new URL("../helpers/from-source.ts", import.meta.url));

/** Runs a plain program in a process of its own, and returns what it printed and how it ended. */
async function printed(program: string): Promise<readonly [stdout: string, ending: string]> {
  const code = `import { agentStep, MockAgent } from "agentwire/testing/agent";\n${program}`;
  const args = ["--import", FROM_SOURCE, "--input-type=module", "--eval", code];
  const { stdout, ending } = await run(process.execPath, args, { cwd: import.meta.dirname, timeout: 30_000 });
  return [stdout, ending];
}

test.each([
  ["a pace", 'new MockAgent({ pace: 1 }).script(["one two"])'],
  ["a delay", 'new MockAgent().script([["one ", agentStep.delay(1), "two"]])'],
])("a turn with %s keeps the process alive until it has completed", async (_, agent) => {
  const program = `
    const client = (${agent}).client();
    for await (const text of client.prompt("hello").textStream) process.stdout.write(text);`;
  expect(await printed(program)).toEqual(["one two", "exit code 0"]);
});

test("a silent turn keeps the process alive until its idle timeout", async () => {
  const program = `
    const client = new MockAgent({ idleTimeout: 1 }).script([[agentStep.hang()]]).client();
    console.log((await client.prompt("hello").outcome).error.code);`;
  expect(await printed(program)).toEqual(["turn-timeout\n", "exit code 0"]);
});

test("a client without a turn does not keep the process alive, whatever its limits are", async () => {
  const program = `
    const client = new MockAgent({ pace: 1, idleTimeout: 1e9, approvalTimeout: 1e9 }).script(["one"]).client();
    const turn = client.prompt("hello", { timeout: 1e9 });
    console.log((await turn.result).text, client.status);`;
  expect(await printed(program)).toEqual(["one ready\n", "exit code 0"]);
});
