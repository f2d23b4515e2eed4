// Parses the diff of `apply_patch` into sections.
import { withLineFeeds } from "./lines.ts";

export class PatchFailure extends Error {}

export interface Section {
  readonly number: number;
  /** The header's text: a line in the file before the section. */
  readonly anchor: string | undefined;
  readonly lines: readonly SectionLine[];
  /** Whether the section must match at the end of the file. */
  readonly isLast: boolean;
}

export interface SectionLine {
  readonly kind: "context" | "removed" | "added";
  readonly text: string;
}

/** The text of a new file. @throws PatchFailure with the complete error text */
export function createdText(diff: string): string {
  const added: string[] = [];
  for (const line of linesOf(diff)) {
    // Only the first line can be a `+++` header: `+++i;` may be code.
    const isHeader = /^(---|@@|\*\*\*)/.test(line) || (added.length === 0 && /^\+\+\+[ \t]/.test(line));
    if (isHeader) continue;
    if (!line.startsWith("+")) throw new PatchFailure(`Invalid Add File Line: ${line}`);
    added.push(line.slice(1));
  }
  return added.join("\n");
}

const NUMBERED = /^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/;

const END_OF_FILE = "*** End of File";

/** Git's marker. Ignored: the end of the file stays unchanged. */
const NO_LAST_FEED = "\\ No newline at end of file";

const KINDS: Readonly<Record<string, SectionLine["kind"]>> = { " ": "context", "-": "removed", "+": "added" };

/** Parses an update diff. @throws PatchFailure */
export function sectionsOf(diff: string): readonly Section[] {
  const lines = linesOf(diff);
  const sections: Section[] = [];
  let anchor: string | undefined;
  let own: SectionLine[] = [];
  let isOpen = true;
  const end = (isLast: boolean): void => {
    if (anchor !== undefined || own.length > 0)
      sections.push({ number: sections.length + 1, anchor, lines: own, isLast });
    anchor = undefined;
    own = [];
    isOpen = !isLast;
  };
  for (const line of lines.slice(hasFileHeader(lines) ? 2 : 0)) {
    if (line === "@@" || line.startsWith("@@ ")) {
      end(false);
      const text = NUMBERED.test(line) ? "" : line.slice(3);
      anchor = text.trim() === "" ? undefined : text;
    } else if (line === END_OF_FILE && isOpen) end(true);
    else if (line !== NO_LAST_FEED) {
      const kind = line === "" ? "context" : KINDS[line.charAt(0)];
      if (!kind || !isOpen)
        throw new PatchFailure(
          `Invalid Line: ${line}. Each line begins with a space, \`-\`, \`+\` or \`@@\`, and a section begins with \`@@\`.`,
        );
      own.push({ kind, text: line.slice(1) });
    }
  }
  end(false);
  if (!sections.some((section) => section.lines.some(({ kind }) => kind !== "context")))
    throw new PatchFailure("The diff has no line that begins with `-` or `+`.");
  return sections;
}

function hasFileHeader([first = "", second = ""]: readonly string[]): boolean {
  return /^---[ \t]/.test(first) && /^\+\+\+[ \t]/.test(second);
}

/** The lines without a Markdown fence. */
function linesOf(diff: string): readonly string[] {
  const lines = withLineFeeds(diff).split("\n");
  if (lines.at(-1) === "") lines.pop();
  const isFenced =
    lines.length > 1 && /^```\w*\s*$/.test(lines[0] ?? "") && lines.at(-1)?.trimEnd() === "```";
  return isFenced ? lines.slice(1, -1) : lines;
}
