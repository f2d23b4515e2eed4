// The chat in lines: where there is no terminal, or no Ink.
import type { Readable, Writable } from "node:stream";
import type { Chat } from "../../chat/index.ts";
import { EXIT } from "../exit-codes.ts";
import { exitCodeOfSignal } from "../signals.ts";
import { ChatUser } from "./chat-user.ts";
import { ChatView } from "./chat-view.ts";
import { Screen, TypedLines, wantsColour } from "./terminal.ts";
import { until } from "./until.ts";

const HELP =
  "/retry sends the last prompt again. /dismiss takes an error away. /quit leaves. Ctrl-C cancels the answer, and leaves where nothing runs.";

interface Terminal {
  readonly isTTY?: boolean;
}

/** The chat in lines: nothing that is written is changed. Returns the exit code. Closes the chat. */
export async function talkInLines(
  chat: Chat,
  stdin: Readable & Terminal,
  stdout: Writable & Terminal,
): Promise<number> {
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true;
  const screen = new Screen(stdout, wantsColour(process.env, isTerminal));
  const lines = new TypedLines(stdin, () => isTerminal && screen.entered());
  const view = new ChatView(screen);
  const user = new ChatUser(chat, screen, lines, (id) => view.undecided(id));
  chat.subscribe(() => view.show(chat.getSnapshot()));
  const ending = endingOf(chat, lines, stdout);
  try {
    for (;;) {
      await until(chat, ({ busy, queue, pending, connection }) => {
        return pending.length > 0 || connection.contextLost || (!busy && queue.length === 0);
      });
      const { pending, connection } = chat.getSnapshot();
      const code = ending.code();
      if (code !== undefined) return code;
      if (pending[0]) await user.settle(pending[0]);
      else if (connection.contextLost) {
        if (!(await user.resume())) return ending.code() ?? EXIT.done;
      } else {
        if (isTerminal) screen.ask("you> ", "cyan");
        const line = (await lines.next())?.trim();
        if (line === undefined || line === "/quit") return ending.code() ?? EXIT.done;
        ending.forget();
        carryOut(line, chat, view);
      }
    }
  } finally {
    ending.off();
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
      else if (line.startsWith("!")) view.note("commands of this machine need the screen");
      else chat.send(line);
  }
}

interface Ending {
  /** Undefined while the chat goes on. */
  readonly code: () => number | undefined;
  /** The user has gone on: the next Ctrl-C is a first one. */
  readonly forget: () => void;
  readonly off: () => void;
}

/**
 * The first Ctrl-C cancels what runs; where nothing runs, and at the second, it ends the chat. So do other signals, and a reader of the
 * output that has left.
 */
function endingOf(chat: Chat, lines: TypedLines, stdout: Writable): Ending {
  let count = 0;
  let code: number | undefined;
  const end = (how: number): void => {
    code ??= how;
    chat.cancel("all");
    lines.close();
    void chat.close(); // ends a turn that does not stop
  };
  const onInterrupt = (): void => {
    const { busy, queue } = chat.getSnapshot();
    count += busy || queue.length > 0 ? 1 : 2;
    if (count > 1) end(EXIT.interrupted);
    else chat.cancel("all");
  };
  const onSignal = (signal: NodeJS.Signals): void => end(exitCodeOfSignal(signal));
  const onError = (): void => end(EXIT.failed);
  process.on("SIGINT", onInterrupt);
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
  stdout.on("error", onError);
  return {
    code: () => code,
    forget: () => {
      count = 0;
    },
    off: () => {
      process.off("SIGINT", onInterrupt);
      for (const signal of ["SIGTERM", "SIGHUP"] as const) process.off(signal, onSignal);
      stdout.off("error", onError);
    },
  };
}
