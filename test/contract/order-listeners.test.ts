import { expect } from "vitest";
import { type AnyTurn, SIGN, TEXT } from "./fixture.ts";
import { once, told, two } from "./hearing.ts";
import { promise } from "./promise.ts";
import { hold, statesOf, within } from "./support.ts";

// Listeners that come, go and throw in the middle of a delivery.

const ONE = { oneAtATime: true } as const;

promise(
  "order: a listener that another listener removes is not called again",
  async ({ client, backend }) => {
    backend.answer = () => [SIGN, "part"];
    const turn = client.prompt("hello");
    const heard: string[] = [];
    const controller = new AbortController();
    client.on("event", () => {
      for (const off of offs) off();
      controller.abort();
    });
    const { signal } = controller;
    const offs = [
      client.on("event", () => void heard.push("client event")),
      turn.on("event", () => void heard.push("turn event")),
    ];
    client.on("event", () => void heard.push("client event, by signal"), { signal });
    turn.on("event", () => void heard.push("turn event, by signal"), { signal });
    await turn.outcome;
    expect(heard).toEqual([]);
  },
);

promise("order: a listener that another listener adds gets no earlier event", async ({ client, backend }) => {
  const goOn = hold(backend, [SIGN], ["part"]);
  const turn = client.prompt("hello");
  const all: unknown[] = [];
  const added: { of: string; event: unknown }[] = [];
  const add = once(() => {
    client.on("event", (event) => void added.push({ of: "client", event }));
    turn.on("event", (event) => void added.push({ of: "turn", event }));
  });
  client.on("event", (event) => {
    all.push(event);
    add();
    goOn();
  });
  await turn.outcome;
  const [, ...after] = all;
  expect(added).toEqual(after.flatMap((event) => ["client", "turn"].map((of) => ({ of, event }))));
});

promise(
  "order: a listener that another listener adds gets the current status once, in a microtask",
  async (scene) => {
    const goOn = hold(scene.backend);
    const turn = scene.client.prompt("hello");
    await told();
    const heard: string[] = [];
    turn.on(
      "status",
      once(() => void 0),
    );
    await told();
    turn.on("status", (status) => {
      if (status !== "streaming") return;
      turn.on("status", (each) => void heard.push(each));
      heard.push("added");
      queueMicrotask(() => heard.push("microtask"));
    });
    const streams = new Promise<void>((resolve) => void turn.on("event", () => resolve()));
    await streams;
    goOn();
    await turn.outcome;
    expect(heard).toEqual(["added", "streaming", "microtask", "completed"]);
  },
);

promise(
  "order: a listener added right after `prompt()` gets the current status, in a microtask",
  async ({ client }) => {
    const turn = client.prompt("hello");
    const heard: string[] = [];
    turn.on("status", (status) => void heard.push(status));
    expect(heard).toEqual([]);
    const standing = turn.status;
    await Promise.resolve();
    expect(heard).toEqual([standing]);
    await turn.outcome;
  },
);

promise(
  "order: a cancel right after `prompt()` emits the end of the turn once, and nothing before it",
  ONE,
  async (scene) => {
    const { client } = scene;
    const { waiting, turn, goOn } = await two(scene);
    const late = client.prompt("third");
    const heard = statesOf(late);
    void late.cancel();
    expect(heard).toEqual(["cancelling", "cancelled"]);
    await told();
    expect(heard).toEqual(["cancelling", "cancelled"]);
    goOn();
    await Promise.all([turn.outcome, waiting.outcome]);
  },
);

promise(
  "order: the warning about a listener that throws comes after earlier notifications",
  async (scene) => {
    const seen: string[] = [];
    const note = (word: string) => (): void => void seen.push(word);
    const logger = { debug: () => {}, info: () => {}, warn: once(note("logged")), error: () => {} };
    const client = scene.another({ logger });
    client.on(
      "event",
      once(() => {
        seen.push("throws");
        throw new Error("oops");
      }),
    );
    client.on("protocolWarning", once(note("warned")));
    client.on("event", once(note("client event")));
    const turn = client.prompt("hello");
    turn.on("event", once(note("turn event")));
    expect((await turn.result).text).toBe(TEXT);
    expect(seen).toEqual(["throws", "client event", "turn event", "logged", "warned"]);
  },
);

promise("order: a listener that throws hides nothing from other listeners or the caller", async (scene) => {
  const { client, clock, facts } = scene;
  const turn = client.prompt("hello");
  const heard: string[] = [];
  const oops = (): never => {
    throw new Error("oops");
  };
  for (const name of ["status", "event", "message", "frame", "protocolWarning"] as const)
    client.on(name, oops);
  turn.on("status", oops);
  turn.on("event", oops);
  turn.on("status", (status) => void heard.push(status));
  turn.on("event", () => void heard.push("event"));
  const outcome = await turn.outcome;
  expect(outcome.status).toBe("completed");
  expect(heard).toContain("event");
  expect(heard.slice(-1)).toEqual(["completed"]);
  const next = client.prompt("next");
  next.on("status", oops);
  expect((await next.cancel()).status).toBe("cancelled");
  await within(clock, facts.within.force, client.close({ force: true }));
});

promise("order: a `protocolWarning` listener that throws is only logged", async ({ another }) => {
  const errors: string[] = [];
  const logger = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (line: string) => void errors.push(line),
  };
  const client = another({ logger });
  const warnings: string[] = [];
  client.on("protocolWarning", ({ message }) => {
    warnings.push(message);
    throw new Error("from the listener for warnings");
  });
  const behind: string[] = [];
  client.on("protocolWarning", ({ message }) => void behind.push(message));
  const turn = client.prompt("hello");
  turn.on(
    "event",
    once(() => {
      throw new Error("oops");
    }),
  );
  await turn.outcome;
  expect(warnings).toEqual([expect.stringContaining("oops")]);
  expect(behind).toEqual(warnings);
  expect(errors).toEqual([expect.stringContaining("from the listener for warnings")]);
});

promise(
  "order: a logger can call the client, and the effects come after earlier notifications",
  ONE,
  async (scene) => {
    let waiting: AnyTurn | undefined;
    const warn = once(() => void waiting?.cancel());
    const client = scene.another({
      ...ONE,
      logger: { debug: () => {}, info: () => {}, warn, error: () => {} },
    });
    const { turn, goOn, ...both } = await two({ client, backend: scene.backend });
    waiting = both.waiting;
    const seen: string[] = [];
    waiting.on("status", (status) => void seen.push(status));
    await told();
    seen.length = 0;
    turn.on(
      "event",
      once(() => {
        throw new Error("oops");
      }),
    );
    client.on(
      "protocolWarning",
      once(() => void seen.push("warned")),
    );
    turn.on(
      "event",
      once(() => void seen.push("turn event")),
    );
    await waiting.outcome;
    goOn();
    await turn.outcome;
    expect(seen).toEqual(["turn event", "warned", "cancelling", "cancelled"]);
  },
);
