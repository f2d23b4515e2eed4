import * as z from "zod/mini";
import { run, tail } from "../support/run.ts";
import { grouped } from "../support/sizes.ts";
import type { Check } from "./finding.ts";

/** Bytes of the unpacked package. `bar`: wanted at most. `now`: what it is, while that is above the bar. */
export interface TarballLimits {
  readonly bar: number;
  readonly now: number;
}

const LIMITS: TarballLimits = { bar: 2_500_000, now: 3_086_229 };

/** How far the package may be from `now` without anybody saying so, as a part of it. */
const UNNOTICED = 0.02;

const packed = z.array(z.object({ unpackedSize: z.number(), entryCount: z.number() }));

/** The unpacked package stays below its bar, or does not grow unseen while it is above. */
export const tarball: Check = async (root, note) => {
  const result = await run("npm", ["pack", "--ignore-scripts", "--dry-run", "--json"], { cwd: root });
  if (!result.ok) throw new Error(`npm pack failed (${result.ending}):\n${tail(result)}`);
  const [{ unpackedSize, entryCount } = { unpackedSize: 0, entryCount: 0 }] = packed.parse(
    JSON.parse(result.stdout),
  );
  note(`${grouped(unpackedSize)} bytes unpacked in ${entryCount} files; the bar is ${grouped(LIMITS.bar)}`);
  const message = judgeSize(unpackedSize, LIMITS);
  return message === undefined ? [] : [{ file: "scripts/checks/tarball.ts", message }];
};

/** What is wrong with so many bytes, and what to do. */
export function judgeSize(bytes: number, { bar, now }: TarballLimits): string | undefined {
  const limit = Math.max(bar, now);
  const told = `the package has ${grouped(bytes)} bytes unpacked, and the limit is ${grouped(limit)}`;
  if (bytes > limit * (now > bar ? 1 + UNNOTICED : 1))
    return `${told}: take something out (npm pack --dry-run lists the files), or say why not and set \`now\``;
  if (now > bar && bytes < now * (1 - UNNOTICED)) return `${told}: set \`now\`, so that it cannot grow back`;
  return undefined;
}
