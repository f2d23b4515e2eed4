import type { Profile } from "./both.ts";

/** A name of the acceptance suite that has no test on a profile, and why. */
export interface Omission {
  /** The part of the title before the colon, or the whole title. */
  readonly test: string;
  readonly profile: Profile;
  readonly reason: string;
}

/** Everything that is not tested. Whatever is not here has a test on both profiles. */
export const omissions: readonly Omission[] = [
  {
    test: "11",
    profile: "documented",
    reason: "the transcript is one of the real server; what the other says instead is in 4.2 and 1.2",
  },
  ...bothProfiles(
    "4.4 unknown id + turn end",
    "a call that nobody has heard of has no state that the end of a turn could change",
  ),
];

function bothProfiles(test: string, reason: string): readonly Omission[] {
  return (["real", "documented"] as const).map((profile) => ({ test, profile, reason }));
}

export function isOmitted(title: string, profile: Profile): boolean {
  return omissions.some((row) => row.profile === profile && names(row, title));
}

/** Whether an omission is about a title, or about the name at its beginning. */
export function names(row: Omission, title: string): boolean {
  return title === row.test || title.startsWith(`${row.test}:`);
}
