import type { Readable, Writable } from "node:stream";
import { type Chat, createChat } from "agentwire/chat";
import type { AgentSource } from "agentwire/universal";
import { ChatUser } from "../support/chat-user.ts";
import { ChatView } from "../support/chat-view.ts";
import { Lines, Screen, wantsColour } from "../support/terminal.ts";
import { until } from "../support/until.ts";

const HELP = "/retry sends the last prompt again. /dismiss takes an error away. /quit leaves.";

/** The chat in plain lines, where there is no terminal: nothing that is written is changed. Returns the exit code. */
export async function talkInLines(source: AgentSource, stdin: Readable, stdout: Writable): Promise<number> {
  const screen = new Screen(stdout, wantsColour(process.env, false));
  const chat = createChat(source);
  const lines = new Lines(stdin, () => {});
  const view = new ChatView(screen);
  const user = new ChatUser(chat, screen, lines);
  chat.subscribe(() => view.show(chat.getSnapshot()));
  const interrupt = interruptOf(chat, lines);
  process.on("SIGINT", interrupt.listener);
  try {
    for (;;) {
      await until(chat, ({ busy, queue, pending, connection }) => {
        return pending.length > 0 || connection.contextLost || (!busy && queue.length === 0);
      });
      const { pending, connection } = chat.getSnapshot();
      if (interrupt.isOver()) return 130;
      if (pending[0]) await user.settle(pending[0]);
      else if (connection.contextLost) {
        if (!(await user.resume())) return interrupt.isOver() ? 130 : 0;
      } else {
        const line = (await lines.next())?.trim();
        if (line === undefined || line === "/quit") return interrupt.isOver() ? 130 : 0;
        carryOut(line, chat, view);
      }
    }
  } finally {
    process.off("SIGINT", interrupt.listener);
    lines.close();
    await chat.close();
  }
}

function carryOut(line: string, chat: Chat, view: ChatView): void {
  switch (line) {
    case "":
      return;
    case "/help":
      view.note(HELP);
      return;
    case "/dismiss":
      chat.dismiss();
      return;
    case "/retry": {
      const last = chat.getSnapshot().messages.at(-1);
      if (last) chat.retry(last.id);
      else view.note("there is nothing to send again");
      return;
    }
    default:
      if (/^\/[a-z-]+$/i.test(line)) view.note(`there is no command ${line}: /help shows them`);
      else if (line.startsWith("!")) view.note("commands of this machine need a terminal");
      else chat.send(line);
  }
}

/** The first Ctrl-C cancels what runs; where nothing runs, and at the second, it ends the chat. */
function interruptOf(
  chat: Chat,
  lines: Lines,
): { readonly listener: () => void; readonly isOver: () => boolean } {
  let count = 0;
  const isOver = (): boolean => count > 1;
  const listener = (): void => {
    const { busy, queue } = chat.getSnapshot();
    count += busy || queue.length > 0 ? 1 : 2;
    chat.cancel("all");
    if (!isOver()) return;
    lines.close();
    void chat.close(); // ends a turn that does not stop
  };
  return { listener, isOver };
}
