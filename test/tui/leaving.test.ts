import { describe, expect, test } from "vitest";
import type { Key } from "./support/keys.ts";
import { CLEAN, type Terminal } from "./support/terminal.ts";
import { leave, over, scripted, send } from "./support/user.ts";

const RECONNECT_SLOWLY = ["--reconnect-delay", "60000"];

/** How the user gets to each point. */
const POINTS: Readonly<Record<string, (terminal: Terminal) => Promise<void>>> = {
  "at the first prompt": async () => {},
  "with half a prompt typed": async (terminal) => {
    terminal.type("half");
    await terminal.until("› half");
  },
  "in a stream of 1,000 chunks a second": async (terminal) => {
    await send(terminal, "flood");
    await terminal.until("word100");
  },
  "in the reason of an approval": async (terminal) => {
    await send(terminal, "tool ls");
    await terminal.until("n reject");
    terminal.type("r");
    await terminal.until("The reason, then Enter");
  },
  "in a question": async (terminal) => {
    await send(terminal, "choose");
    await terminal.until("› 1 main");
  },
  "with prompts that wait": async (terminal) => {
    await send(terminal, "begin");
    await send(terminal, "then this");
    await terminal.until("1 queued");
  },
  "while the client waits to reconnect": async (terminal) => {
    await send(terminal, "lose");
    await terminal.until("Reconnecting: attempt 1");
  },
  "after the context was lost": async (terminal) => {
    await send(terminal, "forget");
    await terminal.until("has forgotten");
  },
};

async function at(point: keyof typeof POINTS): Promise<Terminal> {
  const args = point.includes("reconnect") ? RECONNECT_SLOWLY : [];
  const terminal = await scripted({ args });
  await POINTS[point]?.(terminal);
  return terminal;
}

describe("Ctrl-C, as often as it takes, leaves a clean terminal and no process", () => {
  for (const point of Object.keys(POINTS))
    test(point, async () => {
      await using terminal = await at(point);
      const keys: readonly Key[] = ["ctrl-c", "ctrl-c", "ctrl-c"];
      terminal.press(...keys);
      expect(await terminal.exit()).toEqual({ ...CLEAN, code: 130 });
    });
});

describe("Ctrl-D leaves a clean terminal", () => {
  for (const point of ["in a stream of 1,000 chunks a second", "in a question"])
    test(point, async () => {
      await using terminal = await at(point);
      await leave(terminal);
    });
});

test.each([
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s in mid-stream leaves a clean terminal", async (signal, code) => {
  await using terminal = await at("in a stream of 1,000 chunks a second");
  terminal.signal(signal);
  expect(await terminal.exit()).toEqual({ ...CLEAN, code });
});

test("the first Ctrl-C cancels what runs and what waits, and the chat goes on", async () => {
  await using terminal = await at("with prompts that wait");
  terminal.press("ctrl-c");
  await terminal.until("cancelled; Ctrl-C again leaves");
  await over(terminal);
  await terminal.until(/taken back|cancelled; \/retry/);
  await send(terminal, "hello");
  await terminal.until("You said 5 characters: hello");
  expect(terminal.scrollback().join("\n")).not.toContain("characters: then this");
  await leave(terminal);
});
