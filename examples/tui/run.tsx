import { type Chat as AgentChat, createChat } from "agentwire/chat";
import { Chat, themeFor } from "agentwire/ink";
import type { AgentSource } from "agentwire/universal";
import { render } from "ink";
import { runInShell } from "./shell.ts";

export interface TuiOptions {
  readonly source: AgentSource;
  /** @default process.stdin */
  readonly stdin?: NodeJS.ReadStream;
  /** @default process.stdout */
  readonly stdout?: NodeJS.WriteStream;
}

/** Talks with an agent on the terminal until the user leaves. Returns the exit code: 130 after Ctrl-C. */
export async function runTui({
  source,
  stdin = process.stdin,
  stdout = process.stdout,
}: TuiOptions): Promise<number> {
  const chat = createChat(source);
  try {
    return await onScreen(chat, stdin, stdout);
  } finally {
    await chat.close();
  }
}

async function onScreen(
  chat: AgentChat,
  stdin: NodeJS.ReadStream,
  stdout: NodeJS.WriteStream,
): Promise<number> {
  let code = 0;
  const leave = (exitCode: number): void => {
    code = exitCode;
    app.unmount();
  };
  const app = render(
    <Chat
      chat={chat}
      theme={themeFor(process.env)}
      runCommand={runInShell}
      onExit={(how) => leave(how === "interrupted" ? 130 : 0)}
    />,
    { stdin, stdout, exitOnCtrlC: false, incrementalRendering: true },
  );
  const onTerminate = (): void => leave(143);
  const onHangup = (): void => leave(129);
  const onInterrupt = (): void => leave(130);
  process.on("SIGTERM", onTerminate).on("SIGHUP", onHangup).on("SIGINT", onInterrupt);
  try {
    await app.waitUntilExit();
  } finally {
    process.off("SIGTERM", onTerminate).off("SIGHUP", onHangup).off("SIGINT", onInterrupt);
  }
  return code;
}
