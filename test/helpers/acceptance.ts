import { expect, test } from "vitest";
import { sendsHeaders } from "#socket";

/** Whether the socket under test is one as browsers have it: it cannot be cut, and says 1006 for every broken link. */
export const browserLike = !sendsHeaders;

/** A mock server, and a client that was not told what kind it is. */
interface Pair {
  readonly client: {
    connect(): Promise<void>;
    on(
      name: "protocolWarning",
      listener: (warning: { readonly kind: string; readonly message: string }) => void,
    ): unknown;
  };
  readonly server: { readonly violations: readonly { readonly kind: string; readonly detail: string }[] };
  readonly clock: { readonly pending: number };
  [Symbol.asyncDispose](): PromiseLike<void>;
}

export type Scene<Made, Profile> = Made & { readonly profile: Profile };

/** How a scene differs from a quiet one. */
export interface SceneOptions<Kind extends string> {
  /** Whether the client is ready when the test begins. @default true */
  readonly connected?: boolean;
  /** What the test does wrong on purpose; any other mistake on the wire fails it. */
  readonly mistakes?: readonly Kind[];
  /** Kinds of warnings that the test brings about; any other fails it. */
  readonly warns?: readonly string[];
}

/** Registers a test for each profile. */
export interface OnEach<Profile, Options, Made> {
  (title: string, body: (scene: Scene<Made, Profile>) => Promise<void>): void;
  (
    title: string,
    options: Options | ((profile: Profile) => Options),
    body: (scene: Scene<Made, Profile>) => Promise<void>,
  ): void;
}

/**
 * Makes the function that runs a test on the servers of all profiles, but for those that are omitted for a reason. Whatever
 * happens, the client makes no mistake on the wire, warns of nothing that is as it should be, and leaves no timer behind.
 */
export function onEachOf<
  Profile extends string,
  Options extends SceneOptions<string>,
  Made extends Pair,
>(setup: {
  readonly profiles: readonly Profile[];
  readonly isOmitted: (title: string, profile: Profile) => boolean;
  readonly make: (profile: Profile, options: Partial<Options>) => Promise<Made>;
  /** What else holds at the end of each. */
  readonly finally?: (made: Made) => void;
}): OnEach<Profile, Options, Made> {
  type Body = (scene: Scene<Made, Profile>) => Promise<void>;

  async function play(profile: Profile, options: Partial<Options>, body: Body): Promise<void> {
    const { connected = true, mistakes = [], warns = [] } = options;
    const made = await setup.make(profile, options);
    const warnings: string[] = [];
    made.client.on("protocolWarning", ({ kind, message }) => {
      if (!warns.includes(kind)) warnings.push(`${kind}: ${message}`);
    });
    try {
      if (connected) await made.client.connect();
      await body({ ...made, profile });
      const unexpected = made.server.violations.filter(({ kind }) => !mistakes.includes(kind));
      expect(unexpected.map(({ kind, detail }) => `${kind}: ${detail}`)).toEqual([]);
    } finally {
      await made[Symbol.asyncDispose]();
    }
    expect(warnings).toEqual([]);
    setup.finally?.(made);
    expect(made.clock.pending, "timers left behind").toBe(0);
  }

  return (title: string, first: Options | ((profile: Profile) => Options) | Body, second?: Body): void => {
    for (const profile of setup.profiles) {
      if (setup.isOmitted(title, profile)) continue;
      test(`${title} (${profile})`, async () => {
        if (!second) await play(profile, {}, first as Body);
        else
          await play(
            profile,
            typeof first === "function" ? (first as (of: Profile) => Options)(profile) : first,
            second,
          );
      });
    }
  };
}
