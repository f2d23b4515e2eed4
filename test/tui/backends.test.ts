import { MockAcpAgent } from "agentwire/testing";
import { expect, test } from "vitest";
import { inWords } from "../../examples/support/acp-agent.ts";
import { startFakeCodebuff } from "../../examples/support/fake-codebuff.ts";
import { CLEAN } from "./support/terminal.ts";
import { leave, over, send, started } from "./support/user.ts";

test("cli: Ctrl-C during a run leaves no process", async () => {
  const { options, stop } = await startFakeCodebuff(10);
  const { command = "", args = [], env = {} } = options;
  await using terminal = await started(["cli", "--", command, ...args], { env });
  await send(terminal, "hello");
  await terminal.until("Let me look");
  terminal.press("ctrl-c", "ctrl-c");
  expect(await terminal.exit()).toEqual({ ...CLEAN, code: 130 });
  await stop();
});

test("acp: an approval is answered by a key, the plan is shown, and Ctrl-C leaves no process", async () => {
  await using agent = new MockAcpAgent({ answer: inWords(20) });
  const { command, args, env } = await agent.program();
  const kept = Object.keys(env).flatMap((name) => ["--keep-env", name]);
  await using terminal = await started(["acp", ...kept, "--", command, ...args], { env });
  await send(terminal, "hello");
  await terminal.until("y once");
  terminal.type("y");
  await terminal.until("There are two pages");
  await over(terminal);
  await send(terminal, "again");
  await terminal.until("You said: again");
  terminal.press("ctrl-c", "ctrl-c");
  expect(await terminal.exit()).toEqual({ ...CLEAN, code: 130 });
});

test("an unreachable server is reported in the answer", async () => {
  await using terminal = await started(["codey", "--url", "ws://127.0.0.1:1"]);
  await send(terminal, "hello");
  await terminal.until(/✗ The server cannot be reached[\s\S]*\/retry sends it again/);
  await over(terminal);
  await leave(terminal);
});
