import * as z from "zod/mini";
import { run, tail } from "../support/run.ts";
import { grouped } from "../support/sizes.ts";
import type { Check } from "./finding.ts";

/** Bytes of the unpacked package that are wanted at most. */
const BAR = 2_500_000;

/** Bytes of the unpacked package now, which is above the bar. */
const NOW = 0;

/** How far the package may be from {@link NOW} without anybody saying so, as a part of it. */
const UNNOTICED = 0.02;

const packed = z.array(z.object({ unpackedSize: z.number(), entryCount: z.number() }));

/** The unpacked package stays below its bar, or does not grow unseen while it is above. */
export const tarball: Check = async (root, note) => {
  const result = await run("npm", ["pack", "--ignore-scripts", "--dry-run", "--json"], { cwd: root });
  if (!result.ok) throw new Error(`npm pack failed (${result.ending}):\n${tail(result)}`);
  const [{ unpackedSize, entryCount } = { unpackedSize: 0, entryCount: 0 }] = packed.parse(
    JSON.parse(result.stdout),
  );
  const told = `${grouped(unpackedSize)} bytes unpacked in ${entryCount} files`;
  note(`${told}; the bar is ${grouped(BAR)}`);
  if (unpackedSize <= BAR && NOW <= BAR) return [];
  const change = unpackedSize / NOW - 1;
  if (Math.abs(change) <= UNNOTICED) return [];
  const message =
    change > 0
      ? `${told}, and was ${grouped(NOW)}: take something out (npm pack --dry-run lists the files), or set NOW`
      : `${told}, and was ${grouped(NOW)}: set NOW, so that it cannot grow back`;
  return [{ file: "scripts/checks/tarball.ts", message }];
};
