// The chat as a screen of Ink, with commands of this machine.
import type { Chat } from "../../chat/index.ts";
import { type RunningCommand, renderChat } from "../../ink/index.ts";
import { exitCodeOfSignal, onSignals } from "../signals.ts";
import { runInShell } from "./shell.ts";

export interface TuiOptions {
  /** @default process.stdin */
  readonly stdin?: NodeJS.ReadStream;
  /** @default process.stdout */
  readonly stdout?: NodeJS.WriteStream;
}

/**
 * Talks with an agent on the terminal until the user leaves. Returns the exit code: 0, 130 after Ctrl-C, 128 and its number after a signal.
 * The chat is closed then, the terminal is as before, and no command runs.
 */
export async function runTui(chat: Chat, options: TuiOptions = {}): Promise<number> {
  const { stdin = process.stdin, stdout = process.stdout } = options;
  const commands = new Set<RunningCommand>();
  const closing = new AbortController();
  let closed: NodeJS.Signals = "SIGHUP"; // where no signal says otherwise, the terminal is gone
  const off = onSignals((signal) => {
    closed = signal;
    closing.abort();
  });
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
    return end === "quit" ? 0 : exitCodeOfSignal(end === "interrupted" ? "SIGINT" : closed);
  } finally {
    await chat.close();
    for (const command of commands) command.stop();
    await Promise.all([...commands].map(({ ended }) => ended));
    off();
  }
}
