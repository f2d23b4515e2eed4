import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { Page } from "../docs/page.ts";
import { Child } from "../examples/support/child.ts";
import { bundleOf } from "./support/bundle.ts";
import { countFullClears } from "./support/output.ts";
import { CLEAN, Terminal, type TerminalOptions } from "./support/terminal.ts";
import { leave, over, send } from "./support/user.ts";

const PARTS = fileURLToPath(new URL("../../docs/snippets/tui-parts.tsx", import.meta.url));

test("the first program of docs/tui.md runs as plain JavaScript with CI=true: a prompt, its tool, the end", async () => {
  const [, program = ""] = new Page("docs/tui.md").text.split(/^```.*$/m);
  const folder = await mkdtemp(join(tmpdir(), "agentwire-tui-page-"));
  try {
    const file = join(folder, "chat.mjs"); // the bundler reads it as JavaScript: syntax of TypeScript is an error
    await writeFile(file, program);
    await using terminal = await Terminal.start(await bundleOf(file), { env: { CI: "true" } });
    await terminal.until("Write to the agent, or /help");
    await send(terminal, "hello");
    await terminal.until(/wants to use shell\n.*\$ ls\n t and a do not ask again for: .*\n y once/);
    terminal.type("y");
    await terminal.until(/a\.txt[\s\S]*One file\./);
    await over(terminal);
    await leave(terminal);
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** The program in parts, at its first prompt. */
async function parts(options: TerminalOptions = {}): Promise<Terminal> {
  const terminal = await Terminal.start(await bundleOf(PARTS), options);
  await terminal.until(({ raw }) => raw.includes("\u001b[?2004h")); // keys are read from here on
  await terminal.until("› Ask");
  return terminal;
}

/** Leaves with Ctrl-C. Nothing of the live region may be left. */
async function leaveParts(terminal: Terminal): Promise<void> {
  terminal.press("ctrl-c");
  expect(await terminal.exit()).toMatchObject({ ...CLEAN, code: 0 });
  expect(terminal.shows(/connected|› Ask/)).toBe(false);
  expect(countFullClears(terminal.raw)).toBe(0);
}

describe("the program made of parts in docs/tui.md", () => {
  test("runs a prompt, an approval and a question, and exits on Ctrl-C", async () => {
    await using terminal = await parts();
    await send(terminal, "hello");
    await terminal.until(
      /^› hello\n\nYou said: hello\n\? The agent wants to use shell\n.*\$ ls\n t and a do not ask again for: .*\n y once/m,
    );
    expect(terminal.shows("› Ask")).toBe(false); // the composer is hidden
    terminal.type("y");
    await terminal.until(/Which file\?\n› your answer/);
    terminal.type("a.txt");
    await terminal.until("› a.txt");
    terminal.press("enter");
    await terminal.until(/You chose a\.txt\.[\s\S]*\nconnected\n› Ask/);
    expect(terminal.scrollback().filter((line) => line === "› hello")).toHaveLength(1);
    await leaveParts(terminal);
  });

  test("reports a missing terminal in its own message", async () => {
    await using child = new Child(await bundleOf(PARTS));
    child.endOfInput();
    expect(await child.exitCode()).toBe(1);
    expect(child.stderr).toContain("This program needs a terminal.");
    expect(child.stderr).not.toContain("raw mode");
  });
});
