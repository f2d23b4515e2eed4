// The lines of a unified diff.

/**
 * A line of a file, with its numbers before and after the change. `gap`: unchanged lines are left out here; its text is what the diff says
 * about the place. `same` without numbers: a line about the files, or one that is no line of a diff.
 */
export interface DiffLine {
  readonly type: "same" | "added" | "removed" | "gap";
  readonly before?: number;
  readonly after?: number;
  readonly text: string;
}

/** One row of two columns. A line that is on both sides is the same object. */
export interface DiffPair {
  readonly left?: DiffLine;
  readonly right?: DiffLine;
}

const HUNK = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(.*)$/s;

/** A hunk without numbers, as in diffs that models write. */
const BARE_HUNK = /^@@(?: |$)/;

const FILE = /^(?:--- |\+\+\+ )/;

/** Reads diffs of one file or several. Other texts, and parts that are no diff, become plain lines: no line is left out. */
export function diffLines(diff: string): readonly DiffLine[] {
  if (diff === "") return [];
  const lines = diff.replace(/\n$/, "").split("\n");
  const reader = new DiffReader(!lines.some((line) => line.startsWith("@@")) && lines.every(isLoose));
  for (const line of lines) reader.read(line);
  return reader.lines;
}

/** A line that could be inside a hunk. */
const isLoose = (line: string): boolean => line === "" || /^[-+ \\]/.test(line);

class DiffReader {
  readonly lines: DiffLine[] = [];
  /** The next line of both files. Without numbers, the diff has none. */
  #before: number | undefined;
  #after: number | undefined;
  /** Lines that the hunk still has, by its head. */
  #oldLeft = 0;
  #newLeft = 0;
  #inHunk: boolean;

  constructor(inHunk: boolean) {
    this.#inHunk = inHunk;
  }

  read(line: string): void {
    const isDue = this.#oldLeft > 0 || this.#newLeft > 0;
    if (isDue && this.#body(line)) return;
    if (this.#head(line)) return;
    // Models count badly: what looks like a line of the hunk is one.
    if (!isDue && this.#inHunk && !FILE.test(line) && this.#body(line)) return;
    this.#inHunk = this.#inHunk && (FILE.test(line) || line.startsWith("\\"));
    this.lines.push({ type: "same", text: line });
  }

  #head(line: string): boolean {
    const [all, before, oldLines = "1", after, newLines = "1", about = ""] = HUNK.exec(line) ?? [];
    if (all === undefined) {
      if (!BARE_HUNK.test(line)) return false;
      this.#begin(undefined, undefined, 0, 0);
      this.lines.push({ type: "gap", text: line.slice(3) });
      return true;
    }
    const oldStart = Number(before);
    const newStart = Number(after);
    const follows = oldStart <= 1 || (oldStart === this.#before && newStart === this.#after);
    if (!follows || about.trim() !== "") this.lines.push({ type: "gap", text: about.trimStart() });
    this.#begin(oldStart, newStart, Number(oldLines), Number(newLines));
    return true;
  }

  #begin(before: number | undefined, after: number | undefined, oldLines: number, newLines: number): void {
    this.#before = before;
    this.#after = after;
    this.#oldLeft = oldLines;
    this.#newLeft = newLines;
    this.#inHunk = true;
  }

  /** Takes a line of a hunk. */
  #body(line: string): boolean {
    const text = line.slice(1);
    switch (line.charAt(0)) {
      case "+":
        this.lines.push({ type: "added", ...this.#numbers(false, true), text });
        return true;
      case "-":
        this.lines.push({ type: "removed", ...this.#numbers(true, false), text });
        return true;
      // Some programs cut the space of an empty line.
      case "":
      case " ":
        this.lines.push({ type: "same", ...this.#numbers(true, true), text });
        return true;
      default:
        if (!line.startsWith("\\")) this.#oldLeft = this.#newLeft = 0;
        return false;
    }
  }

  #numbers(isOld: boolean, isNew: boolean): Pick<DiffLine, "before" | "after"> {
    const { before, after } = { before: this.#before, after: this.#after };
    if (isOld) this.#oldLeft -= 1;
    if (isNew) this.#newLeft -= 1;
    if (before === undefined || after === undefined) return {};
    if (isOld) this.#before = before + 1;
    if (isNew) this.#after = after + 1;
    return { ...(isOld ? { before } : {}), ...(isNew ? { after } : {}) };
  }
}

/** Omits the first lines if they only repeat the path, or say that there is no file. */
export function withoutHeader(lines: readonly DiffLine[], path: string): readonly DiffLine[] {
  const isHeader = (line: DiffLine | undefined, mark: "---" | "+++"): boolean => {
    if (line?.type !== "same" || line.after !== undefined || !line.text.startsWith(`${mark} `)) return false;
    const name = line.text.slice(4);
    return name === "/dev/null" || name === path || name === `${mark === "---" ? "a" : "b"}/${path}`;
  };
  return isHeader(lines[0], "---") && isHeader(lines[1], "+++") ? lines.slice(2) : lines;
}

/** Puts removed lines beside the added lines that follow them. */
export function pairedLines(lines: readonly DiffLine[]): readonly DiffPair[] {
  const pairs: DiffPair[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) {
      const left = removed[at];
      const right = added[at];
      pairs.push({ ...(left === undefined ? {} : { left }), ...(right === undefined ? {} : { right }) });
    }
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.type === "removed") {
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.type === "added") added.push(line);
    else if (isAboutLine(line) && added.length + removed.length > 0)
      (added.length > 0 ? added : removed).push(line);
    else {
      flush();
      pairs.push({ left: line, right: line });
    }
  }
  flush();
  return pairs;
}

/** `\ No newline at end of file`: about the line before. */
function isAboutLine({ type, before, after, text }: DiffLine): boolean {
  return type === "same" && before === undefined && after === undefined && text.startsWith("\\ ");
}
