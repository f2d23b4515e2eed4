import type { Profile } from "./profiles.ts";

/** A name of the acceptance suite that has no test on a profile, and why. */
export interface Omission {
  /** The part of the title before the colon, or the whole title. */
  readonly test: string;
  readonly profile: Profile;
  readonly reason: string;
}

/** Everything that is not tested. Whatever is not here has a test on all profiles. */
export const omissions: readonly Omission[] = [
  ...omit("difference 1", ["relay"], "nothing of titles comes through the relay"),
];

export function isOmitted(title: string, profile: Profile): boolean {
  return omissions.some((row) => row.profile === profile && names(row, title));
}

/** Whether an omission is about a title, or about the name at its beginning. */
export function names(row: Omission, title: string): boolean {
  return title === row.test || title.startsWith(`${row.test}:`);
}

/** Rows of one name, for each of these profiles. */
function omit(test: string, profiles: readonly Profile[], reason: string): readonly Omission[] {
  return profiles.map((profile) => ({ test, profile, reason }));
}
