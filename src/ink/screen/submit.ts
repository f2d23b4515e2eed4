// What Enter does with the text of the composer.
import type { Chat } from "../../chat/chat.ts";
import type { PromptInput } from "../../core/turn/prompt-input.ts";
import type { TerminalWords } from "../../screens/words-terminal.ts";
import { displayed } from "../rows/row.ts";
import type { ScreenCommand } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import type { Desk } from "./desk.ts";
import type { ComposerDraft } from "./draft.ts";
import { readInput } from "./input.ts";
import type { LocalCommands } from "./local-commands.ts";

/** Sends a prompt or carries out a command. Returns a note for the user. A refused text stays in the composer. */
export function submit(draft: ComposerDraft, desk: Desk, local: LocalCommands): string | undefined {
  const { chat, words } = desk;
  if (draft.purpose.type !== "prompt") return replace(draft, desk);
  const input = readInput(draft.text, { own: COMMANDS, agent: chat.getSnapshot().commands ?? [] });
  switch (input.type) {
    case "blank":
      return words.noteNothingToSend;
    case "unknown":
      return words.noteUnknownCommand(displayed(input.name));
    case "command":
      return run(draft, desk, input.command, input.argument);
    case "local": {
      const refused = local.run(input.command);
      if (!refused) draft.sent();
      return refused;
    }
    case "prompt":
      return prompt(draft, desk, local, input.text);
  }
}

function run(draft: ComposerDraft, desk: Desk, command: ScreenCommand, argument: string): string | undefined {
  const { isOffered, choices, name, needsArgument } = command;
  if (isOffered && !isOffered(desk)) return desk.words.noteNotOffered(`/${name}`);
  const { editor } = draft;
  draft.sent();
  const listed = needsArgument && argument.trim() === "" ? choices?.(desk, "") : undefined;
  if (listed && (listed instanceof Promise || listed.length > 0)) {
    draft.compose({ text: `/${name} `, purpose: { type: "prompt" } }); // opens the menu
    return undefined;
  }
  const done = command.run(desk, argument);
  if (done === undefined || typeof done === "string") return done;
  draft.restore(editor);
  return done.fix;
}

function prompt(
  draft: ComposerDraft,
  { chat, words, options, later }: Desk,
  local: LocalCommands,
  text: string,
): string | undefined {
  const { input } = draft;
  if (input === undefined) return words.noteImageComes;
  const whole = local.attachTo(text);
  const result = chat.send(typeof input === "string" ? whole : { ...input, text: whole });
  if (!result.ok && result.id === undefined) return undefined; // the banner says why, and the text stays
  local.sent();
  draft.sent();
  if (chat.getSnapshot().capabilities?.files === true) later(unknownFile(chat, text, input, words));
  if (options.history) later(options.history.add(text).then(() => ""));
  return undefined;
}

/** A note about the first `@path` of a prompt that is no file. Empty if there is none. */
async function unknownFile(
  chat: Chat,
  text: string,
  input: string | PromptInput,
  words: TerminalWords,
): Promise<string> {
  const known = typeof input === "string" ? [] : (input.files ?? []);
  for (const [, path = ""] of text.matchAll(/(?<=^|\s)@([\w./-]+)/g)) {
    if (known.includes(path)) continue;
    const found = await chat.files(path);
    if (found.ok && !found.paths.includes(path)) return words.noteNoSuchFile(path);
  }
  return "";
}

/** Sends the text in place of another prompt. */
function replace(draft: ComposerDraft, { chat, words }: Desk): string | undefined {
  const { purpose, input } = draft;
  if (input === undefined) return words.noteImageComes;
  if (draft.text.trim() === "" || purpose.type === "prompt") return words.noteNothingToSend;
  if (purpose.type === "queued" && !chat.getSnapshot().queue.some(({ id }) => id === purpose.id)) {
    draft.becomesPrompt();
    return words.noteSentMeanwhile;
  }
  const result =
    purpose.type === "queued" ? chat.editQueued(purpose.id, input) : chat.edit(purpose.id, input);
  if (result.ok) draft.sent(); // otherwise the banner says why, and the text stays
  return undefined;
}
