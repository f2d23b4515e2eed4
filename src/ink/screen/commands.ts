// The commands of the screen: one table for the composer, its menu and `/help`.
import type { ChatMessage } from "../../universal/transcript/message.ts";
import type { TranscriptChoice } from "../../universal/transcript/transcript.ts";
import { inLine } from "../rows/row.ts";
import { branchChoices, promptChoices, runBranch, runEdit } from "./branch-commands.ts";
import type { Done, ScreenCommand } from "./command.ts";
import type { Choice } from "./completion.ts";
import type { Desk } from "./desk.ts";
import { exportChoices, runCopy, runExport } from "./export-commands.ts";
import { helpRows } from "./help.ts";
import { queueChoices, runQueue } from "./queue-command.ts";

const canBranch = ({ chat }: Desk): boolean => chat.getSnapshot().capabilities?.branches !== false;
const hasChats = ({ options }: Desk): boolean => options.chats !== undefined;

export const COMMANDS: readonly ScreenCommand[] = [
  {
    name: "help",
    says: "helpHelp",
    run: (desk) => {
      desk.say((surface) => helpRows(desk, COMMANDS, surface));
      return undefined;
    },
  },
  {
    name: "edit",
    says: "helpEdit",
    argument: "argumentPrompt",
    choices: promptChoices,
    isOffered: canBranch,
    run: runEdit,
  },
  {
    name: "regenerate",
    says: "helpRegenerate",
    isOffered: canBranch,
    run: ({ chat, words }) => {
      const last = lastTurn(chat.getSnapshot().messages.toArray());
      if (!last) return words.noteNothingToRegenerate;
      return chat.regenerate(last.id).ok ? words.noteFilesStay : undefined;
    },
  },
  {
    name: "branch",
    says: "helpBranch",
    argument: "argumentBranch",
    needsArgument: true,
    choices: branchChoices,
    isOffered: canBranch,
    run: runBranch,
  },
  {
    name: "retry",
    says: "helpRetry",
    run: ({ chat, words }) => {
      const last = lastTurn(chat.getSnapshot().messages.toArray());
      if (!last) return words.noteNothingToRetry;
      chat.retry(last.id);
      return undefined;
    },
  },
  {
    name: "queue",
    says: "helpQueue",
    argument: "argumentQueue",
    needsArgument: true,
    choices: queueChoices,
    run: runQueue,
  },
  {
    name: "send",
    says: "helpSend",
    run: ({ chat, words }) => {
      const { queue, connection } = chat.getSnapshot();
      if (!queue.some(({ held }) => held)) return words.noteNothingHeld;
      if (connection.contextLost) return words.noteResumeFirst; // the choice sends them too
      chat.resume();
      return undefined;
    },
  },
  {
    name: "mode",
    says: "helpMode",
    argument: "argumentMode",
    needsArgument: true,
    choices: ({ chat }) => choicesOf("/mode", chat.getSnapshot().modes),
    isOffered: ({ chat }) => chat.getSnapshot().modes !== null,
    run: ({ chat, words, later }, argument) => {
      const found = namedIn(chat.getSnapshot().modes, argument);
      if (!found) return { fix: words.noteNoSuchMode(inLine(argument)) };
      const done = words.modeIs(inLine(found.name));
      later(chat.setMode(found.id).then(({ ok }) => (ok ? done : ""))); // otherwise the banner says why
      return undefined;
    },
  },
  {
    name: "model",
    says: "helpModel",
    argument: "argumentModel",
    needsArgument: true,
    choices: ({ chat }) => choicesOf("/model", chat.getSnapshot().models),
    isOffered: ({ chat }) => chat.getSnapshot().models !== null,
    run: ({ chat, words, later }, argument) => {
      const found = namedIn(chat.getSnapshot().models, argument);
      if (!found) return { fix: words.noteNoSuchModel(inLine(argument)) };
      const done = words.modelIs(inLine(found.name));
      later(chat.setModel(found.id).then(({ ok }) => (ok ? done : ""))); // otherwise the banner says why
      return undefined;
    },
  },
  {
    name: "undo",
    says: "helpUndo",
    isOffered: ({ options }) => options.undo !== undefined,
    run: runUndo,
  },
  { name: "copy", says: "helpCopy", run: runCopy },
  {
    name: "export",
    says: "helpExport",
    argument: "argumentFile",
    choices: exportChoices,
    isOffered: ({ options }) => options.writeFile !== undefined,
    run: runExport,
  },
  {
    name: "chats",
    says: "helpChats",
    argument: "argumentChat",
    needsArgument: true,
    choices: async ({ options }) =>
      ((await options.chats?.()) ?? []).map(({ id, title, usedAt }) => {
        const detail = usedAt === undefined ? inLine(id) : localTime(usedAt);
        return { insert: `/chats ${id}`, label: inLine(title), detail, isWhole: true };
      }),
    none: "noteNoOtherChat",
    isOffered: hasChats,
    run: openChat,
  },
  {
    name: "new",
    says: "helpNew",
    isOffered: hasChats,
    run: ({ leave }) => {
      leave({ open: null });
      return undefined;
    },
  },
  {
    name: "dismiss",
    says: "helpDismiss",
    run: ({ chat, words }) => {
      if (!chat.getSnapshot().problem) return words.noteNothingToDismiss;
      chat.dismiss();
      return undefined;
    },
  },
  {
    name: "quit",
    says: "helpQuit",
    run: ({ leave }) => {
      leave("quit");
      return undefined;
    },
  },
];

/** Such as `2026-11-28 15:24`, by the clock of this machine. */
function localTime(ms: number): string {
  const date = new Date(ms);
  const two = (part: number): string => String(part).padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Takes files back, between two turns: a tool may be at work on them. */
function runUndo({ chat, options, words, later }: Desk): Done {
  if (chat.getSnapshot().busy) return words.noteUndoBusy;
  const undone = async (): Promise<string> => {
    const files = await options.undo?.();
    if (!files) return words.noteNothingToUndo;
    const left = files.conflicts.map(({ path, reason }) => words.undoConflict(inLine(path), inLine(reason)));
    return [words.noteUndone(files.reverted.map(inLine)), ...left].join("; ");
  };
  later(undone());
  return undefined;
}

/** Leaves for a chat of the list. */
function openChat({ options, words, leave, later }: Desk, argument: string): Done {
  const id = argument.trim();
  const open = async (): Promise<string> => {
    const chats = (await options.chats?.()) ?? [];
    if (!chats.some((chat) => chat.id === id)) return words.noteNoSuchChat(inLine(id));
    leave({ open: id });
    return "";
  };
  later(open());
  return undefined;
}

function choicesOf(command: string, choice: TranscriptChoice | null): readonly Choice[] {
  return (choice?.available ?? []).map(({ id, name, description }) => ({
    insert: `${command} ${id}`,
    label: `${inLine(name)}${id === choice?.current ? " *" : ""}`,
    ...(description === undefined ? {} : { detail: description }),
    isWhole: true,
  }));
}

function namedIn(choice: TranscriptChoice | null, given: string) {
  const wanted = given.trim().toLowerCase();
  return choice?.available.find(
    ({ id, name }) => id.toLowerCase() === wanted || name.toLowerCase() === wanted,
  );
}

/** The last prompt or answer. Skips system messages between turns. */
function lastTurn(messages: readonly ChatMessage[]): ChatMessage | undefined {
  return messages.findLast(({ role }) => role !== "system");
}
