import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { bundledPackages } from "../support/bundled.ts";
import type { Check, Finding } from "./finding.ts";

/** Licences that let code be published under MIT, if NOTICE names its authors. */
const ALLOWED: ReadonlySet<string> = new Set([
  "MIT",
  "ISC",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Apache-2.0",
  "0BSD",
]);

const manifest = z.object({ license: z._default(z.string(), "none") });

/** What `dist/` holds of other packages may be published, and NOTICE names it. */
export const licences: Check = async (root, note) => {
  const findings: Finding[] = [];
  const bundled = await bundledPackages(root);
  if (bundled.length === 0)
    findings.push({ file: "dist", message: "nothing is noted as bundled: npm run build" });
  const notice = (await readFile(join(root, "NOTICE"), "utf8")).split("\n").map((line) => line.trim());
  const told: string[] = [];
  for (const name of bundled) {
    const file = `node_modules/${name}/package.json`;
    const { license } = manifest.parse(JSON.parse(await readFile(join(root, file), "utf8")));
    told.push(`${name} ${license}`);
    if (!isAllowed(license))
      findings.push({
        file,
        message: `has the licence ${license}, and dist/ holds its code: take another package, or add the licence to scripts/checks/licences.ts once it is clear that it fits`,
      });
    if (!notice.some((line) => line.startsWith(`${name} `)))
      findings.push({
        file: "NOTICE",
        message: `does not name ${name} (${license}), whose code is in dist/: add its copyright line`,
      });
  }
  note(`bundled: ${told.join(", ")}`);
  return findings;
};

/** Of `A OR B` one is enough. */
function isAllowed(license: string): boolean {
  return license
    .replace(/^\((.*)\)$/, "$1")
    .split(" OR ")
    .some((one) => ALLOWED.has(one));
}
