import { stream } from "@durable-streams/client";
import { agentStep } from "agentwire/testing/agent";
import type { UniversalEvent } from "agentwire/universal";
import { EventSource } from "eventsource";
import { createParser } from "eventsource-parser";
import { describe, expect, onTestFinished, test } from "vitest";
import { deferred } from "../../src/core/deferred.ts";
import type { RigOptions } from "../server/relay/support/rig.ts";
import { served } from "../server/relay/support/served.ts";

/** Collects events. `turns` resolves once it has this many ended turns. */
class Collected {
  readonly events: UniversalEvent[] = [];
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  add(events: readonly UniversalEvent[]): void {
    this.events.push(...events);
    for (const { count, resolve } of this.#waiting) if (this.#turns >= count) resolve();
  }

  turns(count: number): Promise<void> {
    const { promise, resolve } = deferred<void>();
    this.#waiting.push({ count, resolve });
    this.add([]);
    return promise;
  }

  get #turns(): number {
    return this.events.filter(({ type }) => type === "turn.ended").length;
  }
}

/** A chat whose first answer waits in its middle. */
async function halfWay(options: RigOptions = {}) {
  const script = () => ["one ", agentStep.wait("more"), "two ", "three"];
  const world = await served({ mock: { script }, maxFrameEvents: 3, ...options });
  const prompt = (key: string) => world.post({ key, type: "prompt", input: { text: key } });
  const has = (wanted: UniversalEvent["type"]) =>
    world.rig.until(async () => (await world.rig.events()).some(({ type }) => type === wanted));
  await prompt("p1");
  await has("item.delta");
  return { ...world, prompt, has, stream: `${world.url}/chats/c/stream` };
}

describe("R22: `@durable-streams/client`", () => {
  test("reads all events by catch-up, more than one page of the log", async () => {
    const {
      rig,
      has,
      stream: url,
    } = await halfWay({ mock: { deltas: 1, script: () => ["x".repeat(1_100)] } });
    await has("turn.ended");
    const read = await stream<UniversalEvent>({ url, live: false });
    expect(await read.json()).toEqual(await rig.events());
    expect(read.upToDate).toBe(true);
  });

  test.each(["long-poll", "sse"] as const)(
    "reads what there is and what comes by %s, each event once, over streams that end",
    async (live) => {
      const { rig, prompt, stream: url } = await halfWay({ streamLife: 50 });
      const asked: string[] = [];
      const collected = new Collected();
      const read = await stream<UniversalEvent>({
        url,
        live,
        fetch: (input, init) => {
          asked.push(new URL(String(input)).searchParams.get("live") ?? "no");
          return fetch(input, init);
        },
        sseResilience: { minConnectionDuration: 0 },
      });
      read.subscribeJson<UniversalEvent>(({ items }) => collected.add(items));
      onTestFinished(() => read.cancel());
      await rig.until(async () => asked.filter((each) => each === live).length > 2);
      rig.agent.release("more");
      await collected.turns(1);
      await prompt("p2");
      await collected.turns(2);
      expect(collected.events).toEqual(await rig.events());
      expect(new Set(asked)).toEqual(new Set(["no", live]));
    },
  );
});

describe("R22: the main wire", () => {
  test("`eventsource` reads all events, each once, over a stream that ends", async () => {
    const { rig, prompt, url } = await halfWay({ streamLife: 50 });
    const collected = new Collected();
    const sent: (string | undefined)[] = [];
    const source = new EventSource(`${url}/chats/c/events`, {
      fetch: (input, init) => {
        sent.push(new Headers(init.headers).get("last-event-id") ?? undefined);
        return fetch(input, init);
      },
    });
    onTestFinished(() => source.close());
    source.addEventListener("events", ({ data }) => collected.add(JSON.parse(data)));
    await rig.until(async () => sent.length > 1);
    rig.agent.release("more");
    await collected.turns(1);
    await prompt("p2");
    await collected.turns(2);
    expect(collected.events).toEqual(await rig.events());
    expect(sent[1]).toMatch(/\.\d+$/);
  });

  test("`fetch` and a parser of server-sent events read all events, each once", async () => {
    const { rig, prompt, url } = await halfWay();
    const collected = new Collected();
    const parser = createParser({
      onEvent: ({ event, data }) => {
        if (event === "events") collected.add(JSON.parse(data));
      },
    });
    const { body } = await fetch(`${url}/chats/c/events`);
    const reading = (async () => {
      for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) parser.feed(text);
    })();
    rig.agent.release("more");
    await collected.turns(1);
    await prompt("p2");
    await collected.turns(2);
    expect(collected.events).toEqual(await rig.events());
    await rig.relay.close({ drain: 0 });
    await reading;
  });
});
