import { createChat } from "agentwire/chat";
import { Chat, type RunningCommand, themeFor } from "agentwire/ink";
import type { AgentSource } from "agentwire/universal";
import { render } from "ink";
import { talkInLines } from "./plain.ts";
import { runInShell } from "./shell.ts";

export interface TuiOptions {
  readonly source: AgentSource;
  /** @default process.stdin */
  readonly stdin?: NodeJS.ReadStream;
  /** @default process.stdout */
  readonly stdout?: NodeJS.WriteStream;
}

/** The exit codes of shells for a program that a signal ended. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Talks with an agent on the terminal until the user leaves. Without a terminal on both streams, in plain lines. Returns the exit code: 0,
 * 130 after Ctrl-C, 128 and its number after a signal. The chat is closed then, the terminal is as before, and no command runs.
 */
export async function runTui(options: TuiOptions): Promise<number> {
  const { source, stdin = process.stdin, stdout = process.stdout } = options;
  if (!stdin.isTTY || !stdout.isTTY) return talkInLines(source, stdin, stdout);
  const chat = createChat(source);
  const commands = new Set<RunningCommand>();
  let code = 0;
  const leave = (exitCode: number): void => {
    code = exitCode;
    app.unmount();
  };
  const app = render(
    <Chat
      chat={chat}
      theme={themeFor(process.env)}
      runCommand={(command, onOutput) => {
        const running = runInShell(command, onOutput);
        commands.add(running);
        void running.ended.then(() => commands.delete(running));
        return running;
      }}
      onExit={(how) => leave(how === "interrupted" ? SIGNALS.SIGINT : 0)}
    />,
    { stdin, stdout, exitOnCtrlC: false, incrementalRendering: true },
  );
  const listeners = Object.entries(SIGNALS).map(
    ([signal, exitCode]) => [signal, () => leave(exitCode)] as const,
  );
  for (const [signal, listener] of listeners) process.on(signal, listener);
  const onEnd = (): void => leave(SIGNALS.SIGHUP); // nobody can type any more
  stdin.once("end", onEnd);
  try {
    await app.waitUntilExit();
  } finally {
    stdin.off("end", onEnd);
    await chat.close();
    for (const command of commands) command.stop();
    await Promise.all([...commands].map(({ ended }) => ended));
    for (const [signal, listener] of listeners) process.off(signal, listener);
  }
  return code;
}
