import type { CassViolationKind } from "agentwire/testing";
import { expect, test } from "vitest";
import * as acceptance from "../../helpers/acceptance.ts";
import { type CassPair, type CassPairOptions, cassPair } from "../../helpers/cass.ts";
import { isOmitted } from "./omissions.ts";
import { PROFILES, type Profile } from "./profiles.ts";

export { browserLike } from "../../helpers/acceptance.ts";

/** What a test gets: a server of one profile, and a client that was not told which. */
export type Scene = acceptance.Scene<CassPair, Profile>;

export interface SceneOptions extends CassPairOptions, acceptance.SceneOptions<CassViolationKind> {}

/** In a page, the promised server and the real one of today: the other two take minutes more, and differ in nothing that a browser does. */
const PLAYED: readonly Profile[] = typeof process === "undefined" ? ["documented", "v2"] : PROFILES;

/** Runs a test on all four servers, unless `omissions.ts` says why not. Besides what holds everywhere, no token is logged. */
export const onEach = acceptance.onEachOf<Profile, SceneOptions, CassPair>({
  profiles: PLAYED,
  isOmitted,
  make: (profile, options) =>
    cassPair({ ...options, mock: { profile, ...options.mock }, client: options.client ?? {} }),
  finally: ({ logs, user }) => {
    const logged = logs.join("\n");
    for (const token of [user.accessToken, user.refreshToken]) expect(logged).not.toContain(token);
  },
});

/** A promise about a pure part, or about a peer that is no server of any kind: it holds for all at once. */
export function forAll(title: string, body: () => Promise<void> | void): void {
  test(title, body);
}
