import type { Profile } from "./both.ts";

/** A name of the acceptance suite that has no test on a profile, and why. */
export interface Omission {
  /** The part of the title before the colon, or the whole title. */
  readonly test: string;
  readonly profile: Profile;
  readonly reason: string;
}

/** Everything that is not tested. Whatever is not here has a test on both profiles. */
export const omissions: readonly Omission[] = [];

export function isOmitted(title: string, profile: Profile): boolean {
  return omissions.some((row) => row.profile === profile && names(row, title));
}

/** Whether an omission is about a title, or about the name at its beginning. */
export function names(row: Omission, title: string): boolean {
  return title === row.test || title.startsWith(`${row.test}:`);
}
