// The input of a tool call as text: whole for an approval, and what is worth showing in the transcript.
import { isObject } from "../../core/checks.ts";
import type { ToolPreview } from "../../core/values.ts";
import type { ChatToolPart } from "../../universal/transcript/message.ts";
import { diffLines } from "../diff.ts";
import { below, fieldText, inJson, PLAIN_NAME, readable } from "./readable.ts";

/** The fields of a call that only runs a command. */
const OF_COMMANDS = ["command", "cwd", "process_type", "timeout_seconds", "mode"];

/** The command of a call. Other tools name one of their own actions `command`: they have further fields. */
export function commandIn(input: unknown, kind?: ChatToolPart["kind"]): string | undefined {
  if (!isObject(input)) return undefined;
  const { command } = input;
  const isCommand = kind === "execute" || Object.keys(input).every((name) => OF_COMMANDS.includes(name));
  return typeof command === "string" && isCommand ? command : undefined;
}

/**
 * The whole input: its command as `$ command`, its other fields as `readable` has them. Different inputs have different
 * texts, but for the order of the fields.
 */
export function inputText(input: unknown, kind?: ChatToolPart["kind"]): string {
  return withBelow(input, kind, [], () => "");
}

/**
 * The whole input of a call that waits for approval. A text of several lines is left out if the changes below it have
 * exactly these lines.
 * @param shownBelow the words in place of the field. They must not begin like a field, so with no name and a colon
 */
export function approvalText(
  { input, preview = [] }: { readonly input: unknown; readonly preview?: readonly ToolPreview[] },
  shownBelow: (field: string) => string,
): string {
  return withBelow(input, undefined, preview, shownBelow);
}

function withBelow(
  input: unknown,
  kind: ChatToolPart["kind"],
  preview: readonly ToolPreview[],
  shownBelow: (field: string) => string,
): string {
  if (!isObject(input)) return readable(input);
  const command = commandIn(input, kind);
  const { command: _, ...rest } = input;
  const fields = Object.entries(command === undefined ? input : rest);
  const added: readonly unknown[] = preview.flatMap(addedText);
  const lines = fields.map(([name, value]) =>
    added.includes(value) && PLAIN_NAME.test(name) ? shownBelow(name) : fieldText([name, value]),
  );
  if (command === undefined) return lines.join("\n");
  const tokens = fields.map(tokenOf);
  const others = tokens.includes("") ? lines : tokens.length > 0 ? [`(${tokens.join(", ")})`] : [];
  return [`$ ${below(command)}`, ...others].join("\n");
}

/** A short field of a command, for one line with the others. Empty for any other field. */
function tokenOf([name, value]: readonly [string, unknown]): string {
  const text = typeof value === "string" ? inJson(value) : `${JSON.stringify(value)}`;
  return PLAIN_NAME.test(name) && /^"?[\w.:/-]+"?$/.test(text) ? `${name} ${text}` : "";
}

/** The added lines of a change as one text, if there are several. The agent's own claim may differ from the input. */
function addedText({ diff, by }: ToolPreview): readonly string[] {
  const lines = by === "tool" ? diffLines(diff) : [];
  const added = lines.filter(({ type }) => type === "added").map(({ text }) => text);
  const end = lines.at(-1)?.text.startsWith("\\ ") ? "" : "\n";
  return added.length > 1 ? [added.join("\n") + end] : [];
}

/** Whether the title has this text, as words of its own. */
function isIn(title: string, text: string): boolean {
  const at = title.indexOf(text);
  return at >= 0 && text !== "" && isEdge(title.charAt(at - 1)) && isEdge(title.charAt(at + text.length));
}

const isEdge = (character: string): boolean => /^[\s,`'":()]?$/.test(character);

/** The input without what the title says, and without what the changes say. */
export function inputBeside(
  { input, kind, title = "" }: Pick<ChatToolPart, "input" | "kind" | "title">,
  hasChanges: boolean,
): string {
  if (!isObject(input)) return readable(input);
  const command = commandIn(input, kind);
  if (command !== undefined) {
    const { cwd } = input;
    return [
      ...(isIn(title, command) ? [] : [`$ ${below(command)}`]),
      ...(typeof cwd === "string" && cwd !== "" ? [fieldText(["cwd", cwd])] : []),
    ].join("\n");
  }
  const isSaid = (value: unknown): boolean =>
    typeof value === "string"
      ? isIn(title, value) || (hasChanges && value.includes("\n"))
      : Array.isArray(value) && value.every((each) => typeof each === "string" && isIn(title, each));
  return Object.entries(input)
    .filter(([, value]) => !isSaid(value) && !(hasChanges && typeof value === "object"))
    .map(fieldText)
    .join("\n");
}

/** What a lasting decision covers, without repeating the input above it. */
export function grantText(
  grant: string,
  input: unknown,
  words: { readonly thisCommand: string; readonly thisInput: string },
): string {
  const command = commandIn(input);
  if (command !== undefined && grant.startsWith(`\`${command}\``))
    return words.thisCommand + grant.slice(command.length + 2);
  const fields = isObject(input) ? Object.fromEntries(Object.entries(input).sort()) : input;
  return grant === `exactly the input ${JSON.stringify(fields)}` ? words.thisInput : grant;
}
