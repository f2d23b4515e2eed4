import { expect, test } from "vitest";
import { CLEAN, type Terminal } from "./support/terminal.ts";
import { scripted, send } from "./support/user.ts";

async function inStream(terminal: Terminal): Promise<void> {
  await send(terminal, "flood");
  await terminal.until(/word\d{3}/);
}

async function waitingToReconnect(terminal: Terminal): Promise<void> {
  await send(terminal, "lose");
  await terminal.until("attempt 1 in");
}

test.each([
  ["in a stream of 1,000 chunks a second", inStream],
  ["while the client waits to reconnect", waitingToReconnect],
] as const)("three Ctrl-C %s leave a clean terminal and no process", async (_, reach) => {
  await using terminal = await scripted({ args: ["--reconnect-delay", "60000"] });
  await reach(terminal);
  terminal.press("ctrl-c", "ctrl-c", "ctrl-c");
  expect(await terminal.exit()).toEqual({ ...CLEAN, code: 130 });
});

test.each([
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s during an answer leaves a clean terminal", async (signal, code) => {
  await using terminal = await scripted();
  await inStream(terminal);
  terminal.signal(signal);
  expect(await terminal.exit()).toEqual({ ...CLEAN, code });
});
