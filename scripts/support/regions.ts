/** A part of a file that compiles, shown by a page: what stands between `// #region name` and `// #endregion`. */
export interface Region {
  readonly name: string;
  /** Without the indentation that all its lines share, and without blank lines around it. */
  readonly code: string;
  /** Of its `#region` line, counted from 1. */
  readonly line: number;
}

/** What is wrong in a file, and where. */
export interface Mistake {
  readonly line: number;
  readonly message: string;
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** The regions of a file, in order, and what is wrong with how they are marked. */
export function readRegions(text: string): {
  readonly regions: readonly Region[];
  readonly mistakes: readonly Mistake[];
} {
  const regions: Region[] = [];
  const mistakes: Mistake[] = [];
  const lines = text.split(/\r?\n/);
  let open: { readonly name: string; readonly line: number } | undefined;
  const report = (line: number, message: string): void => {
    mistakes.push({ line, message });
  };
  for (const [index, content] of lines.entries()) {
    const [, word, name = ""] = /^\s*\/\/ *#(region|endregion)\b *(.*?) *$/.exec(content) ?? [];
    const line = index + 1;
    if (word === "region") {
      if (open) report(line, `a region begins inside the region ${open.name}`);
      if (!NAME.test(name)) report(line, `"${name}" is no name of a region: use words-like-this`);
      open = { name, line };
    } else if (word === "endregion") {
      if (!open) {
        report(line, "a region ends that never began");
        continue;
      }
      const code = dedent(lines.slice(open.line, index));
      if (code === "") report(open.line, `the region ${open.name} is empty`);
      regions.push({ ...open, code });
      open = undefined;
    }
  }
  if (open) report(open.line, `the region ${open.name} never ends`);
  return { regions, mistakes };
}

/** A region in a function is shown as if it stood alone. */
function dedent(lines: readonly string[]): string {
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  const shared = Math.min(...indents);
  return lines
    .map((line) => line.slice(shared).trimEnd())
    .join("\n")
    .replace(/^\n+|\n+$/g, "");
}
