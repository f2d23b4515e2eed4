// Splits Ink's key input into single keys and typed text.
import type { Key } from "ink";

export type KeyName =
  | "enter"
  | "newline"
  | "escape"
  | "left"
  | "right"
  | "up"
  | "down"
  | "home"
  | "end"
  | "word-left"
  | "word-right"
  | "backspace"
  | "delete"
  | "delete-word"
  | "tab"
  | `ctrl-${string}`;

/** Typed text. It has several characters if they arrived together. */
export interface TextPress {
  readonly type: "text";
  readonly text: string;
}

/** One key, or typed text. */
export type Press = { readonly type: "key"; readonly key: KeyName } | TextPress;

/**
 * Splits the input of Ink's `useInput`: fast keys arrive as one input. Esc and a character are the same bytes as Alt
 * with it. The screen uses few Alt keys, so others are read as Esc and the character.
 */
export function pressesOf(input: string, key: Key): readonly Press[] {
  if (key.eventType === "release") return [];
  const named = nameOf(input, key);
  if (named) return [{ type: "key", key: named }];
  if (key.super || key.hyper) return []; // an unused key
  if (key.meta)
    return isCharacter(input)
      ? [
          { type: "key", key: "escape" },
          { type: "text", text: input },
        ]
      : [];
  return [...splitInput(input)];
}

function isCharacter(input: string): boolean {
  return /^\P{C}$/u.test(input);
}

function nameOf(input: string, key: Key): KeyName | undefined {
  if (key.return) return key.meta || key.shift || key.ctrl ? "newline" : "enter";
  if (key.escape) return "escape";
  if (key.leftArrow) return key.meta || key.ctrl ? "word-left" : "left";
  if (key.rightArrow) return key.meta || key.ctrl ? "word-right" : "right";
  if (key.upArrow) return "up";
  if (key.downArrow) return "down";
  if (key.home) return "home";
  if (key.end) return "end";
  if (key.backspace) return key.meta || key.ctrl ? "delete-word" : "backspace";
  if (key.delete) return "delete";
  if (key.tab) return "tab";
  if (key.meta && input === "b") return "word-left";
  if (key.meta && input === "f") return "word-right";
  if (key.ctrl && input === "j") return "newline";
  if (key.ctrl && input.length === 1) return `ctrl-${input}`;
  return undefined;
}

function* splitInput(input: string): Generator<Press> {
  let text = "";
  for (const character of input) {
    const named = controlKey(character);
    if (named === undefined) {
      text += character;
      continue;
    }
    if (text !== "") yield { type: "text", text };
    text = "";
    yield { type: "key", key: named };
  }
  if (text !== "") yield { type: "text", text };
}

/** The key of a control character. One input may contain several. */
function controlKey(character: string): KeyName | undefined {
  const point = character.codePointAt(0) ?? 0;
  if (point === 0x7f || point === 0x08) return "backspace";
  if (point >= 0x20) return undefined;
  if (character === "\r") return "enter";
  if (character === "\n") return "newline";
  if (character === "\t") return "tab";
  if (point === 0x1b) return "escape";
  return `ctrl-${String.fromCharCode(point + 0x60)}`;
}
