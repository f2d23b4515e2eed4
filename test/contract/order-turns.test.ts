import { expect } from "vitest";
import { type AnyClient, type AnyTurn, SIGN, TEXT } from "./fixture.ts";
import { hear, hearClient, hearTurn, once, told } from "./hearing.ts";
import { promise, type Scene } from "./promise.ts";
import { eventsOf, hold, statesOf, within } from "./support.ts";

// What becomes of a turn when somebody acts while it is told about.

const ONE = { oneAtATime: true } as const;

/** What ends a turn in one of its listeners. */
const STOPS: Readonly<Record<string, (turn: AnyTurn, controller: AbortController) => void>> = {
  "cancels a turn": (turn) => void turn.cancel(),
  "aborts the signal of a turn": (_, controller) => controller.abort(),
};

for (const [name, stop] of Object.entries(STOPS)) {
  promise(`order: a listener that ${name} prevents all later events`, async ({ client, backend }) => {
    const goOn = hold(backend, [SIGN, "part"]);
    const controller = new AbortController();
    const turn = client.prompt("hello", { signal: controller.signal });
    let own = 0;
    client.on("event", (_, of) => {
      if (of === turn && own++ === 0) stop(turn, controller);
    });
    const status = new Promise<string>((resolve) => {
      turn.on("event", () => resolve(turn.status));
      turn.on("status", (now) => {
        if (now === "cancelling") resolve(now);
      });
    });
    expect(await status).toMatch(/^cancell(ing|ed)$/);
    goOn();
    expect((await turn.outcome).status).toBe("cancelled");
    expect(own).toBe(1);
  });

  promise(
    `order: a listener that ${name} hides the current event from later listeners`,
    async ({ client, backend }) => {
      const goOn = hold(backend, [SIGN, "part"]);
      const controller = new AbortController();
      const turn = client.prompt("hello", { signal: controller.signal });
      client.on("event", () => stop(turn, controller));
      const behind: unknown[] = [];
      client.on("event", (event) => void behind.push(event));
      turn.on("event", (event) => void behind.push(event));
      await turn.outcome;
      goOn();
      expect(behind).toEqual([]);
    },
  );

  promise(
    `order: a listener that ${name} hides no status from later listeners`,
    async ({ client, backend }) => {
      const goOn = hold(backend, [SIGN, "part"]);
      const controller = new AbortController();
      const turn = client.prompt("hello", { signal: controller.signal });
      await told();
      turn.on(
        "event",
        once(() => stop(turn, controller)),
      );
      const [first, second] = [statesOf(turn), statesOf(turn)];
      await turn.outcome;
      goOn();
      expect(first.slice(-3)).toEqual(["streaming", "cancelling", "cancelled"]);
      expect(second).toEqual(first);
    },
  );
}

promise("order: after a reader leaves, only the end of its turn is emitted", async ({ client, backend }) => {
  const goOn = hold(backend, [SIGN, "part"]);
  const turn = client.prompt("hello");
  await told();
  const heard = hear(client, turn);
  let left = 0;
  for await (const _ of turn) {
    left = heard.length;
    break;
  }
  goOn();
  expect((await turn.outcome).status).toBe("cancelled");
  const after = heard.slice(left).filter((word) => word.startsWith("turn ") || word === "client event");
  expect(after).toEqual(["turn cancelling", "turn cancelled"]);
});

promise(
  "order: a prompt made in a `completed` listener is answered, and every listener gets `completed`",
  ONE,
  async (scene) => {
    const { client } = scene;
    const turn = client.prompt("hello");
    let next: AnyTurn | undefined;
    turn.on("status", (status) => {
      if (status === "completed") next = client.prompt("next");
    });
    const behind = statesOf(turn);
    await turn.outcome;
    expect(behind.slice(-1)).toEqual(["completed"]);
    expect((await next?.result)?.text).toBe(TEXT);
  },
);

promise(
  "order: `outcome` settles after the effects of the last listeners",
  ONE,
  async ({ client, backend }) => {
    const goOn = hold(backend);
    const turn = client.prompt("hello");
    const [second, third] = [client.prompt("second"), client.prompt("third")];
    await told();
    const seen: string[] = [];
    turn.on("status", (status) => {
      if (status === "completed") void third.cancel();
    });
    third.on("status", (status) => {
      if (status === "cancelled") seen.push("third is cancelled");
    });
    const settled = turn.outcome.then(() => seen.push("outcome"));
    goOn();
    await settled;
    expect(seen).toEqual(["third is cancelled", "outcome"]);
    await second.outcome;
  },
);

