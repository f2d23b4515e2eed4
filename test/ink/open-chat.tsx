import { render } from "ink";
import { afterEach } from "vitest";
import { createChat } from "../../src/chat/create-chat.ts";
import { Chat } from "../../src/ink/components/exports.ts";
import type { ExitReason } from "../../src/ink/screen/desk.ts";
import type { RunCommand } from "../../src/ink/screen/local-commands.ts";
import { plainTheme } from "../../src/ink/theme.ts";
import { MockAgent, type MockAgentOptions, type MockAgentScript } from "../../src/testing/index.ts";
import type { AgentSource } from "../../src/universal/index.ts";
import { TestTerminal } from "./terminal.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Closes something after the test. */
export function closeLater(close: () => Promise<void>): void {
  closers.push(close);
}

interface Options {
  readonly columns?: number;
  readonly rows?: number;
  readonly runCommand?: RunCommand;
  readonly reconnect?: MockAgentOptions["reconnect"];
}

/** A chat with a scripted agent, on a terminal of its own. */
export async function open(script: MockAgentScript, { reconnect, ...options }: Options = {}) {
  const agent = new MockAgent({ script, ...(reconnect ? { reconnect } : {}) });
  return { agent, ...(await openOver(agent, options)) };
}

/** A chat over any source, on a terminal of its own. */
export async function openOver(source: AgentSource, { columns = 80, rows = 24, runCommand }: Options = {}) {
  const chat = createChat(source);
  const terminal = new TestTerminal(columns, rows);
  const exits: ExitReason[] = [];
  const commands = runCommand ? { runCommand } : {};
  const app = render(
    <Chat chat={chat} theme={plainTheme} onExit={(how) => exits.push(how)} {...commands} />,
    {
      stdin: terminal.stdin,
      stdout: terminal.stdout,
      interactive: true,
      exitOnCtrlC: false,
      patchConsole: false,
    },
  );
  closers.push(async () => {
    app.unmount();
    await chat.close();
  });
  await terminal.sees(/>/);
  return { chat, terminal, exits, app };
}
