import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import { Page } from "../docs/page.ts";
import { bundleOf } from "./support/bundle.ts";
import { Terminal } from "./support/terminal.ts";
import { leave, over, send } from "./support/user.ts";

test("the first program of docs/tui.md, as plain JavaScript: a prompt, its tool, the end", async () => {
  const [, program = ""] = new Page("docs/tui.md").text.split(/^```.*$/m);
  const folder = await mkdtemp(join(tmpdir(), "agentwire-tui-page-"));
  try {
    const file = join(folder, "chat.mjs"); // the bundler reads it as JavaScript: syntax of TypeScript is an error
    await writeFile(file, program);
    await using terminal = await Terminal.start(await bundleOf(file));
    await terminal.until("Write to the agent; /help");
    await send(terminal, "hello");
    await terminal.until(/wants to use shell\n.*command: ls/);
    terminal.type("y");
    await terminal.until(/a\.txt[\s\S]*One file\./);
    await over(terminal);
    await leave(terminal);
  } finally {
    await rm(folder, { recursive: true });
  }
});
