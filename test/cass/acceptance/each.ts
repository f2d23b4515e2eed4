import type { CassViolationKind } from "agentwire/testing";
import { expect, test } from "vitest";
import { sendsHeaders } from "#socket";
import { type CassPair, type CassPairOptions, cassPair, collect } from "../../helpers/cass.ts";
import { isOmitted } from "./omissions.ts";
import { PROFILES, type Profile } from "./profiles.ts";

/** Whether the socket under test is one as browsers have it: it cannot be cut, and says 1006 for every broken link. */
export const browserLike = !sendsHeaders;

/** What a test gets: a server of one profile, and a client that was not told which. */
export interface Scene extends CassPair {
  readonly profile: Profile;
}

export interface SceneOptions extends CassPairOptions {
  /** Whether the client is ready when the test begins. @default true */
  readonly connected?: boolean;
  /** What the test does wrong on purpose; any other mistake on the wire fails it. */
  readonly mistakes?: readonly CassViolationKind[];
  /** Kinds of warnings that the test brings about; any other fails it. */
  readonly warns?: readonly string[];
}

type Options = SceneOptions | ((profile: Profile) => SceneOptions);
type Body = (scene: Scene) => Promise<void>;

/**
 * Runs a test on all four servers, unless `omissions.ts` says why not. Whatever happens, the client makes no mistake on
 * the wire, warns of nothing that is as it should be, logs no token, and leaves no timer behind.
 */
export function onEach(title: string, body: Body): void;
export function onEach(title: string, options: Options, body: Body): void;
export function onEach(title: string, first: Options | Body, second?: Body): void {
  for (const profile of PROFILES) {
    if (isOmitted(title, profile)) continue;
    test(`${title} (${profile})`, async () => {
      if (second) await play(profile, optionsFor(first as Options, profile), second);
      else await play(profile, {}, first as Body);
    });
  }
}

/** A promise about a pure part, or about a peer that is no server of any kind: it holds for all at once. */
export function forAll(title: string, body: () => Promise<void> | void): void {
  test(title, body);
}

function optionsFor(options: Options, profile: Profile): SceneOptions {
  return typeof options === "function" ? options(profile) : options;
}

async function play(profile: Profile, options: SceneOptions, body: Body): Promise<void> {
  const { connected = true, mistakes = [], warns = [], client = {} } = options;
  const made = await cassPair({ ...options, mock: { profile, ...options.mock }, client });
  const warnings = collect(made.client, "protocolWarning");
  try {
    if (connected) await made.client.connect();
    await body({ ...made, profile });
    const unexpected = made.server.violations.filter(({ kind }) => !mistakes.includes(kind));
    expect(unexpected.map(({ kind, detail }) => `${kind}: ${detail}`)).toEqual([]);
  } finally {
    await made[Symbol.asyncDispose]();
  }
  const unasked = warnings.filter(({ kind }) => !warns.includes(kind));
  expect(unasked.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([]);
  const logged = made.logs.join("\n");
  for (const token of [made.user.accessToken, made.user.refreshToken]) expect(logged).not.toContain(token);
  expect(made.clock.pending, "timers left behind").toBe(0);
}
