// `/help`: the keys and commands, from the tables that the keyboard uses.
import type { TerminalText } from "../../screens/words-terminal.ts";
import { EDITOR_KEYS } from "../composer/editor-keys.ts";
import { APPROVAL_CHOICES } from "../dialogs/approval-choices.ts";
import { type KeyRow, keyLabel } from "../keys.ts";
import { EMPTY_ROW, inLine, type Row, rowsOf, type Span, type Surface } from "../rows/row.ts";
import { widthOf } from "../rows/width.ts";
import type { ScreenCommand } from "./command.ts";
import { MENU_KEYS } from "./completion.ts";
import type { Desk } from "./desk.ts";
import { SEARCH_KEYS } from "./history-search.ts";
import { SCREEN_KEYS } from "./screen-keys.ts";

interface Item {
  readonly label: string;
  readonly text: string;
}

/** Columns from which the labels stand beside their texts. Short labels do so anyway. */
const BESIDE = 60;
/** Columns of the labels beside their texts. */
const MAX_LABEL = 24;

export function helpRows(desk: Desk, commands: readonly ScreenCommand[], surface: Surface): readonly Row[] {
  const { words, chat, canRun } = desk;
  const ofKeys = (rows: readonly KeyRow<unknown>[]): readonly Item[] =>
    rows.map(({ keys, says }) => ({ label: keys.map(keyLabel).join(", "), text: words[says] }));
  const offered = commands.filter(({ isOffered }) => isOffered?.(desk) ?? true);
  const own = offered.map(({ name, argument, says }) => ({
    label: argument === undefined ? `/${name}` : `/${name} ${words[argument]}`,
    text: words[says],
  }));
  const marks: readonly [string, TerminalText, boolean][] = [
    ["/", "helpSlash", true],
    ["@", "helpAt", chat.getSnapshot().capabilities?.files === true],
    ["!", "helpBang", canRun],
  ];
  const agent = (chat.getSnapshot().commands ?? []).map(({ name, description, hint }) => ({
    label: inLine(`/${name}${hint === undefined ? "" : ` ${hint}`}`),
    text: inLine(description),
  }));
  const sections: readonly (readonly [TerminalText, readonly Item[]])[] = [
    ["helpKeys", ofKeys(SCREEN_KEYS)],
    ["helpBegins", marks.flatMap(([label, says, isHere]) => (isHere ? [{ label, text: words[says] }] : []))],
    ["helpCommands", own],
    ["helpAgentCommands", agent],
    ["helpEditing", ofKeys(EDITOR_KEYS)],
    ["helpMenu", ofKeys(MENU_KEYS)],
    ["helpSearch", ofKeys(SEARCH_KEYS)],
    ["helpApproval", APPROVAL_CHOICES.map(({ key, label }) => ({ label: key, text: words[label] }))],
  ];
  return sections.flatMap(([title, items]): readonly Row[] => {
    if (items.length === 0) return [];
    const head = rowsOf(words[title], "strong", { columns: surface.columns });
    return [EMPTY_ROW, ...head, ...itemRows(items, surface.columns)];
  });
}

/** Each label beside its text, or above it where the rows are narrow. */
function itemRows(items: readonly Item[], columns: number): readonly Row[] {
  const width = Math.min(MAX_LABEL, Math.max(...items.map(({ label }) => widthOf(label))));
  const hasPlace = columns >= BESIDE || width <= columns / 4;
  return items.flatMap(({ label, text }): readonly Row[] => {
    const isBeside = hasPlace && widthOf(label) <= width;
    const hang: Span = { text: " ".repeat(hasPlace ? width + 4 : 4), tone: "plain" };
    const gap = " ".repeat(Math.max(0, width - widthOf(label)) + 2);
    const lead: Span = { text: `  ${label}${gap}`, tone: "user" };
    if (isBeside) return rowsOf(text, "plain", { columns, lead, hang });
    const above: Span = { text: "  ", tone: "user" };
    return [...rowsOf(label, "user", { columns, hang: above }), ...rowsOf(text, "plain", { columns, hang })];
  });
}