promise(
  "order: every listener gets a time-out before the effects of the first listener",
  ONE,
  async ({ client, backend, clock }) => {
    const goOn = hold(backend);
    const turn = client.prompt("hello", { timeout: 1_000 });
    const waiting = client.prompt("second");
    await told();
    const seen: string[] = [];
    waiting.on("status", (status) => void seen.push(`second ${status}`));
    turn.on("status", (status) => {
      if (status === "cancelling") void waiting.cancel();
    });
    turn.on("status", (status) => void seen.push(`first ${status}`));
    await backend.received(1);
    await told();
    seen.length = 0;
    await clock.advance(1_000);
    goOn();
    expect(await turn.outcome).toMatchObject({ status: "failed", error: { code: "turn-timeout" } });
    const stops = seen.filter((word) => !["first failed", "first streaming", "second sent"].includes(word));
    expect(stops).toEqual(["first cancelling", "second cancelling", "second cancelled"]);
  },
);

// The frame of the last event holds the end, and is handled before anything is told.
promise("order: a cancel in a listener of the last event cannot change the answer", async (scene) => {
  const { client } = scene;
  const counted = client.prompt("hello");
  const total = eventsOf(counted);
  await counted.outcome;
  const turn = client.prompt("hello");
  let events = 0;
  turn.on("event", () => {
    if (++events === total.length) void turn.cancel();
  });
  expect(await turn.outcome).toMatchObject({ status: "completed", result: { text: TEXT } });
});

interface Act {
  /** What a listener does. */
  readonly does: (client: AnyClient) => AnyTurn | Promise<void>;
  /** What is compared: a listener that ends a turn may take an event of it from those behind. */
  readonly compares: (word: string) => boolean;
}

const ACTS: Readonly<Record<string, Act>> = {
  prompts: { does: (client) => client.prompt("another"), compares: () => true },
  "makes a prompt and cancels it": {
    does: (client) => {
      const turn = client.prompt("another");
      void turn.cancel();
      return turn;
    },
    compares: () => true,
  },
  "closes the client": {
    does: (client) => client.close({ force: true }),
    compares: (word) => !word.endsWith(" event"),
  },
};

/** Moments at which nobody can prompt any more. */
const LATE = ["client draining", "client closed"];

/** Plays a turn on a new client. Of three who listen the one in the middle acts as soon as `moment` is told; what the others hear. */
async function between({ another, clock, facts }: Scene, moment: string, act: Act["does"]) {
  const client = another(ONE);
  const turn = client.prompt(`until ${moment}`); // some servers frown on what was said before
  await told();
  const [first, second]: [string[], string[]] = [[], []];
  let isArmed = false;
  let done: AnyTurn | Promise<void> | undefined;
  const listeners = [
    (word: string) => void first.push(word),
    (word: string) => {
      if (isArmed && word === moment) done ??= act(client);
    },
    (word: string) => void second.push(word),
  ];
  for (const listen of listeners) {
    hearClient(client, listen);
    hearTurn(turn, listen);
  }
  await told(); // each is told what stands, in a microtask of its own
  isArmed = true;
  for (const log of [first, second]) log.length = 0;
  await turn.outcome;
  if (done && "outcome" in done) await done.outcome;
  await within(clock, facts.within.close, client.close({ force: true }));
  return { first, second };
}

for (const [name, { does, compares }] of Object.entries(ACTS)) {
  promise(
    `order: all listeners get the same in the same order if one of them ${name}`,
    { connected: false },
    async (scene) => {
      const { first: undisturbed } = await between(scene, "never", does);
      const moments = new Set(undisturbed.filter((word) => !LATE.includes(word)));
      expect(moments.size).toBeGreaterThan(3);
      for (const moment of moments) {
        const { first, second } = await between(scene, moment, does);
        expect(second.filter(compares), `at ${moment}`).toEqual(first.filter(compares));
      }
    },
  );
}
