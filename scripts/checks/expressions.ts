import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { EXCUSES, type Excuse } from "../support/excuses.ts";
import { type Expression, readExpressions } from "../support/expressions.ts";
import { judgeAll } from "../support/judge.ts";
import { listFiles } from "../support/list-files.ts";
import type { Check, Finding } from "./finding.ts";

const HOW = "write it linear, or name what bounds it in scripts/support/excuses.ts";

/** Every regular expression of `src/` takes linear time, or is excused with what bounds it. */
export const expressionsBut =
  (excuses: readonly Excuse[]): Check =>
  async (root, note) => {
    const paths = await listFiles(join(root, "src"), (path) => /\.tsx?$/.test(path));
    const texts = await Promise.all(
      paths.map(async (path) => [`src/${path}`, await readFile(join(root, "src", path), "utf8")] as const),
    );
    const found = readExpressions(new Map(texts));
    const isExcused = (expression: Expression) => excuses.some((excuse) => fits(excuse, expression));
    const open = found.filter((expression) => !isExcused(expression));
    note(`${found.length} expressions, of which ${found.length - open.length} are excused`);

    const judged = new Map(
      open.flatMap(({ form }) =>
        form === undefined ? [] : [[`/${form.source}/${form.flags}`, form] as const],
      ),
    );
    const verdicts = await judgeAll([...judged.values()]);
    const verdictOf = new Map([...judged.keys()].map((key, at) => [key, verdicts[at]]));
    const findings = open.flatMap(({ file, line, code, form }): Finding[] => {
      const verdict = form ? verdictOf.get(`/${form.source}/${form.flags}`) : "is made at run time";
      return verdict === undefined ? [] : [{ file, line, message: `${code} ${verdict}: ${HOW}` }];
    });
    for (const excuse of excuses)
      if (!found.some((expression) => fits(excuse, expression)))
        findings.push({ file: excuse.file, message: `has no ${excuse.code}: take its excuse out` });
    if (found.length === 0)
      findings.push({ file: "src", message: "has no expression: there is nothing to check" });
    return findings;
  };

export const expressions = expressionsBut(EXCUSES);

function fits({ file, code }: Excuse, expression: Expression): boolean {
  return file === expression.file && code === expression.code;
}
