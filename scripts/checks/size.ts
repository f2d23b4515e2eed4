import { grouped, measureSizes, percent, readSizes, SIZES_FILE, sizeTable } from "../support/sizes.ts";
import type { Check, Finding } from "./finding.ts";

/** How much an import may grow without anybody saying so, as a part of what was committed. */
const UNNOTICED = 0.02;

const ACCEPT = "npm run size -- --write";

/**
 * No import grows in a browser without being noticed: the sizes are what the committed table says. One that has
 * become smaller is to be written down as well, or it could grow back.
 */
export const size: Check = async (root, note) => {
  const { sizes, errors } = await measureSizes(root);
  const committed = await readSizes(root);
  for (const line of sizeTable(sizes, committed)) note(line);
  const findings: Finding[] = errors.map((message) => ({ file: "package.json", message }));
  const report = (message: string): void => void findings.push({ file: SIZES_FILE, message });

  for (const [name, { gzip }] of Object.entries(sizes)) {
    const before = committed[name]?.gzip;
    if (before === undefined) {
      report(`${name} has no size there: ${ACCEPT}`);
      continue;
    }
    const change = gzip / before - 1;
    if (Math.abs(change) <= UNNOTICED) continue;
    const told = `${name} is ${grouped(gzip)} bytes in a browser, and was ${grouped(before)} (${percent(change)})`;
    if (change > 0)
      report(`${told}: bundle src/ with esbuild --analyze to see what grew, or accept it: ${ACCEPT}`);
    else report(`${told}: write it down, so that it cannot grow back: ${ACCEPT}`);
  }
  if (errors.length === 0) {
    for (const name of Object.keys(committed)) {
      if (sizes[name] === undefined) report(`${name} is there, but is no import any more: ${ACCEPT}`);
    }
  }
  if (Object.keys(sizes).length === 0 && errors.length === 0)
    findings.push({ file: "package.json", message: "exports nothing for browsers" });
  return findings;
};
