import { createChat } from "agentwire/chat";
import { type RunningCommand, renderChat } from "agentwire/ink";
import type { AgentSource } from "agentwire/universal";
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
  const closing = new AbortController();
  let closed: number = SIGNALS.SIGHUP; // where no signal says otherwise, the terminal is gone
  const listeners = Object.entries(SIGNALS).map(([signal, exitCode]) => {
    const listener = (): void => {
      closed = exitCode;
      closing.abort();
    };
    return [signal, listener] as const;
  });
  for (const [signal, listener] of listeners) process.on(signal, listener);
  try {
    const end = await renderChat(chat, {
      stdin,
      stdout,
      signal: closing.signal,
      runCommand(command, onOutput) {
        const running = runInShell(command, onOutput);
        commands.add(running);
        void running.ended.then(() => commands.delete(running));
        return running;
      },
    });
    return { quit: 0, interrupted: SIGNALS.SIGINT, closed }[end];
  } finally {
    await chat.close();
    for (const command of commands) command.stop();
    await Promise.all([...commands].map(({ ended }) => ended));
    for (const [signal, listener] of listeners) process.off(signal, listener);
  }
}
