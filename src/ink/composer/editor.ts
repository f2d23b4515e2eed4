// The composer's text, as a pure function of actions.
import { displayed } from "../rows/row.ts";
import { graphemeAfter, graphemeBefore } from "../rows/width.ts";
import {
  imagesIn,
  isLongPaste,
  type Paste,
  type PastedImage,
  type Pastes,
  unfolded,
  withoutImages,
  withoutStandIns,
  withPaste,
} from "./pastes.ts";

export const MAX_HISTORY = 200;

export interface EditorState {
  /** Each long paste is one character. */
  readonly text: string;
  /** UTF-16 offset, between two graphemes. */
  readonly cursor: number;
  readonly pastes: Pastes;
  /** The user's prompts, oldest first. */
  readonly history: readonly Draft[];
  /** The index of the shown history entry; `history.length`: the user's draft. */
  readonly at: number;
  /** Text that is not shown now, by history index: the user's draft, and entries that the user edited. */
  readonly drafts: ReadonlyMap<number, Draft>;
  /** The text that Ctrl-K, Ctrl-U or Ctrl-W removed last, for Ctrl-Y. */
  readonly killed: Draft;
}

interface Draft {
  readonly text: string;
  readonly pastes: Pastes;
}

const NOTHING: Draft = { text: "", pastes: new Map() };

export const emptyEditor: EditorState = {
  ...NOTHING,
  cursor: 0,
  history: [],
  at: 0,
  drafts: new Map(),
  killed: NOTHING,
};

export type EditorAction =
  | { readonly type: "type"; readonly text: string }
  | { readonly type: "paste"; readonly text: string }
  | {
      readonly type: "move";
      readonly to: "left" | "right" | "home" | "end" | "word-left" | "word-right" | "up" | "down";
    }
  | { readonly type: "delete"; readonly what: "before" | "after" | "word" | "to-start" | "to-end" }
  | { readonly type: "yank" }
  /** Replaces a part of the text, and places the cursor behind it. */
  | { readonly type: "replace"; readonly from: number; readonly to: number; readonly text: string }
  | { readonly type: "image"; readonly image: PastedImage }
  /** Shows the history entry with this index. */
  | { readonly type: "recall"; readonly at: number }
  /** Replaces the backslash before the cursor with a line break. */
  | { readonly type: "continue" }
  | { readonly type: "clear" }
  /** The text was sent, and becomes the newest history entry. */
  | { readonly type: "sent" };

export function editorText({ text, pastes }: Pick<EditorState, "text" | "pastes">): string {
  return unfolded(text, pastes);
}

/** The pasted images, in the order of the text. */
export function editorImages({ text, pastes }: Pick<EditorState, "text" | "pastes">): readonly PastedImage[] {
  return imagesIn(text, pastes);
}

export function stepEditor(state: EditorState, action: EditorAction): EditorState {
  switch (action.type) {
    case "type":
      return inserted(state, displayed(withoutStandIns(action.text)));
    case "paste":
      return pasted(state, action.text.replace(/\r\n?/g, "\n"));
    case "move":
      return moved(state, action.to);
    case "delete":
      return deleted(state, action.what);
    case "yank":
      return yanked(state);
    case "replace":
      return inserted(cut(state, action.from, action.to), action.text);
    case "image":
      return withFolded(state, action.image) ?? state;
    case "recall":
      return recalled(state, action.at);
    case "continue":
      return inserted(cut(state, state.cursor - 1, state.cursor), "\n");
    case "clear":
      return { ...state, ...NOTHING, cursor: 0, at: state.history.length, drafts: new Map() };
    case "sent": {
      const { pastes } = state;
      const text = withoutImages(state.text, pastes); // the bytes of up to MAX_HISTORY prompts would stay in memory
      const isAgain = state.history.at(-1)?.text === text && pastes.size === 0;
      const history = isAgain ? state.history : [...state.history, { text, pastes }].slice(-MAX_HISTORY);
      return { ...state, ...NOTHING, cursor: 0, history, at: history.length, drafts: new Map() };
    }
  }
}

function inserted(state: EditorState, text: string): EditorState {
  if (text === "") return state;
  const before = state.text.slice(0, state.cursor);
  return {
    ...state,
    text: before + text + state.text.slice(state.cursor),
    cursor: before.length + text.length,
  };
}

