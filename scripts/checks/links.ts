import { run, tail } from "../support/run.ts";
import type { Check } from "./finding.ts";

/** The tests that say what this check says: a page's links, and the licences' words in NOTICE. */
const TESTS = ["test/docs/links.test.ts", "test/docs/notice.test.ts"] as const;

/** Each link of a page leads somewhere, and NOTICE has the words of the licences. */
export const links: Check = async (root, note) => {
  const result = await run("npm", ["test", "--silent", "--", ...TESTS], { cwd: root });
  if (result.ok) {
    note(TESTS.join(", "));
    return [];
  }
  const message = `mend what these tests name: npm test -- ${TESTS.join(" ")}\n${tail(result, 30)}`;
  return [{ file: "docs", message }];
};
