import type { Mistake } from "./regions.ts";

/** The languages of fences that show a region. */
export const SHOWN: readonly string[] = ["ts", "tsx"];

/** A fenced block of code in a Markdown page. */
export interface Fence {
  /** The first word behind the opening fence, in small letters; empty where there is none. */
  readonly language: string;
  readonly code: string;
  /** Of its opening line, counted from 1; its code begins on the next. */
  readonly line: number;
  readonly indented: boolean;
  /** The region that a marker on the line before says it shows: `<!-- snippet: name -->`. */
  readonly snippet: string | undefined;
}

/** The fences of a page, in order, and what is wrong with how they are marked. */
export function readFences(markdown: string): {
  readonly fences: readonly Fence[];
  readonly mistakes: readonly Mistake[];
} {
  const fences: Fence[] = [];
  const mistakes: Mistake[] = [];
  const lines = markdown.split(/\r?\n/);
  let snippet: string | undefined;
  for (let at = 0; at < lines.length; at++) {
    const opening = openingOf(lines[at]);
    if (!opening) {
      if (snippet !== undefined)
        mistakes.push({ line: at, message: `no fence follows the marker of the snippet ${snippet}` });
      snippet = /^<!-- *snippet: *(.*?) *-->\s*$/.exec(lines[at] ?? "")?.[1];
      continue;
    }
    const { marks, language, indented } = opening;
    const end = lines.findIndex((line, index) => index > at && closes(line, marks));
    const code = lines.slice(at + 1, end === -1 ? undefined : end).join("\n");
    fences.push({ language, code, line: at + 1, indented, snippet });
    snippet = undefined;
    if (end === -1) {
      mistakes.push({ line: at + 1, message: "a fence that never closes" });
      break;
    }
    at = end;
  }
  if (snippet !== undefined)
    mistakes.push({ line: lines.length, message: `no fence follows the marker of the snippet ${snippet}` });
  return { fences, mistakes };
}

/** The page with the code of its fences exchanged, where `codeOf` knows another. */
export function fillFences(markdown: string, codeOf: (snippet: string) => string | undefined): string {
  const lines = markdown.split(/\r?\n/);
  // From the last to the first, so that the lines of those before stay where they are.
  for (const { line, code, snippet, language, indented } of readFences(markdown).fences.toReversed()) {
    if (snippet === undefined || !SHOWN.includes(language) || indented) continue;
    const wanted = codeOf(snippet);
    const length = code === "" && lines[line] !== "" ? 0 : code.split("\n").length;
    if (wanted !== undefined) lines.splice(line, length, ...wanted.split("\n"));
  }
  return lines.join("\n");
}

/** Where the links of a page lead that name no scheme. Links in its code do not count. */
export function linksOf(markdown: string): string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```$/gm, "").replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

function openingOf(
  line: string | undefined,
): { readonly marks: string; readonly language: string; readonly indented: boolean } | undefined {
  const [, indent = "", marks, info = ""] = /^(\s*)(`{3,}|~{3,})\s*([^`]*)$/.exec(line ?? "") ?? [];
  if (marks === undefined) return undefined;
  const [language = ""] = info.split(/[\s{,]/, 1);
  return { marks, language: language.toLowerCase(), indented: indent !== "" };
}

/** Closed by the same marks, or more of them. */
function closes(line: string, marks: string): boolean {
  const text = line.trim();
  return text.length >= marks.length && text === (marks[0] ?? "").repeat(text.length);
}
