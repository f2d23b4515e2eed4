// Reads the diff of `apply_patch` into its sections.
import { withLineFeeds } from "./lines.ts";

/** Why a diff cannot be used. */
export class PatchFailure extends Error {}

/** One section of a diff that updates a file. */
export interface Section {
  /** Counted from 1, for failures. */
  readonly number: number;
  /** The text of its header: the section stands behind a line with this text. */
  readonly anchor: string | undefined;
  readonly lines: readonly SectionLine[];
  /** Whether the section ends with the file. */
  readonly isLast: boolean;
}

export interface SectionLine {
  readonly kind: "context" | "removed" | "added";
  readonly text: string;
}

/** The text of a new file. @throws PatchFailure with the whole text of the failure */
export function createdText(diff: string): string {
  const added: string[] = [];
  for (const line of linesOf(diff)) {
    // `+++i;` is a line of a program, unless it stands before all others.
    const isHeader = /^(---|@@|\*\*\*)/.test(line) || (added.length === 0 && /^\+\+\+[ \t]/.test(line));
    if (isHeader) continue;
    if (!line.startsWith("+")) throw new PatchFailure(`Invalid Add File Line: ${line}`);
    added.push(line.slice(1));
  }
  return added.join("\n");
}

const NUMBERED = /^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/;

const END_OF_FILE = "*** End of File";

/** What Git says of a last line. The end of the file stays as it is. */
const NO_LAST_FEED = "\\ No newline at end of file";

const KINDS: Readonly<Record<string, SectionLine["kind"]>> = { " ": "context", "-": "removed", "+": "added" };

/** The sections of a diff that updates a file. @throws PatchFailure */
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

/** Without the fence around, and without the end of the last line. */
function linesOf(diff: string): readonly string[] {
  const lines = withLineFeeds(diff).split("\n");
  if (lines.at(-1) === "") lines.pop();
  const isFenced =
    lines.length > 1 && /^```\w*\s*$/.test(lines[0] ?? "") && lines.at(-1)?.trimEnd() === "```";
  return isFenced ? lines.slice(1, -1) : lines;
}
