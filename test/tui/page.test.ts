import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { Page } from "../docs/page.ts";
import { bundleOf } from "./support/bundle.ts";
import { CLEAN, Terminal } from "./support/terminal.ts";
import { leave, over, send } from "./support/user.ts";

const PARTS = fileURLToPath(new URL("../../docs/snippets/tui-parts.tsx", import.meta.url));

test.each([{}, { CI: "true" }])(
  "the first program of docs/tui.md, as plain JavaScript, with %j: a prompt, its tool, the end",
  async (env) => {
    const [, program = ""] = new Page("docs/tui.md").text.split(/^```.*$/m);
    const folder = await mkdtemp(join(tmpdir(), "agentwire-tui-page-"));
    try {
      const file = join(folder, "chat.mjs"); // the bundler reads it as JavaScript: syntax of TypeScript is an error
      await writeFile(file, program);
      await using terminal = await Terminal.start(await bundleOf(file), { env });
      await terminal.until("Write to the agent; /help");
      await send(terminal, "hello");
      await terminal.until(/wants to use shell\n.*command: ls\n y once/);
      terminal.type("y");
      await terminal.until(/a\.txt[\s\S]*One file\./);
      await over(terminal);
      await leave(terminal);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);

test("the program in parts of docs/tui.md: an approval, a question, Ctrl-C", async () => {
  await using terminal = await Terminal.start(await bundleOf(PARTS));
  await terminal.until(({ raw }) => raw.includes("\u001b[?2004h")); // keys are read from here on
  await terminal.until("› Ask");
  await send(terminal, "hello");
  await terminal.until(/^You said: hello\.\n\? The agent wants to use shell\n.*command: ls\n y once/m);
  terminal.type("y");
  await terminal.until(/Which file\?\n› your answer/);
  terminal.type("a.txt");
  await terminal.until("› a.txt");
  terminal.press("enter");
  await terminal.until(/You chose a\.txt\.[\s\S]*\nconnected\n› Ask/);
  expect(terminal.scrollback().filter((line) => line === "› hello")).toHaveLength(1);
  terminal.press("ctrl-c");
  expect(await terminal.exit()).toMatchObject({ ...CLEAN, code: 0 });
});
