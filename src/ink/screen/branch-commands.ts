// `/edit` and `/branch`: earlier prompts, and the branches of the conversation.
import type { ChatSnapshot } from "../../chat/snapshot.ts";
import { promptWith } from "../../screens/attached.ts";
import type { ChatMessage } from "../../universal/transcript/message.ts";
import { inLine } from "../rows/row.ts";
import type { Done } from "./command.ts";
import type { Choice } from "./completion.ts";
import type { Desk } from "./desk.ts";

/** Messages that the menus look at, from the end. */
const MAX_LOOK = 1_000;
/** Entries of a menu. */
const MAX_CHOICES = 50;
/** Characters of a message that a row may show. */
const MAX_ROW_TEXT = 400;

interface Sent {
  /** Counts the prompts of the transcript from its end: 1 is the last one. */
  readonly number: number;
  readonly message: ChatMessage;
}

/** The last prompts that were sent, newest first. */
function sentPrompts({ messages }: ChatSnapshot): readonly Sent[] {
  const found: Sent[] = [];
  const end = Math.max(0, messages.length - MAX_LOOK);
  for (let at = messages.length - 1; at >= end && found.length < MAX_CHOICES; at--) {
    const message = messages.at(at);
    if (message?.role === "user" && message.status === "sent")
      found.push({ number: found.length + 1, message });
  }
  return found;
}

export function promptChoices({ chat }: Desk): readonly Choice[] {
  return sentPrompts(chat.getSnapshot()).map(({ number, message }) => ({
    insert: `/edit ${number}`,
    label: String(number),
    detail: messageText(message).slice(0, MAX_ROW_TEXT),
    isWhole: true,
  }));
}

export function runEdit(desk: Desk, argument: string): Done {
  const number = argument.trim() || "1";
  const prompts = sentPrompts(desk.chat.getSnapshot());
  const message = prompts.find((sent) => String(sent.number) === number)?.message;
  if (!message)
    return prompts.length === 0
      ? desk.words.noteNothingToEdit
      : { fix: desk.words.noteNoSuchPrompt(inLine(number)) };
  desk.compose({
    ...promptWith(messageText(message), message),
    purpose: { type: "edit", id: message.id },
  });
  return undefined;
}

interface Fork {
  /** The number of the fork from the start of what was looked at, and the number of the branch. */
  readonly name: string;
  readonly id: string;
  readonly words: string;
}

/** The branches that are not shown, those of the last messages first. */
function hiddenBranches({ chat, words }: Desk): readonly Fork[] {
  const { messages } = chat.getSnapshot();
  const found: Fork[] = [];
  let forks = 0;
  let prompt = "";
  for (let at = Math.max(0, messages.length - MAX_LOOK); at < messages.length; at++) {
    const message = messages.at(at);
    if (!message) continue;
    if (message.role === "user") prompt = messageText(message).slice(0, MAX_ROW_TEXT);
    if (!message.branches) continue;
    forks++;
    const { ids, at: shown, of } = message.branches;
    for (const [index, id] of ids.entries()) {
      if (index + 1 === shown) continue;
      const facts = { at: index + 1, of, isPrompt: message.role === "user", prompt };
      found.push({ name: `${forks}.${index + 1}`, id, words: words.branchLine(facts) });
    }
  }
  return found.reverse().slice(0, MAX_CHOICES);
}

export function branchChoices(desk: Desk): readonly Choice[] {
  return hiddenBranches(desk).map(({ name, words }) => {
    return { insert: `/branch ${name}`, label: name, detail: words, isWhole: true };
  });
}

export function runBranch(desk: Desk, argument: string): Done {
  const { chat, words } = desk;
  const branches = hiddenBranches(desk);
  if (branches.length === 0) return words.noteNoBranches;
  const branch = branches.find(({ name }) => name === argument.trim());
  if (!branch) return { fix: words.noteNoSuchBranch(inLine(argument)) };
  return chat.selectBranch(branch.id).ok ? words.noteFilesStay : undefined;
}

export function messageText({ parts }: ChatMessage): string {
  const texts: string[] = [];
  for (const part of parts) if (part.type === "text") texts.push(part.text);
  return texts.join("\n");
}
