// Chats as a screen of Ink, with commands of this machine.
import { type ChatEnd, type ChatHeader, type RunningCommand, renderChat } from "../../ink/index.ts";
import type { OpenedChat, OpenedChats } from "../open-chats.ts";
import { exitCodeOfSignal, onSignals } from "../signals.ts";
import type { Undo } from "../undo.ts";
import { writeNewFile } from "./files.ts";
import { highlight } from "./highlight.ts";
import { runInShell } from "./shell.ts";

export interface TuiOptions {
  readonly header?: ChatHeader;
  /** Offers `/undo`. */
  readonly undo?: Undo;
  /** @default process.stdin */
  readonly stdin?: NodeJS.ReadStream;
  /** @default process.stdout */
  readonly stdout?: NodeJS.WriteStream;
}

/**
 * Talks with an agent on the terminal until the user leaves. `/new` and `/chats` go on with another chat. Returns the exit code: 0, 130
 * after Ctrl-C, 128 and its number after a signal. The chats are left then, the terminal is as before, and no command runs.
 */
export async function runTui({ first, kept }: OpenedChats, options: TuiOptions = {}): Promise<number> {
  const { header, undo, stdin = process.stdin, stdout = process.stdout } = options;
  const commands = new Set<RunningCommand>();
  const closing = new AbortController();
  let closed: NodeJS.Signals = "SIGHUP"; // where no signal says otherwise, the terminal is gone
  const off = onSignals((signal) => {
    closed = signal;
    closing.abort();
  });
  const show = async ({ chat, leave }: OpenedChat): Promise<ChatEnd> => {
    try {
      return await renderChat(chat, {
        ...(header && { header }),
        ...(undo && { undo }),
        ...(kept && { chats: kept.list, history: await kept.history() }),
        stdin,
        stdout,
        signal: closing.signal,
        highlight,
        writeFile: writeNewFile,
        runCommand(command, onOutput) {
          const running = runInShell(command, onOutput);
          commands.add(running);
          void running.ended.then(() => commands.delete(running));
          return running;
        },
      });
    } finally {
      await leave();
    }
  };
  try {
    let end = await show(first);
    while (kept && typeof end === "object") end = await show(await kept.open(end.open));
    return end === "quit" ? 0 : exitCodeOfSignal(end === "interrupted" ? "SIGINT" : closed);
  } finally {
    for (const command of commands) command.stop();
    await Promise.all([...commands].map(({ ended }) => ended));
    off();
  }
}
