// The input of a tool call as text: whole for an approval, and what is worth showing in the transcript.
import { isObject } from "../../core/checks.ts";
import type { ChatToolPart } from "../../universal/transcript/message.ts";
import { commandIn } from "./command.ts";
import { below, fieldText, inJson, PLAIN_NAME, readable } from "./readable.ts";

/**
 * The whole input: its command as `$ command`, its other fields as `readable` has them. Different inputs have different
 * texts, but for the order of the fields.
 * @param instead words in place of a field whose value is shown elsewhere. They must not begin like a field
 */
export function inputText(
  input: unknown,
  kind?: ChatToolPart["kind"],
  instead: (name: string, value: unknown) => string | undefined = () => undefined,
): string {
  const command = commandIn(input, kind);
  if (!isObject(input)) return readable(input);
  const fields = Object.entries(input).filter(([name]) => name !== "command" || command === undefined);
  const lines = fields.map(([name, value]) => instead(name, value) ?? fieldText([name, value]));
  if (command === undefined) return lines.join("\n");
  const short = fields.map(tokenOf).join(", ");
  const others = fields.every((field) => tokenOf(field) !== "") && short !== "" ? [`(${short})`] : lines;
  return [`$ ${below(command)}`, ...others].join("\n");
}

/** A short field of a command, for one line with the others. Empty for any other field. */
function tokenOf([name, value]: readonly [string, unknown]): string {
  const text = typeof value === "string" ? inJson(value) : `${JSON.stringify(value)}`;
  return PLAIN_NAME.test(name) && /^"?[\w.:/-]+"?$/.test(text) ? `${name} ${text}` : "";
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
