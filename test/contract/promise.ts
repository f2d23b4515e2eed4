import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { isExcused } from "./exceptions.ts";
import type { AnyClient, ContractOptions, Facts, World } from "./fixture.ts";
import { fixtures } from "./fixtures.ts";

/** What a test gets. */
export interface Scene extends Pick<World, "backend" | "link" | "clock" | "toUniversal"> {
  readonly facts: Facts;
  readonly client: AnyClient;
  /** Another client of the same backend. */
  another(options?: ContractOptions): AnyClient;
}

export interface SceneOptions extends ContractOptions {
  /** Whether the client is ready when the test begins. @default true */
  readonly connected?: boolean;
  /** Whether each wait before a reconnect is over at once. @default true */
  readonly walksBackoff?: boolean;
}

type Body = (scene: Scene) => Promise<void>;

/**
 * One promise, which the client of every protocol keeps; `exceptions.ts` says which one does not, and why. Whatever
 * happens, no client makes a mistake on the wire, leaves a timer behind, or an unhandled rejection.
 */
export function promise(title: string, body: Body): void;
export function promise(title: string, options: SceneOptions, body: Body): void;
export function promise(title: string, first: SceneOptions | Body, second?: Body): void {
  const [options, body] = typeof first === "function" ? [{}, first] : [first, second];
  if (!body) throw new TypeError(`${title}: there is no test`);
  for (const { name, facts, start } of fixtures) {
    if (isExcused(name, title)) continue;
    test(`${title} (${name})`, async () => {
      const rejections: unknown[] = [];
      const note = (reason: unknown): void => void rejections.push(reason);
      process.on("unhandledRejection", note);
      try {
        await play(await start(), facts, options, body);
        await setImmediate(); // Node tells of a rejection once the microtasks behind it are done
      } finally {
        process.off("unhandledRejection", note);
      }
      expect(rejections, "unhandled rejections").toEqual([]);
    });
  }
}

async function play(world: World, facts: Facts, options: SceneOptions, body: Body): Promise<void> {
  const { connected = true, walksBackoff = true, ...own } = options;
  const { backend, clock } = world;
  // Pings are off unless a test is about them: their answers need real time, and the clock moves without it.
  const another = (more?: ContractOptions): AnyClient => {
    const client = world.client({ keepalive: false, ...more });
    if (walksBackoff) client.on("reconnecting", ({ delay }) => void clock.advance(delay));
    return client;
  };
  try {
    const client = another(own);
    if (connected) await client.connect();
    await body({
      backend,
      clock,
      facts,
      client,
      toUniversal: (of) => world.toUniversal(of),
      another,
      get link() {
        return world.link; // asked for by who needs one: not every protocol has any
      },
    });
    expect(world.mistakes, "mistakes on the wire").toEqual([]);
  } finally {
    await world[Symbol.asyncDispose]();
  }
  expect(clock.pending, "timers left behind").toBe(0);
}
