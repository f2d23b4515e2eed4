import { describe, expect, test } from "vitest";
import { playChapter } from "./chapter.ts";
import { codeyDriver } from "./codey.ts";
import type { ClientOrder, Driver, SoakClient } from "./driver.ts";
import { DRIVERS } from "./drivers.ts";
import { type ChapterPlan, PROTOCOLS, type TurnPlan } from "./plan.ts";

const turn = (number: number): TurnPlan => ({
  number,
  chunks: [
    { text: `⟨${number}.0⟩ naïve`, pause: 0 },
    { text: ` ⟨${number}.1⟩ 漢字`, pause: 0 },
  ],
  calls: [{ approve: true, delay: 0, background: false }],
  ending: "answer",
  reader: "loop",
  stop: undefined,
  channel: "client",
  gap: "settle",
  restart: "none",
});

const PLAN: ChapterPlan = {
  number: 0,
  weather: "calm",
  turns: [turn(1), turn(2)],
  approvals: "callback",
  ending: "settled",
  variant: 3, // of Codey, the documented profile: it answers a Close
};

/** ms after which a turn counts as lost here; only the one that never settles takes so long. */
const BOUND = 500;

/** The kinds of what is found in a short calm chapter. */
async function found(driver: Driver, bound = 20_000): Promise<readonly string[]> {
  const setup = { seed: 1, protocol: "codey", driver, strictLine: false, bound, progress: () => {} } as const;
  const { findings } = await playChapter(PLAN, setup);
  return [...new Set(findings.map(({ kind }) => kind))].sort();
}

/** Codey, with a client that is not as it should be. */
function spoilt(spoil: (client: SoakClient, order: ClientOrder) => Partial<SoakClient>): Driver {
  return {
    ...codeyDriver,
    client(order) {
      const client = codeyDriver.client(order);
      const changes = spoil(client, order);
      return changed(client, changes);
    },
  };
}

/** An object with other members in front of its own. */
function changed<T extends object>(made: T, changes: Partial<T>): T {
  return new Proxy(made, {
    get(target, name) {
      const value: unknown = Reflect.get(changes, name) ?? Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

describe("a chapter of the soak test", () => {
  test.each(PROTOCOLS)("finds nothing in %s if everything works", async (protocol) => {
    const { findings, counts } = await playChapter(PLAN, {
      seed: 1,
      protocol,
      driver: DRIVERS[protocol],
      strictLine: false,
      bound: 20_000,
      progress: () => {},
    });
    expect(findings).toEqual([]);
    expect(counts).toMatchObject({ turns: 2, completed: 2, cuts: 0 });
  });

  test("finds a client that sends a prompt twice", async () => {
    const twice = spoilt((client) => ({
      prompt: (text, options) => {
        client.prompt(text, options);
        return client.prompt(text, options);
      },
    }));
    expect(await found(twice)).toContain("prompt-twice");
  });

  test("finds a turn with the text of another turn", async () => {
    const swapped: Driver = {
      ...codeyDriver,
      serve: (scene) =>
        codeyDriver.serve({ ...scene, planOf: (number) => scene.planOf(number === 1 ? 2 : number) }),
    };
    expect(await found(swapped)).toEqual(
      expect.arrayContaining(["wrong-event", "wrong-reading", "wrong-text"]),
    );
  });

  test("finds a turn that never settles", async () => {
    const lost = spoilt((client) => ({
      prompt: (text, options) => {
        const made = client.prompt(text, options);
        return changed(made, { outcome: new Promise<never>(() => {}) });
      },
    }));
    expect(await found(lost, BOUND)).toEqual(["not-settled", "settles-late"]);
  });

  test("finds a timer that is left after the close", async () => {
    const leaky = spoilt((_, { clock }) => {
      clock.setTimeout(() => {}, 60_000, { unref: true });
      return {};
    });
    expect(await found(leaky)).toEqual(["timer-left"]);
  });

  test("finds a process that is left after the close", async () => {
    const orphaned: Driver = {
      ...codeyDriver,
      serve: async (scene) => ({ ...(await codeyDriver.serve(scene)), left: () => ["the process 7"] }),
    };
    expect(await found(orphaned)).toEqual(["process-left"]);
  });

  test("finds a call that runs twice", async () => {
    const codebuff = DRIVERS.codebuff;
    const eager: Driver = {
      ...codebuff,
      client: (order) =>
        codebuff.client({
          ...order,
          ran: (turn, call) => {
            order.ran(turn, call);
            order.ran(turn, call);
          },
        }),
    };
    expect(await found(eager)).toEqual(["ran-twice"]);
  });

  test("finds a listener that is left on the caller's signal", async () => {
    const leaky = spoilt((_, { signal }) => {
      signal.addEventListener("abort", () => {});
      return {};
    });
    expect(await found(leaky)).toEqual(["listener-left"]);
  });

  test("finds an approval that the user did not give", async () => {
    const approving: Driver = {
      ...codeyDriver,
      client: (order) => codeyDriver.client({ ...order, ask: async () => true }),
    };
    expect(await found(approving)).toContain("approved-by-nobody");
  });

  test("finds an exception in a listener", async () => {
    const throwing = spoilt((client) => {
      client.on("event", () => {
        throw new Error("a listener of the user's");
      });
      return {};
    });
    expect(await found(throwing)).toEqual(["listener-threw"]);
  });
});
