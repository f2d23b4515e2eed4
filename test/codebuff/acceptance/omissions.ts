import type { Profile } from "./both.ts";

/** A name of the acceptance suite that has no test on a profile, and why. */
export interface Omission {
  /** The part of the title before the colon, or the whole title. */
  readonly test: string;
  readonly profile: Profile;
  readonly reason: string;
}

const NO_SWITCH =
  "there is no option that turns the queue off: a prompt on a client without a connection waits for one, or fails with the error of the connection that could not be had";

/** Everything that is not tested. Whatever is not here has a test on both profiles. */
export const omissions: readonly Omission[] = [
  { test: "error NotConnected", profile: "proxy", reason: NO_SWITCH },
  { test: "error NotConnected", profile: "codebuff", reason: NO_SWITCH },
  {
    test: "checklist 2",
    profile: "codebuff",
    reason:
      "the original server knows no identify and keeps no sessions, so there is nothing that it could refuse: finding 4 shows two clients of one id side by side",
  },
];

export function isOmitted(title: string, profile: Profile): boolean {
  return omissions.some((row) => row.profile === profile && names(row, title));
}

/** Whether an omission is about a title, or about the name at its beginning. */
export function names(row: Omission, title: string): boolean {
  return title === row.test || title.startsWith(`${row.test}:`);
}
