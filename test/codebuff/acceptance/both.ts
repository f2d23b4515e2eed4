import { ManualClock, type ViolationKind } from "agentwire/testing";
import { expect, test } from "vitest";
import { sendsHeaders } from "#socket";
import { type Pair, type PairOptions, pair } from "../../helpers/codebuff.ts";
import { isOmitted } from "./omissions.ts";

/** The two real servers. */
export type Profile = "proxy" | "codebuff";

/** Whether the socket under test is one as browsers have it: no headers, and 1006 for every broken link. */
export const browserLike = !sendsHeaders;

/** What a test gets: a server of one profile, and a client that was not told which. */
export interface Scene extends Pair {
  readonly profile: Profile;
  /** The server's clock, where `serverClock` asks for one that the test drives. */
  readonly serverClock: ManualClock;
  /** What the client has logged, on any level. */
  readonly log: readonly string[];
}

export interface SceneOptions extends PairOptions {
  /** Whether the client is ready when the test begins. @default true */
  readonly connected?: boolean;
  /** Gives the server a clock that the test drives, and its heartbeat back. @default false */
  readonly serverClock?: boolean;
  /** What the test does wrong on purpose; any other mistake on the wire fails it. */
  readonly mistakes?: readonly ViolationKind[];
}

type Options = SceneOptions | ((profile: Profile) => SceneOptions);
type Body = (scene: Scene) => Promise<void>;

export const TOKEN = "token-1234";

/** For tests in which the server asks for something: the proxy reads the answers, but knows none, and says so to each. */
export const asking = (profile: Profile): SceneOptions => ({
  mock: { unreadFrame: "queue" },
  mistakes: profile === "proxy" ? ["unknown-action"] : [],
});

/** For tests that send while a prompt runs, to a proxy that reads while it works: the client has to be told. */
export const READING = {
  client: { maxConcurrentPrompts: 2 },
  mock: { unreadFrame: "queue" },
} as const satisfies SceneOptions;

/**
 * Runs a test on both servers, unless `omissions.ts` says why not. The client finds out by itself which server it
 * has, and whatever happens it makes no mistake on the wire and leaves no timer behind.
 */
export function onBoth(title: string, body: Body): void;
export function onBoth(title: string, options: Options, body: Body): void;
export function onBoth(title: string, first: Options | Body, second?: Body): void {
  for (const profile of ["proxy", "codebuff"] as const) {
    if (isOmitted(title, profile)) continue;
    test(`${title} (${profile})`, async () => {
      if (second) await play(profile, optionsFor(first as Options, profile), second);
      else await play(profile, {}, first as Body);
    });
  }
}

function optionsFor(options: Options, profile: Profile): SceneOptions {
  return typeof options === "function" ? options(profile) : options;
}

async function play(profile: Profile, options: SceneOptions, body: Body): Promise<void> {
  const { connected = true, mistakes = [] } = options;
  const serverClock = new ManualClock();
  const log: string[] = [];
  const note = (line: string): void => void log.push(line);
  const logger = { debug: note, info: note, warn: note, error: note };
  const clocked = options.serverClock ? { clock: serverClock, heartbeat: {} } : {};
  const made = await pair({
    mock: { profile, ...clocked, ...options.mock },
    client: { authToken: TOKEN, logger, ...options.client },
  });
  try {
    if (connected) await made.client.connect();
    await body({ ...made, profile, serverClock, log });
    const unexpected = made.server.violations.filter(({ kind }) => !mistakes.includes(kind));
    expect(unexpected.map(({ kind, detail }) => `${kind}: ${detail}`)).toEqual([]);
  } finally {
    await made[Symbol.asyncDispose]();
  }
  expect(made.clock.pending, "timers left behind").toBe(0);
}
