import { expect } from "vitest";
import { SIGN, TEXT } from "./fixture.ts";
import { Nesting, once, told, two } from "./hearing.ts";
import { promise } from "./promise.ts";
import { hold, statesOf, within } from "./support.ts";

// What listeners are told, and in which order: relative to each other, to the reader, to `outcome`, and to calls that they make.

const ONE = { oneAtATime: true } as const;

promise(
  "order: an event reaches the client's listeners, then the turn's, then the reader",
  async ({ client }) => {
    const seen: (readonly [who: string, event: unknown])[] = [];
    client.on("event", (event) => void seen.push(["client", event]));
    const turn = client.prompt("hello");
    turn.on("event", (event) => void seen.push(["turn", event]));
    const read: unknown[] = [];
    for await (const event of turn) {
      read.push(event);
      seen.push(["reader", event]);
    }
    expect(read.length).toBeGreaterThan(0);
    for (const event of read)
      expect(seen.filter((entry) => entry[1] === event).map(([who]) => who)).toEqual([
        "client",
        "turn",
        "reader",
      ]);
  },
);

promise("order: in an event listener, the text of the turn includes that event", async ({ client }) => {
  const turn = client.prompt("hello");
  const texts: string[] = [];
  client.on("event", (_, of) => void texts.push(of.text));
  await turn.outcome;
  expect(texts.at(-1)).toBe(TEXT);
  expect([...texts].sort((a, b) => a.length - b.length)).toEqual(texts);
});

/** How answers end. */
const ENDS = {
  completed: [SIGN, "all of it"],
  failed: [SIGN, { fails: "broke" }],
} as const;

for (const end of ["completed", "failed"] as const) {
  promise(
    `order: a turn that ${end} emits \`streaming\` first and its end last, then its promises settle`,
    async ({ client, backend }) => {
      backend.answer = () => ENDS[end];
      const turn = client.prompt("hello");
      await told();
      const seen: string[] = [];
      const note = (word: string) => (): void => void seen.push(word);
      client.on("event", note("event"));
      turn.on("event", note("event"));
      turn.on("status", (status) => {
        seen.push(status);
      });
      await told();
      const first = seen.indexOf("streaming");
      const settled = [turn.outcome.then(note("outcome")), turn.result.then(note("result"), note("result"))];
      await Promise.all(settled);
      expect(seen.slice(0, first < 0 ? 0 : first)).not.toContain("event");
      const words = seen.filter((word) => word !== "sent" && word !== "queued");
      expect(words[0]).toBe("streaming");
      expect(words.slice(-3)).toEqual([end, "outcome", "result"]);
      expect(new Set(words.slice(1, -3))).toEqual(new Set(["event"]));
    },
  );
}

promise(
  "order: a listener that cancels at `streaming` hides no status from later listeners",
  async ({ client, backend }) => {
    const goOn = hold(backend);
    const turn = client.prompt("hello");
    await told();
    turn.on("status", (status) => {
      if (status === "streaming") void turn.cancel();
    });
    const behind = statesOf(turn);
    await turn.outcome;
    goOn();
    expect(behind.filter((state) => state !== "queued" && state !== "sent")).toEqual([
      "streaming",
      "cancelling",
      "cancelled",
    ]);
  },
);

promise(
  "order: a listener that closes the client at `streaming` hides no status from later listeners",
  async (scene) => {
    const { client, backend, clock, facts } = scene;
    const goOn = hold(backend);
    const turn = client.prompt("hello");
    await told();
    let closed: Promise<void> | undefined;
    turn.on("status", (status) => {
      if (status === "streaming") closed = client.close({ force: true });
    });
    const behind = statesOf(turn);
    await turn.outcome;
    goOn();
    await within(clock, facts.within.force, Promise.all([closed]));
    expect(behind.filter((state) => state !== "queued" && state !== "sent")).toEqual(["streaming", "failed"]);
  },
);

promise("order: the effect of a call in a listener is visible right after the call", ONE, async (scene) => {
  const { client, clock, facts } = scene;
  const { turn, waiting, goOn } = await two(scene);
  const seen: unknown[] = [];
  let closed: Promise<void> | undefined;
  turn.on(
    "event",
    once(() => {
      void waiting.cancel();
      seen.push(waiting.status);
      seen.push(client.prompt("third").status);
      void turn.cancel();
      seen.push(turn.status);
      closed = client.close({ force: true });
      seen.push(client.status);
    }),
  );
  await turn.outcome;
  goOn();
  await within(clock, facts.within.force, Promise.all([closed]));
  expect(seen).toEqual([
    "cancelled",
    "queued",
    expect.stringMatching(/^cancell(ing|ed)$/),
    expect.stringMatching(/^(draining|closed)$/),
  ]);
});

promise("order: notifications caused by a call in a listener come after earlier ones", ONE, async (scene) => {
  const { client } = scene;
  const { turn, waiting, goOn } = await two(scene);
  const seen: string[] = [];
  waiting.on("status", (status) => void seen.push(status));
  await told();
  seen.length = 0;
  client.on(
    "event",
    once(() => {
      void waiting.cancel();
      seen.push("called");
    }),
  );
  client.on(
    "event",
    once(() => void seen.push("client event")),
  );
  turn.on(
    "event",
    once(() => void seen.push("turn event")),
  );
  await waiting.outcome;
  goOn();
  expect((await turn.outcome).status).toBe("completed");
  expect(seen).toEqual(["called", "client event", "turn event", "cancelling", "cancelled"]);
});

promise("order: no listener is called inside another one", ONE, async (scene) => {
  const { client, clock, facts } = scene;
  const { turn, waiting, goOn } = await two(scene);
  const nesting = new Nesting();
  const { listener } = nesting;
  let closed: Promise<void> | undefined;
  for (const name of ["status", "event", "message", "frame"] as const) client.on(name, listener());
  for (const each of [turn, waiting]) each.on("event", listener());
  waiting.on("status", listener());
  turn.on("event", listener(once(() => void waiting.cancel())));
  turn.on(
    "status",
    listener((status) => {
      if (status === "completed") closed = client.close({ force: true });
    }),
  );
  goOn();
  await Promise.all([turn.outcome, waiting.outcome]);
  await within(clock, facts.within.force, Promise.all([closed]));
  expect(nesting.deepest).toBe(1);
});
