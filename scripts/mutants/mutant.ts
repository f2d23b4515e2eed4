/** One breakage of the source, and the tests that have to notice it. */
export interface Mutant {
  /** Kebab-case, and no other's. */
  readonly name: string;
  /** What no longer holds, in words. */
  readonly breaks: string;
  /** From the root of the repository. */
  readonly file: string;
  /** Stands in the file exactly once; may reach over several lines to do so, but changes in one only. */
  readonly find: string;
  readonly replace: string;
  /** From the root of the repository. Few, and fast ones: they are all that is run. */
  readonly tests: readonly string[];
}

/** What differs between the mutants of one file. */
export interface MutantRow extends Omit<Mutant, "file" | "tests"> {
  /** Under `test/`, where they are not those of the others. */
  readonly tests?: readonly string[];
}

/** Mutants of `file`, under `src/`, that `tests`, under `test/`, are to notice. */
export function mutantsOf(file: string, tests: readonly string[], rows: readonly MutantRow[]): Mutant[] {
  return rows.map((row) => ({
    ...row,
    file: `src/${file}`,
    tests: (row.tests ?? tests).map((test) => `test/${test}`),
  }));
}

/** The text of the mutant's file with the breakage in it, or what is wrong with the mutant. */
export function mutate(
  mutant: Mutant,
  text: string,
): { readonly text: string } | { readonly problem: string } {
  const { find, replace, file } = mutant;
  const parts = text.split(find);
  if (parts.length !== 2)
    return { problem: `its text stands ${parts.length - 1} times in ${file}, not once` };
  const mutated = parts.join(replace);
  const before = text.split("\n");
  const after = mutated.split("\n");
  const changed = before.filter((line, index) => line !== after[index]).length;
  if (after.length !== before.length || changed !== 1) {
    return {
      problem: `it changes ${changed} lines of ${file} and their number by ${after.length - before.length}, not one line`,
    };
  }
  return { text: mutated };
}
