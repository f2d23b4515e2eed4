import { createChat } from "agentwire/chat";
import { type RemoteClient, remote } from "agentwire/remote";
import { ManualClock } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { type Deferred, deferred } from "../../src/core/deferred.ts";
import type { FetchInit, FetchLike, FetchResponse } from "../../src/core/http/fetch.ts";

const STATE = { head: 0, caught_up: true, log: "log1", queue: [], busy: false };

/** A stream whose bytes the test writes. Ignores its signal, as a careless `fetch` may. */
class Body {
  readonly #chunks: (Uint8Array | undefined)[] = [];
  #wait: Deferred<void> | undefined;
  isCancelled = false;

  write(text: string | undefined): void {
    this.#chunks.push(text === undefined ? undefined : new TextEncoder().encode(text));
    this.#wait?.resolve();
  }

  getReader() {
    return {
      read: async () => {
        while (this.#chunks.length === 0) {
          this.#wait = deferred<void>();
          await this.#wait.promise;
        }
        const [value] = this.#chunks.splice(0, 1);
        return { done: value === undefined, value };
      },
      cancel: async () => {
        this.isCancelled = true;
      },
    };
  }
}

class World {
  readonly clock: ManualClock;
  readonly requests: { readonly url: string; readonly init: FetchInit; readonly at: number }[] = [];
  readonly bodies: Body[] = [];
  /** The next responses to streams. The default: a stream that says nothing. */
  readonly next: (number | "silent" | "refused")[] = [];
  postStatus: number | "silent" = 202;
  retryAfter: string | null = null;

  constructor(random: number) {
    this.clock = new ManualClock({ random });
  }

