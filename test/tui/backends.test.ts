import { expect, test } from "vitest";
import { CLEAN, Terminal } from "./support/terminal.ts";
import { leave, MAIN, over, send, started } from "./support/user.ts";

test("cli: Ctrl-C during a run leaves no process", async () => {
  await using terminal = await started("cli");
  await send(terminal, "hello");
  await terminal.until("Let me look");
  terminal.press("ctrl-c", "ctrl-c");
  expect(await terminal.exit()).toEqual({ ...CLEAN, code: 130 });
});

test("acp: an approval is answered by a key, the plan is shown, and Ctrl-C leaves no process", async () => {
  await using terminal = await started("acp");
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

test("an unreachable server is reported in the answer, and an unknown backend at the start", async () => {
  await using terminal = await started("codey", { args: ["--url", "ws://127.0.0.1:1"] });
  await send(terminal, "hello");
  await terminal.until(/✗ The server cannot be reached[\s\S]*\/retry sends it again/);
  await over(terminal);
  await leave(terminal);

  await using none = await Terminal.start(MAIN, { args: ["--backend", "none"] });
  expect(await none.exit()).toEqual({ ...CLEAN, code: 2 });
  expect(none.screen()[0]).toMatch(
    /^there is no backend none: pass one of codebuff, codey, cass, cli, run, acp, mock/,
  );
  await using lost = await Terminal.start(MAIN, { args: ["--url", "ws://127.0.0.1:1"] });
  expect(await lost.exit()).toEqual({ ...CLEAN, code: 2 });
  expect(lost.screen().join(" ")).toMatch(/--url needs --backend.*Try --help\./);
});
