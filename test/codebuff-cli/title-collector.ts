import { format } from "node:util";

/** In place of a test's body, a table, or options. */
type Rest = readonly unknown[];

/** What stands in for vitest where the titles of tests are read, and nothing is run. */
export function collectTitles(titles: string[]) {
  const test = (title: string): void => void titles.push(title);
  const group = (_title: string, ...rest: Rest): void => runLast(rest, []);
  return {
    test: Object.assign(test, {
      skipIf: () => test,
      each: (table: Rest) => (title: string) => {
        for (const row of table) titles.push(titleOf(title, row));
      },
    }),
    describe: Object.assign(group, {
      skipIf: () => group,
      each:
        (table: Rest) =>
        (_title: string, ...rest: Rest) => {
          for (const row of table) runLast(rest, Array.isArray(row) ? row : [row]);
        },
    }),
  };
}

/** The tests of a group, which are its last argument. */
function runLast(given: Rest, row: Rest): void {
  const body = given.at(-1);
  if (typeof body === "function") body(...row);
}

/** As vitest writes the title of a row: `%s` and its like in their order, `$name` by its name. */
function titleOf(title: string, row: unknown): string {
  const fields = Object(row);
  const named = title.replace(/\$(\w+)/g, (whole, name) =>
    Object.hasOwn(fields, name) ? fields[name] : whole,
  );
  const places = named.match(/%[sijdo]/g)?.length ?? 0;
  const values: Rest = Array.isArray(row) ? row : [row];
  return format(named, ...values.slice(0, places));
}