/** Folds a long paste and keeps its exact text. A short paste becomes text without terminal controls. */
function pasted(state: EditorState, text: string): EditorState {
  const folded = isLongPaste(text) ? withFolded(state, text) : undefined;
  return folded ?? inserted(state, displayed(withoutStandIns(text)));
}

function withFolded(state: EditorState, paste: Paste): EditorState | undefined {
  const folded = withPaste(state.pastes, paste);
  return folded && inserted({ ...state, pastes: folded.pastes }, folded.standIn);
}

function moved(state: EditorState, to: Extract<EditorAction, { readonly type: "move" }>["to"]): EditorState {
  const { text, cursor } = state;
  switch (to) {
    case "left":
      return { ...state, cursor: graphemeBefore(text, cursor) };
    case "right":
      return { ...state, cursor: graphemeAfter(text, cursor) };
    case "home":
      return { ...state, cursor: lineStart(text, cursor) };
    case "end":
      return { ...state, cursor: lineEnd(text, cursor) };
    case "word-left":
      return { ...state, cursor: wordStart(text, cursor) };
    case "word-right":
      return { ...state, cursor: wordEnd(text, cursor) };
    case "up": {
      const start = lineStart(text, cursor);
      return start === 0
        ? recalled(state, state.at - 1)
        : { ...state, cursor: inOtherLine(text, cursor, start - 1) };
    }
    case "down": {
      const end = lineEnd(text, cursor);
      return end === text.length
        ? recalled(state, state.at + 1)
        : { ...state, cursor: inOtherLine(text, cursor, end + 1) };
    }
  }
}

/** Shows another history entry, or the draft after the last entry. Keeps edits until a prompt is sent. */
function recalled(state: EditorState, at: number): EditorState {
  const { history, text, pastes } = state;
  if (at < 0 || at > history.length || at === state.at) return state;
  const drafts = new Map([...state.drafts, [state.at, { text, pastes }]]);
  const shown = drafts.get(at) ?? history[at] ?? NOTHING;
  return { ...state, ...shown, cursor: shown.text.length, at, drafts };
}

function deleted(
  state: EditorState,
  what: Extract<EditorAction, { readonly type: "delete" }>["what"],
): EditorState {
  const { text, cursor } = state;
  switch (what) {
    case "before":
      return cut(state, graphemeBefore(text, cursor), cursor);
    case "after":
      return cut(state, cursor, graphemeAfter(text, cursor));
    case "word":
      return cut(state, wordStart(text, cursor), cursor, true);
    case "to-start":
      return cut(state, lineStart(text, cursor), cursor, true);
    case "to-end": {
      const end = lineEnd(text, cursor);
      return cut(state, cursor, end === cursor ? Math.min(text.length, end + 1) : end, true);
    }
  }
}

function cut(state: EditorState, from: number, to: number, isKept = false): EditorState {
  if (from === to) return state;
  const killed = isKept ? { text: state.text.slice(from, to), pastes: state.pastes } : state.killed;
  return { ...state, text: state.text.slice(0, from) + state.text.slice(to), cursor: from, killed };
}

/** Inserts the removed text. Its long pastes get new stand-ins. */
function yanked(state: EditorState): EditorState {
  let { pastes } = state;
  let text = "";
  for (const character of state.killed.text) {
    const paste = state.killed.pastes.get(character);
    const folded = paste === undefined ? undefined : withPaste(pastes, paste);
    if (folded) pastes = folded.pastes;
    text += folded?.standIn ?? character;
  }
  return inserted({ ...state, pastes }, text);
}

function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

/** The offset in the line of `target` at the cursor's distance from the line start. */
function inOtherLine(text: string, cursor: number, target: number): number {
  const start = lineStart(text, target);
  const at = Math.min(lineEnd(text, target), start + (cursor - lineStart(text, cursor)));
  return at >= text.length ? at : graphemeBefore(text, at + 1); // never inside a grapheme
}

function wordStart(text: string, cursor: number): number {
  let at = cursor;
  while (at > 0 && isSpace(text, at - 1)) at--;
  while (at > 0 && !isSpace(text, at - 1)) at--;
  return at;
}

function wordEnd(text: string, cursor: number): number {
  let at = cursor;
  while (at < text.length && isSpace(text, at)) at++;
  while (at < text.length && !isSpace(text, at)) at++;
  return at;
}

function isSpace(text: string, at: number): boolean {
  return /\s/.test(text.charAt(at));
}
