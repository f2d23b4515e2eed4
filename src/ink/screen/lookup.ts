// What the menu offers for the text at the cursor: commands, their arguments, files.
import type { EditorState } from "../composer/editor.ts";
import type { ScreenCommand } from "./command.ts";
import type { Choice, MenuLookup } from "./completion.ts";
import type { Desk } from "./desk.ts";

/** Undefined if there is nothing to complete. */
export function lookupAt(
  { text, cursor }: EditorState,
  desk: Desk,
  commands: readonly ScreenCommand[],
): MenuLookup | undefined {
  const before = text.slice(0, cursor);
  const isAtEnd = cursor === text.length;
  if (isAtEnd && /^\/[\w?:.-]*$/.test(before)) return nameLookup(before, desk, commands);
  const [, name, argument = ""] = /^\/([\w?:.-]+) ([^\n]*)$/.exec(before) ?? [];
  const command = commands.find((each) => each.name === name?.toLowerCase());
  if (isAtEnd && command?.choices) return argumentLookup(before, argument, desk, command);
  const [, prefix] = /(?:^|\s)@(\S*)$/.exec(before) ?? [];
  if (prefix === undefined || desk.chat.getSnapshot().capabilities?.files !== true) return undefined;
  return {
    from: cursor - prefix.length - 1,
    choices: { key: `file ${prefix}`, ask: () => filesFor(desk, prefix) },
    fits: () => true,
  };
}

function nameLookup(written: string, desk: Desk, commands: readonly ScreenCommand[]): MenuLookup {
  const offered = commands.filter(({ isOffered }) => isOffered?.(desk) ?? true);
  const own = offered.map(({ name, argument, says }): Choice => {
    const label = `/${name}`;
    const detail = desk.words[says];
    return argument === undefined
      ? { insert: label, label, detail, isWhole: true }
      : { insert: `${label} `, label, detail };
  });
  const names = new Set(own.map(({ label }) => label));
  const agent = (desk.chat.getSnapshot().commands ?? []).map(({ name, description }): Choice => {
    const label = names.has(`/${name}`) ? `//${name}` : `/${name}`;
    return { insert: `${label} `, label, detail: description };
  });
  const choices = [...own, ...agent];
  return { from: 0, choices, fits: ({ label }) => label !== written && label.startsWith(written) };
}

function argumentLookup(
  written: string,
  argument: string,
  desk: Desk,
  { choices = () => [], none = "menuNone" }: ScreenCommand,
): MenuLookup {
  const wanted = argument.trim().toLowerCase();
  const fits = ({ insert, label, detail = "" }: Choice): boolean =>
    insert !== written && (insert.startsWith(written) || `${label} ${detail}`.toLowerCase().includes(wanted));
  const listed = choices(desk, argument);
  const saysNone = wanted === "" ? none : "menuNone";
  if (!(listed instanceof Promise)) return { from: 0, choices: listed, fits, saysNone };
  return { from: 0, choices: { key: "argument", ask: () => listed }, fits, saysNone };
}

/** @throws what the chat reports */
async function filesFor({ chat }: Desk, prefix: string): Promise<readonly Choice[]> {
  const found = await chat.files(prefix);
  if (!found.ok) throw found.error;
  return found.paths.map((path) => ({ insert: `@${path}${path.endsWith("/") ? "" : " "}`, label: path }));
}
