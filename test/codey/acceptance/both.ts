import type { CodeyViolationKind } from "agentwire/testing";
import { test } from "vitest";
import * as acceptance from "../../helpers/acceptance.ts";
import { type CodeyPair, type CodeyPairOptions, codeyPair } from "../../helpers/codey.ts";
import { isOmitted } from "./omissions.ts";

export { browserLike } from "../../helpers/acceptance.ts";

/** The server that exists, and the one that its guide promises. */
export type Profile = "real" | "documented";

export const PROFILES: readonly Profile[] = ["real", "documented"];

/** What a test gets: a server of one profile, and a client that was not told which. */
export type Scene = acceptance.Scene<CodeyPair, Profile>;

export interface SceneOptions extends CodeyPairOptions, acceptance.SceneOptions<CodeyViolationKind> {}

/** Runs a test on both servers, unless `omissions.ts` says why not. */
export const onBoth = acceptance.onEachOf<Profile, SceneOptions, CodeyPair>({
  profiles: PROFILES,
  isOmitted,
  make: (profile, { mock, client = {} }) => codeyPair({ mock: { profile, ...mock }, client }),
});

/** A promise about a pure part, or about a peer that is no server of either kind: it holds for both at once. */
export function forBoth(title: string, body: () => Promise<void> | void): void {
  test(title, body);
}
