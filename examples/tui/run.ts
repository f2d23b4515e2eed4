import { createChat } from "agentwire/chat";
import { type ChatEnd, type ChatHeader, highlightWith, type RunningCommand, renderChat } from "agentwire/ink";
import type { AgentSource } from "agentwire/universal";
import { common, createLowlight } from "lowlight";
import { newId, type StoredChats } from "./chats.ts";
import { writeNewFile } from "./files.ts";
import { talkInLines } from "./plain.ts";
import { runInShell } from "./shell.ts";

export interface TuiOptions {
  readonly source: AgentSource;
  readonly header?: ChatHeader;
  /** Where chats are kept, for `/chats` and `/new`. @default nowhere */
  readonly chats?: StoredChats;
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
  const { source, header, chats, stdin = process.stdin, stdout = process.stdout } = options;
  if (!stdin.isTTY || !stdout.isTTY) return talkInLines(source, stdin, stdout);
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
  const show = async (id: string): Promise<ChatEnd> => {
    const chat = createChat(source, chats ? { store: chats.store, id } : {});
    try {
      return await renderChat(chat, {
        ...(header ? { header } : {}),
        ...(chats ? { chats: chats.list } : {}),
        stdin,
        stdout,
        signal: closing.signal,
        highlight: highlightWith(createLowlight(common)),
        writeFile: writeNewFile,
        runCommand(command, onOutput) {
          const running = runInShell(command, onOutput);
          commands.add(running);
          void running.ended.then(() => commands.delete(running));
          return running;
        },
      });
    } finally {
      await chat.close();
    }
  };
  try {
    let end = await show(newId());
    while (typeof end === "object") end = await show(end.open ?? newId()); // by `/chats` or `/new`
    return { quit: 0, interrupted: SIGNALS.SIGINT, closed }[end];
  } finally {
    for (const command of commands) command.stop();
    await Promise.all([...commands].map(({ ended }) => ended));
    for (const [signal, listener] of listeners) process.off(signal, listener);
  }
}
