// `agentwire chat`: the screen, plain lines, or one turn.
import { resolve } from "node:path";
import type { Chat } from "../../chat/index.ts";
import type { BackendRow, OpenedBackend } from "../backend.ts";
import { ErrorNotes } from "../chat/error-notes.ts";
import { answerOneTurn } from "../chat/one-turn.ts";
import { OUTPUTS, type TurnOutput } from "../chat/printer.ts";
import { SettleByRules } from "../chat/settle-by-rules.ts";
import { type KeptChat, keptChat, lastChat } from "../chats.ts";
import type { CommandCall } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { wrongCall } from "../failure.ts";
import { talkInLines } from "../lines/talk.ts";
import { packagesLine } from "../npx.ts";
import { backendOf, openBackend } from "../open-backend.ts";
import { type OpenedChats, openChats } from "../open-chats.ts";
import { toolRules } from "../tool-rules.ts";
import { TypedAhead } from "../tui/typed-ahead.ts";

/** s: a week. Longer times do not fit into a timer. */
const MAX_TIMEOUT = 604_800;

/** The id of a relay's chat, unless `--session` names one, and an example of a name. */
const MAIN_CHAT = "main";

export async function chatCommand(call: CommandCall): Promise<number> {
  const typed = new TypedAhead(process.stdin, process.stdout);
  try {
    return await chatBy(call, typed);
  } finally {
    typed.end();
  }
}

async function chatBy(call: CommandCall, typed: TypedAhead): Promise<number> {
  const { given } = call;
  const backend = backendOf(call);
  const turn = await oneTurnOf(call);
  const session = await sessionOf(backend, call);
  const opened = await openBackend(backend, call, given.text("session") ?? MAIN_CHAT, () => {
    if (!turn) typed.begin();
  });
  const rules = toolRules(given);
  // The client's own rules came first. What still waits is of a backend without rules.
  const onChat = (chat: Chat): void => void new SettleByRules(chat, rules);
  const errors = new ErrorNotes();
  const chats = openChats({
    backend: backend.name,
    source: () => errors.watch(opened.source()),
    folder: opened.folder,
    session,
    ...(turn ? {} : { onChat }),
  });
  try {
    if (turn)
      return await answerOneTurn(chats.first.chat, {
        ...turn,
        rules,
        isJson: call.isJson || turn.output !== "text",
        backend,
        session: session?.name,
        errors,
        call,
      });
    return await talk(chats, call, typed, opened);
  } finally {
    await chats.first.leave();
    await opened.close?.();
  }
}

async function talk(
  chats: OpenedChats,
  call: CommandCall,
  typed: TypedAhead,
  { folder, undo }: OpenedBackend,
): Promise<number> {
  const { stdin, stdout, stderr } = process;
  const { chat } = chats.first;
  if (!stdin.isTTY || !stdout.isTTY) return talkInLines(chat, stdin, stdout);
  const { loadTui } = await import("../tui/load-tui.ts");
  const tui = await loadTui();
  if (tui.type === "screen") {
    const header = { backend: titleOf(call), ...(folder !== undefined && { folder: resolve(folder) }) };
    typed.handOver();
    const code = await tui.run(chats, { header, ...(undo && { undo }) });
    const hasLeft = code === EXIT.done || code === EXIT.interrupted;
    if (hasLeft && chats.kept && chat.getSnapshot().messages.length > 0) {
      const { continueLine } = await import("../npx.ts");
      stdout.write(`To go on: ${continueLine(call.argv)}\n`);
    }
    return code;
  }
  typed.end();
  stderr.write(
    `${tui.problem}\nThis is the chat in lines. For the screen: ${packagesLine(tui.packages, call.argv)}\n\n`,
  );
  return talkInLines(chat, stdin, stdout);
}

/** The words that name the agent: the backend, the agent of `acp` or the program behind `--`, and the model. */
function titleOf({ args, rest, given }: CommandCall): string {
  return [...args, rest[0], given.text("model")].filter((word) => word !== undefined).join(" ");
}

interface OneTurn {
  readonly prompt: string;
  readonly output: TurnOutput;
  readonly isAsking: boolean;
  /** ms */
  readonly timeout: number | undefined;
}

/** Undefined for a chat of any number of turns. @throws Failure for options that do not go together */
async function oneTurnOf({ given }: CommandCall): Promise<OneTurn | undefined> {
  const isAsking = given.flag("ask-stdio");
  const output = given.oneOf("output", OUTPUTS) ?? (isAsking ? "stream-json" : "text");
  const seconds = given.number("timeout", 0.001, MAX_TIMEOUT);
  if (!["prompt", "output", "ask-stdio", "timeout"].some((name) => given.has(name))) return undefined;
  if (isAsking && output !== "stream-json")
    throw wrongCall(
      "--ask-stdio shows requests as events.",
      "Leave out --output, or pass --output stream-json.",
    );
  const text = given.text("prompt");
  if (isAsking && text === undefined)
    throw wrongCall("--ask-stdio takes decisions from the standard input.", 'Pass the prompt with -p "...".');
  const prompt = text ?? (await readPrompt());
  if (prompt.trim() === "")
    throw wrongCall("The prompt is blank.", 'Pass one with -p "...", or on the standard input.');
  return {
    prompt: prompt.trim(),
    output,
    isAsking,
    timeout: seconds === undefined ? undefined : seconds * 1_000,
  };
}

async function readPrompt(): Promise<string> {
  const { stdin } = process;
  if (stdin.isTTY) throw wrongCall("There is no prompt.", 'Pass one with -p "...", or pipe it in.');
  const pieces: Buffer[] = [];
  for await (const piece of stdin) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString("utf8");
}

/** Where the chat is kept; undefined where it is not, or the server keeps it. */
async function sessionOf({ name, keeps }: BackendRow, { given }: CommandCall): Promise<KeptChat | undefined> {
  const session = given.text("session");
  const isContinued = given.flag("continue");
  if (session !== undefined && isContinued)
    throw wrongCall(
      "--continue and --session are both given.",
      "Pass one: --session names the chat to go on with.",
    );
  if (keeps === "server") {
    if (isContinued)
      throw wrongCall("The server keeps the chats.", "Name one with --session; the default is main.");
    return undefined;
  }
  if (isContinued) {
    const begin = `agentwire chat ${name}${keeps === "named" ? ` --session ${MAIN_CHAT}` : ""}`;
    return keptChat(name, await lastChat(name, begin));
  }
  return keeps === "named" && session === undefined ? undefined : keptChat(name, session);
}
