// How the blocks of Markdown begin.

export interface Fence {
  readonly mark: string;
  /** Columns before the fence: the lines inside may have as many. */
  readonly indent: number;
  readonly language: string;
}

export interface ItemStart {
  /** The bullet, or the character behind the number: a list goes on while it is the same. */
  readonly mark: string;
  readonly length: number;
  readonly start?: number;
}

const HEADING = /^(#{1,6})(?:[ \t]|$)/;
const FENCE = /^(`{3,}|~{3,})(.*)$/s;
const BULLET = /^[-+*](?=[ \t]|$)/;
const NUMBER = /^(\d{1,9})([.)])(?=[ \t]|$)/;
const UNDERLINE = /^(?:=+|-+)[ \t]*$/;
const FIRST_WORD = /^\S+/;

export interface HeadingStart {
  readonly level: 1 | 2 | 3 | 4 | 5 | 6;
  readonly text: string;
}

const LEVELS = [1, 2, 3, 4, 5, 6] as const;

export function headingStart(content: string): HeadingStart | undefined {
  const marks = HEADING.exec(content)?.[1];
  const level = LEVELS[(marks?.length ?? 0) - 1];
  if (marks === undefined || level === undefined) return undefined;
  return { level, text: withoutClosingMarks(content.slice(marks.length).trim()) };
}

function withoutClosingMarks(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 35) end -= 1;
  if (end === 0) return "";
  const before = text.charCodeAt(end - 1);
  return before === 32 || before === 9 ? text.slice(0, end).trimEnd() : text;
}

export function fenceStart(content: string, indent: number): Fence | undefined {
  const [, mark, info = ""] = FENCE.exec(content) ?? [];
  if (mark === undefined || (mark.startsWith("`") && info.includes("`"))) return undefined;
  return { mark, indent, language: FIRST_WORD.exec(info.trimStart())?.[0] ?? "" };
}

export function closesFence(content: string, mark: string): boolean {
  const text = content.trimEnd();
  if (text.length < mark.length || !text.startsWith(mark)) return false;
  const code = mark.charCodeAt(0);
  for (let at = mark.length; at < text.length; at += 1) if (text.charCodeAt(at) !== code) return false;
  return true;
}

export function isRule(content: string): boolean {
  const mark = content.charCodeAt(0);
  if (mark !== 42 && mark !== 45 && mark !== 95) return false;
  let count = 0;
  for (let at = 0; at < content.length; at += 1) {
    const code = content.charCodeAt(at);
    if (code === mark) count += 1;
    else if (code !== 32 && code !== 9) return false;
  }
  return count >= 3;
}

export function itemStart(content: string): ItemStart | undefined {
  const bullet = BULLET.exec(content)?.[0];
  if (bullet !== undefined) return { mark: bullet, length: 1 };
  const [all, number, mark] = NUMBER.exec(content) ?? [];
  if (all === undefined || mark === undefined) return undefined;
  return { mark, length: all.length, start: Number(number) };
}

/** The level of the heading that this line makes of the paragraph above. */
export function underlineLevel(content: string): 1 | 2 | undefined {
  if (!UNDERLINE.test(content)) return undefined;
  return content.startsWith("=") ? 1 : 2;
}
