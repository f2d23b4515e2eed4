import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ProgramMark } from "./support/marks.ts";
import type { Terminal } from "./support/terminal.ts";
import { leave, over, scripted, send } from "./support/user.ts";

/** How often a text stands in the whole terminal. */
const count = (terminal: Terminal, text: string): number =>
  terminal.scrollback().join("\n").split(text).length - 1;

async function folder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "agentwire-daily-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

const SIZES = [
  [40, 15],
  [80, 24],
  [200, 60],
] as const;

describe("in a pseudo-terminal", () => {
  test.each(SIZES)("of %d columns and %d rows, help and the menu fit", async (columns, rows) => {
    await using terminal = await scripted({ columns, rows });
    await send(terminal, "/help");
    await terminal.until(() => count(terminal, "shortens what is searched for") === 1);
    terminal.type("/re");
    await terminal.until(/\/regenerate +asks[\s\S]*› \/re/);
    terminal.type("\t");
    await terminal.until(/› \/regenerate$/m);
    terminal.press("ctrl-c");
    await terminal.until(/Write to the agent/);
    await leave(terminal);
  });

  test("whose size changes while the menu is open, no row is doubled", async () => {
    await using terminal = await scripted({ args: ["--marks"], columns: 80, rows: 24 });
    let drawn = 0;
    terminal.onMark((text) => {
      const mark: ProgramMark = JSON.parse(text);
      if (mark.type === "frame") drawn = mark.columns;
    });
    await send(terminal, "hello");
    await terminal.until("characters: hello");
    await over(terminal);
    terminal.type("/");
    await terminal.until(/\/edit [\s\S]*› \//);
    for (const [columns, rows] of [...SIZES, [60, 20], [40, 15], [120, 40]] as const) {
      terminal.resize(columns, rows);
      if (columns < 200) await terminal.until(() => drawn === columns); // from 80 to 200 columns no row changes
      await terminal.until(/\/edit [\s\S]*› \//);
    }
    terminal.type("qu");
    await terminal.until(/\/quit +leaves[\s\S]*› \/qu/);
    for (const once of ["scripted", "characters: hello", "/quit", "Write to the agent"])
      expect(count(terminal, once), once).toBe(once === "Write to the agent" ? 0 : 1);
    terminal.press("ctrl-c");
    await terminal.until(/Write to the agent/);
    await leave(terminal);
  });

  test("/copy reaches the clipboard, /export writes a file and replaces none unasked", async () => {
    await using place = await folder();
    const file = join(place.path, "a chat.md");
    await using terminal = await scripted({ columns: 120, rows: 24 });
    await send(terminal, "hello");
    await terminal.until("characters: hello");
    await over(terminal);
    await send(terminal, "/copy");
    await terminal.until(/copied \d+ characters/);
    const answer = Buffer.from("You said 5 characters: hello").toString("base64");
    expect(terminal.raw).toContain(`\u001b]52;c;${answer}\u0007`);
    await send(terminal, `/export ${file}`);
    await terminal.until("written to");
    expect(await readFile(file, "utf8")).toMatch(/^## User\n\nhello\n\n## Agent\n\n.*characters: hello/);
    terminal.type(`/export ${file}\r`);
    await terminal.until("is there already");
    terminal.press("ctrl-c");
    await terminal.until(/Write to the agent/);
    await leave(terminal);
  });

  test("/new begins a chat, and /chats goes back to the first one, which shows its messages once more", async () => {
    await using place = await folder();
    await using terminal = await scripted({ args: ["--chats", place.path], columns: 120, rows: 30 });
    await send(terminal, "the first");
    await terminal.until("characters: the first");
    await over(terminal);
    await send(terminal, "/new");
    await terminal.until(() => count(terminal, "scripted") === 2);
    await send(terminal, "the second");
    await terminal.until("characters: the second");
    await over(terminal);
    terminal.type("/chats first");
    await terminal.until(/ {2}the first {2}\d{4}-[\s\S]*› \/chats first/);
    terminal.type("\u001b[B\r");
    await terminal.until(() => count(terminal, "scripted") === 3);
    await terminal.until(() => count(terminal, "characters: the first") === 2);
    expect(count(terminal, "characters: the second")).toBe(1);
    await leave(terminal);
  });
});
