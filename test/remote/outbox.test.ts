import { describe, expect, test } from "vitest";
import { FakeRelay } from "./support/fake-relay.ts";
import { localStorageOf } from "./support/local-storage.ts";
import { Viewer } from "./support/world.ts";

const nameOf = (relay: FakeRelay): string => `agentwire.outbox ${relay.url}/c%201`;
const kept = (items: ReadonlyMap<string, string>, relay: FakeRelay): readonly { readonly text: string }[] =>
  JSON.parse(items.get(nameOf(relay)) ?? "[]");

describe("the outbox `local`", () => {
  test.each([
    ["is absent", undefined],
    ["has no JSON", "{"],
    ["has no list", '{"key":"k"}'],
  ])("sends as from memory where the storage %s", async (_, text) => {
    await using relay = await FakeRelay.start();
    using _storage = localStorageOf(text === undefined ? undefined : new Map([[nameOf(relay), text]]));
    await using viewer = new Viewer(relay, { outbox: "local" });
    viewer.chat.send("Hello");
    await relay.until(() => relay.commands.length === 1);
    expect(relay.commands).toMatchObject([{ type: "prompt", input: { text: "Hello" } }]);
  });

  test("keeps the 20 oldest prompts until the relay confirms them, one by one, and sends all", async () => {
    await using relay = await FakeRelay.start();
    const items = new Map<string, string>();
    using _ = localStorageOf(items);
    await using viewer = new Viewer(relay, { outbox: "local" });
    const texts = Array.from({ length: 21 }, (__, at) => `Prompt ${at}`);
    for (const text of texts) viewer.chat.send(text);
    expect(kept(items, relay).map(({ text }) => text)).toEqual(texts.slice(0, 20));
    let before = 20;
    relay.onCommand = () => {
      expect(kept(items, relay).length).toBeLessThanOrEqual(before);
      before = kept(items, relay).length;
    };
    await viewer.until(({ queue }) => queue.length === 21);
    await relay.until(() => relay.commands.length === 21);
    expect(items.size).toBe(0);
  });

  test("does not keep a prompt with images, and leaves those of other tabs alone", async () => {
    await using relay = await FakeRelay.start();
    const items = new Map<string, string>();
    using _ = localStorageOf(items);
    await using viewer = new Viewer(relay, { outbox: "local" });
    await viewer.ready();
    const others = JSON.stringify([{ key: "other", text: "Of another tab", at: 5 }]);
    items.set(nameOf(relay), others);
    viewer.chat.send({ text: "Look", images: [{ data: "iVBORw0KGgo=", mediaType: "image/png" }] });
    await viewer.until(({ queue }) => queue.length === 1);
    expect(items.get(nameOf(relay))).toBe(others);
  });
});
