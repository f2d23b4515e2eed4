// Applies the diff of `apply_patch` to a text.
import { PatchFailure, type Section, sectionsOf } from "./patch-sections.ts";
import { type Budget, Placing } from "./placing.ts";

/** Lines to read for one diff. Each section may read the whole file three times. */
const MAX_READ = 50_000_000;

/** Applies a diff to a text with `\n` line ends. Keeps the end of the text. @throws PatchFailure */
export function patched(text: string, diff: string): string {
  const sections = sectionsOf(diff);
  const hasLastFeed = text === "" || text.endsWith("\n");
  const lines = text === "" ? [] : (hasLastFeed ? text.slice(0, -1) : text).split("\n");
  const after = placed(lines, sections);
  const result = after.join("\n") + (hasLastFeed && after.length > 0 ? "\n" : "");
  if (result === text) throw new PatchFailure("The diff changes nothing.");
  return result;
}

function placed(lines: readonly string[], sections: readonly Section[]): readonly string[] {
  const budget: Budget = { left: MAX_READ };
  try {
    return new Placing(lines, budget).all(sections);
  } catch (failure) {
    if (!(failure instanceof PatchFailure) || !sections.some(hasBlankLine)) throw failure;
    try {
      // A diff may show the last line's end as an empty line.
      const after = new Placing([...lines, ""], budget).all(sections);
      return after.at(-1) === "" ? after.slice(0, -1) : after;
    } catch {
      throw failure;
    }
  }
}

function hasBlankLine({ lines }: Section): boolean {
  return lines.some(({ kind, text }) => kind !== "added" && text.trim() === "");
}
