import { expect } from "vitest";
import type { AnyTurn } from "./fixture.ts";
import { hear, hearClient, hearTurn, once, told } from "./hearing.ts";
import { promise } from "./promise.ts";
import { collect, hold, next, status, within } from "./support.ts";

// What is told of one frame, and of a link that comes and goes.

/** What may be told at any time besides a frame that came in. */
const ELSEWHERE = ["frame out", "turn sent"];

promise(
  "frames: each frame emits `frame`, `message`, the status and the events, then readers get them",
  async ({ client }) => {
    const frames: string[][] = [[]];
    const say = (word: string): void => {
      if (word === "frame in") frames.push([]);
      if (!ELSEWHERE.includes(word)) frames.at(-1)?.push(word);
    };
    hearClient(client, say);
    const turn = client.prompt("hello");
    await told();
    hearTurn(turn, say);
    for await (const _ of turn) say("read");
    const withEvents = frames.filter((words) => words.includes("client event"));
    expect(withEvents.length).toBeGreaterThan(0);
    for (const [index, words] of withEvents.entries()) {
      const events = words
        .filter((word) => word === "client event")
        .flatMap(() => ["client event", "turn event"]);
      const begins = index === 0 ? ["turn streaming"] : [];
      const wanted = ["frame in", "message", ...begins, ...events];
      expect(words.slice(0, wanted.length)).toEqual(wanted);
      for (const word of words.slice(wanted.length)) expect(["read", "turn completed"]).toContain(word);
    }
    expect(frames.flat().filter((word) => word === "read")).toHaveLength(
      frames.flat().filter((word) => word === "turn event").length,
    );
  },
);

promise(
  "frames: a listener of a frame sees the status that the frame has caused",
  async ({ client, backend }) => {
    const goOn = hold(backend);
    const turn = client.prompt("hello");
    const seen: string[] = [];
    client.on("frame", ({ direction }) => {
      if (direction === "in") seen.push(turn.status);
    });
    const began = new Promise<string | undefined>((resolve) => {
      client.on(
        "event",
        once(() => resolve(seen.at(-1))),
      );
    });
    expect(await began).toBe("streaming");
    goOn();
    await turn.outcome;
  },
);

promise("frames: a listener added during a frame does not get the message of that frame", async (scene) => {
  const { client } = scene;
  const told: string[] = [];
  let frames = 0;
  client.on("frame", ({ direction }) => {
    if (direction === "in" && frames++ === 0)
      client.on("message", () => void told.push(`message of ${frames}`));
  });
  await client.prompt("hello").outcome;
  expect(frames).toBeGreaterThan(1);
  expect(told).not.toContain("message of 1");
});

promise(
  "frames: all listeners get both directions in the same order if one of them makes a prompt",
  async ({ client, link }) => {
    const [first, second]: [string[], string[]] = [[], []];
    let turn: AnyTurn | undefined;
    client.on("frame", ({ direction }) => void first.push(direction));
    client.on("frame", () => {
      turn ??= client.prompt("hello");
    });
    client.on("frame", ({ direction }) => void second.push(direction));
    link.say('{"type":"nobody has heard of this"}');
    await next(client, "frame", ({ direction }) => direction === "out");
    await turn?.outcome;
    expect(first.slice(0, 2)).toEqual(["in", "out"]);
    expect(second).toEqual(first);
  },
);

promise(
  "frames: all listeners get a completed answer before the frame of a prompt that one of them makes",
  async (scene) => {
    const { client, backend } = scene;
    const goOn = hold(backend);
    const turn = client.prompt("hello");
    await told();
    const heard: string[] = [];
    let again: AnyTurn | undefined;
    turn.on("status", (status) => {
      if (status === "completed") again = client.prompt("again");
    });
    turn.on("status", (status) => void heard.push(status));
    await told();
    heard.length = 0;
    client.on("frame", ({ direction, text }) => {
      if (direction === "out" && text.includes("again")) heard.push("frame");
    });
    goOn();
    await turn.outcome;
    await again?.outcome;
    expect(heard.filter((word) => word === "completed" || word === "frame")).toEqual(["completed", "frame"]);
  },
);

promise(
  "frames: each state of a new connection is emitted once, in order",
  { connected: false },
  async ({ client, facts }) => {
    const states = collect(client, "status");
    await client.connect();
    await client.prompt("hello").outcome;
    expect(states).toEqual(facts.opening);
  },
);

promise("frames: a lost link and the reconnect are emitted in order", async ({ another, link, facts }) => {
  const client = another({ reconnect: {} });
  await client.connect();
  const heard = hear(client);
  const back = next(client, "reconnected");
  link.end("cut");
  await back;
  const words = heard.filter((word) => !/^(frame|message)/.test(word));
  expect(words).toEqual([
    "disconnected",
    "client reconnecting",
    "reconnecting",
    ...facts.opening.map((state) => `client ${state}`),
    "reconnected",
  ]);
});

promise(
  "frames: a `disconnected` listener sees a client that has left `ready`",
  async ({ another, link }) => {
    const client = another({ reconnect: {} });
    await client.connect();
    const seen = new Promise((resolve) => void client.on("disconnected", () => resolve(client.status)));
    link.end("cut");
    expect(await seen).toBe("reconnecting");
    await status(client, "ready");
  },
);

promise(
  "frames: a `disconnected` listener that closes the client does not hide the loss from others",
  async (scene) => {
    const { another, link, clock, facts } = scene;
    const client = another({ reconnect: {} });
    await client.connect();
    let closed: Promise<void> | undefined;
    client.on("disconnected", () => {
      closed = client.close();
    });
    const heard = hear(client);
    const lost = next(client, "disconnected");
    link.end("cut");
    await lost;
    await within(clock, facts.within.close, Promise.all([closed]));
    expect(heard.filter((word) => word === "disconnected" || word === "client closed")).toEqual([
      "disconnected",
      "client closed",
    ]);
  },
);

promise(
  "frames: a client that a listener closes at any state emits each state once, in order",
  { connected: false },
  async (scene) => {
    const { another, clock, facts } = scene;
    for (const at of facts.opening) {
      const client = another();
      let closed: Promise<void> | undefined;
      client.on("status", (now) => {
        if (now === at) closed ??= client.close({ force: true });
      });
      const states = collect(client, "status");
      const connecting = client.connect().catch(() => {});
      await Promise.race([connecting, next(client, "status", (now) => now === "closed")]);
      await within(clock, facts.within.close, Promise.all([closed]));
      const upTo = facts.opening.slice(0, facts.opening.indexOf(at) + 1);
      expect(states.slice(0, upTo.length), at).toEqual(upTo);
      expect(
        states.slice(upTo.length).filter((state) => state !== "draining"),
        at,
      ).toEqual(["closed"]);
    }
  },
);
