/** One chat for every backend: `npm run example -- examples/one-ui.ts --backend codey` */
import { parseArgs } from "node:util";
import { type Chat, createChat } from "agentwire/chat";
import { backendNamed, NAMES } from "./support/backends.ts";
import { ChatUser } from "./support/chat-user.ts";
import { ChatView } from "./support/chat-view.ts";
import { wordsOf } from "./support/program.ts";
import { Lines, Screen, wantsColour } from "./support/terminal.ts";
import { until } from "./support/until.ts";

const HELP = `Usage: npm run example -- examples/one-ui.ts [--backend <name>] [--url <address>]

--backend  ${NAMES.join(", ")}
--url      The address of a server of yours, the program of cli, or the agent of acp (gemini, claude,
           codex ..., or a program that needs no arguments). Needs --backend. Otherwise a mock answers.

In the chat: /help, /retry (sends the last message again), /quit. Ctrl-C cancels the answer that is coming;
once more, it leaves. Colour only on a terminal, or with FORCE_COLOR; never with NO_COLOR.
`;

const screen = new Screen(process.stdout, wantsColour(process.env, process.stdout.isTTY));

async function talk(name: string, url: string | undefined): Promise<number> {
  const backend = await backendNamed(name, url);
  const chat = createChat(backend.source);
  const lines = new Lines(process.stdin, () => process.stdin.isTTY && screen.entered());
  const view = new ChatView(screen);
  const user = new ChatUser(chat, screen, lines);
  chat.subscribe(() => view.show(chat.getSnapshot()));

  let interrupts = 0;
  const onInterrupt = (): void => {
    interrupts++;
    if (interrupts > 1) {
      lines.close();
      void chat.close();
    } else view.note(chat.getSnapshot().busy ? "cancelling; Ctrl-C again leaves" : "Ctrl-C again leaves");
    chat.cancel("all");
  };
  process.on("SIGINT", onInterrupt);

  try {
    while (interrupts < 2) {
      await until(chat, ({ busy, queue, pending, connection }) => {
        return pending.length > 0 || connection.contextLost || (!busy && queue.length === 0);
      });
      const { pending, connection } = chat.getSnapshot();
      if (pending[0]) await user.settle(pending[0]);
      else if (connection.contextLost) {
        if (!(await user.resume())) break;
      } else {
        screen.ask("you> ", "cyan");
        const line = (await lines.next())?.trim();
        if (line === undefined || line === "/quit") break;
        interrupts = 0;
        if (line === "/help") screen.line(HELP);
        else if (line === "/retry") retry(chat);
        else if (line !== "") chat.send(line);
      }
    }
    return interrupts > 1 ? 130 : 0;
  } finally {
    process.off("SIGINT", onInterrupt);
    lines.close();
    await chat.close();
    await backend.stop();
  }
}

function retry(chat: Chat): void {
  const last = chat.getSnapshot().messages.at(-1);
  if (last) chat.retry(last.id);
  else screen.line("(there is nothing to send again)", "dim");
}

try {
  const options = {
    backend: { type: "string", default: "mock" },
    url: { type: "string" },
    help: { type: "boolean" },
  } as const;
  const { values } = parseArgs({ options });
  if (values.help) screen.line(HELP);
  else process.exitCode = await talk(values.backend, values.url);
} catch (error) {
  screen.line(wordsOf(error), "red");
  process.exitCode = 2;
}
