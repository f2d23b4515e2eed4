// Finds the position of each section of a diff in a file.
import { occurrences } from "./occurrences.ts";
import { PatchFailure, type Section } from "./patch-sections.ts";

export interface Budget {
  left: number;
}

type Way = (line: string) => string;

const exactly: Way = (line) => line;
const trimmed: Way = (line) => line.trim();

const WAYS: readonly Way[] = [exactly, (line) => line.trimEnd(), trimmed];

/** Characters of a section in an error. */
const MAX_QUOTED = 500;

/** Finds the sections of a diff, one after the other. Compares lines as numbers, in linear time. */
export class Placing {
  readonly #lines: readonly string[];
  readonly #budget: Budget;
  readonly #numbers = new Map<string, number>();
  readonly #codes = new Map<Way, Int32Array>();

  constructor(lines: readonly string[], budget: Budget) {
    this.#lines = lines;
    this.#budget = budget;
  }

  /** The lines after all sections are applied. @throws PatchFailure */
  all(sections: readonly Section[]): readonly string[] {
    const result: string[] = [];
    let done = 0;
    const copy = (end: number): void => {
      for (; done < end; done++) result.push(this.#lines[done] ?? "");
    };
    for (const section of sections) {
      copy(this.#find(section, done));
      for (const { kind, text } of section.lines) {
        if (kind === "added") result.push(text);
        else if (kind === "removed") done++;
        else copy(done + 1); // keeps the file's white space
      }
    }
    copy(this.#lines.length);
    return result;
  }

  #find(section: Section, cursor: number): number {
    const wanted = section.lines.filter(({ kind }) => kind !== "added").map(({ text }) => text);
    const behind = section.anchor === undefined ? cursor : this.#behind(section.anchor, cursor);
    if (wanted.length === 0) {
      if (section.isLast) return this.#lines.length;
      if (behind !== undefined) return behind;
      throw new PatchFailure(
        `The line of the header of section ${section.number} was not found: ${cut(section.anchor ?? "")}`,
      );
    }
    for (const way of WAYS) {
      const [at, another] = this.#places(
        wanted,
        way,
        behind ?? cursor,
        section.isLast,
        behind === undefined ? 2 : 1,
      );
      if (at === undefined) continue;
      if (behind !== undefined || another === undefined) return at;
      throw new PatchFailure(
        `The line of the header of section ${section.number} was not found, and its lines occur in several places: ${cut(wanted.join("\n"))}`,
      );
    }
    const where = section.isLast
      ? " at the end of the file"
      : cursor > 0
        ? " after the previous section"
        : "";
    throw new PatchFailure(
      `The lines of section ${section.number} were not found${where}. Read the file again, and copy its lines exactly:\n${cut(wanted.join("\n"))}`,
    );
  }

  /** The position after the next anchor line; the cursor if that line is above; `undefined` if missing. */
  #behind(anchor: string, cursor: number): number | undefined {
    for (const way of [exactly, trimmed]) {
      const [at] = this.#places([anchor], way, cursor, false, 1);
      if (at !== undefined) return at + 1;
    }
    const [above] = this.#places([anchor], trimmed, 0, false, 1);
    return above === undefined ? undefined : cursor;
  }

  /** The first `count` positions of `lines` from `from` on, or the position at the end. */
  #places(
    lines: readonly string[],
    way: Way,
    from: number,
    atEnd: boolean,
    count: number,
  ): readonly number[] {
    const codes = this.#codesIn(way);
    const pattern = this.#numbered(lines, way);
    const start = atEnd ? Math.max(from, codes.length - lines.length) : from;
    const places: number[] = [];
    for (const at of occurrences(codes, pattern, start)) if (places.push(at) === count) break;
    const read = places.length === count ? (places.at(-1) ?? start) : codes.length;
    this.#spend(read - start + lines.length);
    return places;
  }

  #codesIn(way: Way): Int32Array {
    const known = this.#codes.get(way);
    if (known) return known;
    const codes = this.#numbered(this.#lines, way);
    this.#codes.set(way, codes);
    return codes;
  }

  #numbered(lines: readonly string[], way: Way): Int32Array {
    return Int32Array.from(lines, (line) => {
      const text = way(line);
      const known = this.#numbers.get(text);
      if (known !== undefined) return known;
      const next = this.#numbers.size;
      this.#numbers.set(text, next);
      return next;
    });
  }

  #spend(lines: number): void {
    this.#budget.left -= lines;
    if (this.#budget.left < 0)
      throw new PatchFailure("The diff has too many sections for a file of this size. Use smaller diffs.");
  }
}

function cut(text: string): string {
  return text.length <= MAX_QUOTED ? text : `${text.slice(0, MAX_QUOTED)}…`;
}
