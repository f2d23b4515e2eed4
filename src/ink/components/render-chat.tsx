// `renderChat`: shows a chat on the terminal until the user leaves.
import { render } from "ink";
import type { Chat as AgentChat } from "../../chat/chat.ts";
import { UnsupportedError } from "../../core/errors.ts";
import type { ExitReason } from "../screen/desk.ts";
import { Chat, type ChatProps } from "./chat.tsx";
import { oneWriteAFrame } from "./one-write.ts";

export interface RenderChatOptions extends Omit<ChatProps, "chat" | "onExit"> {
  /** @default process.stdin */
  readonly stdin?: NodeJS.ReadStream;
  /** @default process.stdout */
  readonly stdout?: NodeJS.WriteStream;
  /** Ends the screen, such as on a process signal. */
  readonly signal?: AbortSignal;
}

/** How the screen ended. `closed`: `signal` was aborted, or the terminal is gone. */
export type ChatEnd = ExitReason | "closed";

/**
 * Shows `<Chat>` until the user leaves. Then restores the terminal and asks a running `!command` to stop. The chat
 * stays open.
 * @throws UnsupportedError (as a rejection) if `stdin` or `stdout` is not a terminal
 */
export async function renderChat(chat: AgentChat, options: RenderChatOptions = {}): Promise<ChatEnd> {
  const { stdin = process.stdin, stdout = process.stdout, signal, ...props } = options;
  if (!stdin.isTTY || !stdout.isTTY)
    throw new UnsupportedError(
      "There is no terminal to show the chat on.",
      "Check `process.stdin.isTTY` and `process.stdout.isTTY` first, and print the chat line by line where one is false.",
    );
  if (signal?.aborted) return "closed";
  let end: ChatEnd = "closed";
  const leave = (how: ChatEnd): void => {
    end = how;
    app.unmount();
  };
  const app = render(<Chat chat={chat} onExit={leave} {...props} />, {
    stdin,
    stdout: oneWriteAFrame(stdout),
    interactive: true, // with `CI` set, Ink would show only its last frame
    exitOnCtrlC: false, // the chat decides what Ctrl-C ends
    incrementalRendering: true,
  });
  const onClosed = (): void => leave("closed");
  stdin.once("end", onClosed); // no more input
  signal?.addEventListener("abort", onClosed, { once: true });
  try {
    await app.waitUntilExit();
  } finally {
    stdin.off("end", onClosed);
    signal?.removeEventListener("abort", onClosed);
  }
  return end;
}
