// `/copy` and `/export`: what was said, for other programs.
import { utf8Length } from "../../core/text.ts";
import { inLine } from "../rows/row.ts";
import type { Done } from "./command.ts";
import type { Choice } from "./completion.ts";
import type { Desk } from "./desk.ts";
import { lastAnswer, transcriptMarkdown } from "./transcript-markdown.ts";

/** Bytes of a text that `/copy` takes: terminals drop an OSC 52 sequence of more than 100,000 bytes in base64. */
export const MAX_COPY_BYTES = 74_994;

export function runCopy({ chat, words, options: { copy }, clipboard, later }: Desk): Done {
  const text = lastAnswer(chat.getSnapshot().messages);
  if (text === "") return words.noteNothingToCopy;
  if (!copy) {
    const bytes = utf8Length(text);
    if (bytes > MAX_COPY_BYTES) return words.noteTooLongToCopy({ bytes, limit: MAX_COPY_BYTES });
    clipboard(text);
    return words.noteCopiedByTerminal(text.length);
  }
  const copied = async (): Promise<string> => {
    await copy(text);
    return words.noteCopied(text.length);
  };
  later(copied());
  return undefined;
}

const REPLACE = "replace";

export function exportChoices({ clock }: Desk, argument: string): readonly Choice[] {
  const name = argument.trim();
  const file = fileOf(name) ?? defaultName(clock.wallTime());
  return [
    { insert: `/export ${file}`, label: file, isWhole: true },
    ...(name === ""
      ? []
      : [{ insert: `/export ${file} ${REPLACE}`, label: `${file} ${REPLACE}`, isWhole: true }]),
  ];
}

/** Replaces a file only if the user has added the word `replace`. */
export function runExport({ chat, words, options, clock, later, compose }: Desk, argument: string): Done {
  const { writeFile } = options;
  if (!writeFile) return words.noteNotOffered("/export");
  const { messages } = chat.getSnapshot();
  if (messages.length === 0) return words.noteNothingToExport;
  const file = fileOf(argument) ?? defaultName(clock.wallTime());
  const replaces = isReplacing(argument);
  const written = async (): Promise<string> => {
    const how = await writeFile(file, transcriptMarkdown(messages, words), { replaces });
    if (how === "written") return words.noteExported(inLine(file));
    compose({ text: `/export ${file} `, purpose: { type: "prompt" } });
    return words.noteExists(inLine(file), REPLACE);
  };
  later(written());
  return undefined;
}

const isReplacing = (argument: string): boolean => /\S\s+replace\s*$/.test(argument);

function fileOf(argument: string): string | undefined {
  return argument.replace(/(?<=\S)\s+replace\s*$/, "").trim() || undefined;
}

/** `chat-2026-11-28-1204.md`, in UTC. */
function defaultName(now: number): string {
  const [date = "", time = ""] = new Date(now).toISOString().split("T");
  return `chat-${date}-${time.slice(0, 5).replace(":", "")}.md`;
}
