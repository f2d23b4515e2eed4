// A user with an API key, as types.
import type { MockCodebuffBackendSwitches } from "./switches.ts";

/** Gates of a user alone, above the switches of the server. */
export type BackendUserSwitches = Pick<
  MockCodebuffBackendSwitches,
  "banned" | "country" | "quota" | "balance"
>;

/** Who has an API key. */
export interface BackendUser extends BackendUserSwitches {
  readonly key: string;
  readonly id: string;
  readonly email: string;
  readonly discordId: string | null;
  readonly referralCode: string | null;
  readonly referralLink: string | null;
  readonly stripeCustomerId: string | null;
}