  readonly fetch: FetchLike = (url, init) => {
    this.requests.push({ url, init, at: this.clock.now() });
    if (init.method === "POST") {
      if (this.postStatus === "silent") return new Promise(() => {});
      const { key } = JSON.parse(init.body ?? "{}") as { key: string };
      return Promise.resolve(this.#response(this.postStatus, { key, again: false }));
    }
    const next = this.next.shift() ?? 200;
    if (next === "silent") return new Promise(() => {});
    if (next === "refused") return Promise.reject(new TypeError("fetch failed"));
    if (next !== 200) return Promise.resolve(this.#response(next, { code: "x", message: "no" }));
    const body = new Body();
    this.bodies.push(body);
    const headers = { get: (name: string) => (name === "content-type" ? "text/event-stream" : null) };
    return Promise.resolve({ status: 200, headers, body, arrayBuffer: async () => new ArrayBuffer(0) });
  };

  #response(status: number, body: unknown): FetchResponse {
    const bytes = new TextEncoder().encode(JSON.stringify(body));
    const headers = { get: (name: string) => (name === "retry-after" ? this.retryAfter : null) };
    return { status, headers, body: null, arrayBuffer: async () => bytes.buffer as ArrayBuffer };
  }

  client(): RemoteClient {
    return remote({
      url: "https://relay.example/chats",
      chat: "c",
      fetch: this.fetch,
      clock: this.clock,
    }).client();
  }

  get body(): Body {
    const body = this.bodies.at(-1);
    if (!body) throw new Error("there is no stream");
    return body;
  }

  says(state: object = {}): void {
    this.body.write(`event: state\ndata: ${JSON.stringify({ ...STATE, ...state })}\n\n`);
  }

  settle(): Promise<void> {
    return this.clock.advance(0);
  }

  /** ms between the requests. */
  get gaps(): readonly number[] {
    return this.requests.slice(1).map(({ at }, index) => at - (this.requests[index]?.at ?? 0));
  }
}

async function connected(random = 0.5): Promise<{ world: World; client: RemoteClient }> {
  const world = new World(random);
  const client = world.client();
  client.connect().catch(() => {});
  await world.settle();
  return { world, client };
}

describe("the waits of a relay's client", () => {
  test("are random, with a maximum from 0.5 s that doubles up to 30 s", async () => {
    const world = new World(0.999_999);
    world.next.push(...Array.from({ length: 12 }, () => 503));
    const client = world.client();
    client.connect().catch(() => {});
    for (let at = 0; at < 12; at++) {
      await world.settle();
      await world.clock.advance(world.clock.next ?? 0);
    }
    expect(world.gaps.map((gap) => Math.round(gap / 100) / 10)).toEqual([
      0.5, 1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 30,
    ]);
    await client.close();
    expect(world.clock.pending).toBe(0);
  });

  test("follow `Retry-After`, 30 s at most", async () => {
    const world = new World(0);
    world.next.push(503, 503);
    world.retryAfter = "7";
    const client = world.client();
    client.connect().catch(() => {});
    await world.settle();
    world.retryAfter = "9999";
    await world.clock.advance(7_000);
    await world.clock.advance(30_000);
    expect(world.gaps).toEqual([7_000, 30_000]);
    await client.close();
  });

  test("are short again only after the relay has told everything", async () => {
    const { world, client } = await connected(0.999_999);
    for (const wait of [500, 1_000, 2_000]) {
      world.body.write("retry: 1000\n\n");
      world.body.write(undefined); // a clean end is a loss
      await world.settle();
      await world.clock.advance(wait);
    }
    expect(world.bodies).toHaveLength(4);
    world.says();
    await world.settle();
    expect(client.status).toBe("ready");
    world.body.write(undefined);
    await world.settle();
    expect(client.status).toBe("reconnecting");
    await world.clock.advance(500);
    expect(world.bodies).toHaveLength(5);
    await client.close();
  });

  test("end at once when a browser is online or visible again, and when somebody calls `connect`", async () => {
    const target = new EventTarget();
    const page = Object.assign(new EventTarget(), { visibilityState: "hidden" });
    const before = { ...Object.getOwnPropertyDescriptors(globalThis) };
    Object.assign(globalThis, {
      addEventListener: target.addEventListener.bind(target),
      removeEventListener: target.removeEventListener.bind(target),
      document: page,
    });
    try {
      const world = new World(0.999_999);
      world.next.push("refused", "refused", "refused");
      const client = world.client();
      client.connect().catch(() => {});
      await world.settle();
      target.dispatchEvent(new Event("online"));
      await world.settle();
      expect(world.requests).toHaveLength(2);
      page.dispatchEvent(new Event("visibilitychange"));
      await world.settle();
      expect(world.requests).toHaveLength(2);
      page.visibilityState = "visible";
      page.dispatchEvent(new Event("visibilitychange"));
      await world.settle();
      expect(world.requests).toHaveLength(3);
      client.connect().catch(() => {});
      await world.settle();
      expect(world.requests).toHaveLength(4);
      await client.close();
      expect(world.clock.pending).toBe(0);
    } finally {
      for (const name of ["addEventListener", "removeEventListener", "document"]) {
        const known = before[name];
        if (known) Object.defineProperty(globalThis, name, known);
        else Reflect.deleteProperty(globalThis, name);
      }
    }
  });
});

describe("a silent relay is given up", () => {
  test.each([
    ["a `fetch` that never answers", "silent" as const, false],
    ["a stream that says nothing", 200, false],
    ["a stream that has told everything", 200, true],
  ])("after 37.5 s: %s", async (_, next, isReady) => {
    const world = new World(0);
    world.next.push(next);
    const client = world.client();
    client.connect().catch(() => {});
    await world.settle();
    if (isReady) world.says();
    await world.clock.advance(37_499);
    expect(world.requests).toHaveLength(1);
    await world.clock.advance(2);
    expect(world.requests).toHaveLength(2);
    expect(world.requests[0]?.init.signal.aborted).toBe(true);
    await client.close();
    expect(world.clock.pending).toBe(0);
  });

  test("but not while it beats, and later if it says that it beats more slowly", async () => {
    const { world, client } = await connected(0);
    world.says({ heartbeat: 60_000 });
    for (let beat = 0; beat < 5; beat++) {
      await world.clock.advance(30_000);
      world.body.write(": beat\n\n");
      await world.settle();
    }
    expect(world.requests).toHaveLength(1);
    world.body.write(undefined);
    await world.clock.advance(1);
    world.says({ heartbeat: 60_000 });
    await world.clock.advance(149_000);
    expect(world.requests).toHaveLength(2);
    await world.clock.advance(2_000);
    expect(world.requests).toHaveLength(3);
    await client.close();
  });
});

describe("a prompt that the relay has accepted, but shows nowhere", () => {
  test("makes the client ask for a newer state after 10 s, which says that it was taken back", async () => {
    const { world, client } = await connected(0);
    world.says();
    await world.settle();
    const turn = client.prompt("Hello");
    await world.settle();
    world.says(); // perhaps older than the prompt
    await world.settle();
    expect(turn.status).toBe("queued");
    await world.clock.advance(10_000);
    expect(world.bodies).toHaveLength(2);
    world.says();
    await world.settle();
    expect(await turn.outcome).toMatchObject({ status: "failed", error: { kind: "withdrawn" } });
    await client.close();
    expect(world.clock.pending).toBe(0);
  });
});

describe("`close()`", () => {
  test("ends a `fetch` that ignores its signal, a wait, and a post without an answer; nothing is left", async () => {
    const { world, client } = await connected(0);
    world.says();
    await world.settle();
    world.postStatus = "silent";
    const turn = client.prompt("Hello");
    await world.settle();
    await client.close();
    expect(await turn.outcome).toMatchObject({ error: { code: "closed", delivery: "unknown" } });
    await world.settle();
    expect(world.body.isCancelled).toBe(true);
    expect(world.requests.every(({ init }) => init.signal.aborted)).toBe(true);
    expect(world.clock.pending).toBe(0);
    const requests = world.requests.length;
    await world.clock.advance(1_000_000);
    expect(world.requests).toHaveLength(requests);
  });

  test.each(["before it connects", "while it connects", "while it waits", "when it is ready"])(
    "leaves no timer, %s",
    async (when) => {
      const world = new World(0.5);
      if (when === "while it connects") world.next.push("silent");
      if (when === "while it waits") world.next.push(503);
      const chat = createChat(
        remote({ url: "https://relay.example/chats", chat: "c", fetch: world.fetch, clock: world.clock }),
      );
      if (when !== "before it connects") await world.settle();
      if (when === "when it is ready") world.says();
      await world.settle();
      await chat.close();
      await world.clock.advance(1_000_000);
      expect(world.clock.pending).toBe(0);
      expect(world.requests.length).toBeLessThanOrEqual(1);
    },
  );

  test("waits for running turns with `drainTimeout`", async () => {
    const { world, client } = await connected(0);
    world.says();
    await world.settle();
    const turn = client.prompt("Hello");
    await world.settle();
    const closed = client.close({ drainTimeout: 5_000 });
    await world.settle();
    expect(client.status).toBe("draining");
    expect(turn.status).toBe("queued");
    await world.clock.advance(5_000);
    await closed;
    expect(await turn.outcome).toMatchObject({ error: { delivery: "accepted" } });
  });
});

test("a cancelled turn settles within 10 s, even if the relay never ends it", async () => {
  const { world, client } = await connected(0);
  world.says();
  await world.settle();
  const turn = client.prompt("Hello");
  await world.settle();
  const cancelled = turn.cancel();
  await world.clock.advance(10_000);
  expect(await cancelled).toMatchObject({ status: "cancelled" });
  await client.close();
  expect(world.clock.pending).toBe(0);
});

test("a turn's own `signal` and `timeout` cancel it on the relay", async () => {
  const { world, client } = await connected(0);
  world.says();
  await world.settle();
  const controller = new AbortController();
  const aborted = client.prompt("One", { signal: controller.signal, key: "k1" });
  const late = client.prompt("Two", { timeout: 1_000, key: "k2" });
  await world.settle();
  controller.abort();
  await world.clock.advance(1_000);
  await world.clock.advance(10_000);
  expect(await aborted.outcome).toMatchObject({ status: "cancelled", by: "signal" });
  expect(await late.outcome).toMatchObject({ status: "failed", error: { code: "turn-timeout" } });
  const cancels = world.requests.flatMap(({ init }) =>
    init.body?.includes('"cancel"') ? [JSON.parse(init.body)] : [],
  );
  expect(cancels).toMatchObject([{ target: "k1" }, { target: "k2" }]);
  await client.close();
});
