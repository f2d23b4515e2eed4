import { expect, test } from "vitest";
import { CLEAN, Terminal } from "./support/terminal.ts";
import { leave, MAIN, over, send, started } from "./support/user.ts";

/** A whole conversation with the mock of each backend, as `examples/support/backends.ts` scripts it. */
const CONVERSATIONS: Readonly<Record<string, (terminal: Terminal) => Promise<void>>> = {
  codebuff: async (terminal) => {
    await terminal.until(/wants to use get_weather\n.*city: Oslo[\s\S]*y once/);
    terminal.type("y");
    await terminal.until(/Go out\?\n.*1 yes\n.*2 no/);
    terminal.type("2");
    await terminal.until("› 2 no");
    terminal.press("enter");
    await terminal.until("Noted.");
    await terminal.until("3 credits");
  },
  codey: async (terminal) => {
    await terminal.until(/wants to use mcp_shell\n.*command: find[\s\S]*y once/);
    terminal.type("y");
    await terminal.until(/160 total[\s\S]*Two pages, 160 lines\./);
    await terminal.until(/20 out/);
  },
  cass: async (terminal) => {
    await terminal.until("You said: hello.");
    await terminal.until(/claude/);
    expect(terminal.scrollback().join("\n")).not.toContain("<gesture");
  },
  cli: async (terminal) => {
    await terminal.until(/✓ read_files[\s\S]*nothing was\s+changed\./);
    await terminal.until("3 credits");
  },
  mock: async (terminal) => {
    await terminal.until(/wants to use shell\n.*command: find[\s\S]*y once/);
    terminal.type("n");
    await terminal.until("I looked at nothing.");
  },
};

/** The mock of Cass says all at once. */
const TOO_FAST_TO_CANCEL = "cass";

for (const [backend, converse] of Object.entries(CONVERSATIONS))
  test(`${backend}: a prompt, what it asks for, its answer, a second prompt and Esc, and the end`, async () => {
    await using terminal = await started(backend);
    await send(terminal, "hello");
    await converse(terminal);
    await over(terminal);
    await send(terminal, "count for me");
    if (backend === TOO_FAST_TO_CANCEL) await terminal.until("You said: count for me.");
    else {
      await terminal.until("working");
      terminal.press("escape");
      await terminal.until("cancelled; /retry sends it again");
    }
    await over(terminal);
    await leave(terminal);
  });

test("cli: Ctrl-C while its program runs leaves no process", async () => {
  await using terminal = await started("cli");
  await send(terminal, "hello");
  await terminal.until("Let me look");
  terminal.press("ctrl-c", "ctrl-c");
  expect(await terminal.exit()).toEqual({ ...CLEAN, code: 130 });
});

test("a server that is not there is named by the answer, and a backend that does not exist before anything is shown", async () => {
  await using terminal = await started("codey", { args: ["--url", "ws://127.0.0.1:1"] });
  await send(terminal, "hello");
  await terminal.until(/✗ The server cannot be reached[\s\S]*\/retry sends it again/);
  await over(terminal);
  await leave(terminal);

  await using none = await Terminal.start(MAIN, { args: ["--backend", "none"] });
  expect(await none.exit()).toEqual({ ...CLEAN, code: 2 });
  expect(none.screen()[0]).toMatch(
    /^there is no backend none: pass one of codebuff, codey, cass, cli, run, mock/,
  );
});
