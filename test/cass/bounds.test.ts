import { describe, expect, test } from "vitest";
import { fakeCass, serverTime } from "../helpers/cass-fake.ts";
import { failureOf } from "../helpers/turns.ts";
import { fakeFetch } from "./support/fake-fetch.ts";

describe("the titles that a client keeps", () => {
  const titled = (conversation_id: string, title: string) =>
    ({ type: "title_updated", conversation_id, title }) as const;

  test("are those of the last 256 conversations", async () => {
    const { client, says } = bound(await fakeCass());
    for (let n = 0; n <= 256; n++) says(titled(`c${n}`, `title ${n}`));
    expect([client.titleOf("c0"), client.titleOf("c1")]).toEqual([undefined, "title 1"]);
  });

  test.each([
    { what: "title", id: "c1", title: "x".repeat(1_023) },
    { what: "id", id: "c".repeat(1_024), title: "x" },
  ])("exclude one whose $what is too long, but listeners still get it", async ({ id, title }) => {
    const { client, says } = bound(await fakeCass());
    const told: string[] = [];
    client.on("title", ({ title }) => void told.push(title));
    says(titled(id, title));
    expect([told, client.titleOf(id)]).toEqual([[title], undefined]);
  });
});

test("a client searches for 32 lost replies at a time; the next lost turn fails at once", async () => {
  const { fetch } = fakeFetch("silence");
  const made = await fakeCass({ recover: true, recoverTimeout: 0, requestTimeout: 0, fetch });
  const turns = [];
  for (let lost = 0; lost < 33; lost++) {
    turns.push(made.client.prompt(`prompt ${lost}`));
    made.socket.ends();
    await made.greet("u1", { timestamp: serverTime(lost) });
  }
  const last = turns.at(-1);
  expect(turns.filter(({ status }) => status === "recovering")).toHaveLength(32);
  expect(last && (await failureOf(last))).toMatchObject({ code: "connection-lost", delivery: "unknown" });
  void made.client.close();
  made.socket.ends(1000);
});

test("a client searches for 32 of 40 turns that are lost at once", async () => {
  const { fetch } = fakeFetch("silence");
  const made = await fakeCass({ recover: true, recoverTimeout: 0, fetch, maxTurnsInFlight: 40 });
  const warm = made.client.prompt("warm");
  await made.answers("warm", { timestamp: serverTime(1) });
  await warm.result;
  const turns = Array.from({ length: 40 }, (_, n) => made.client.prompt(`prompt ${n}`));
  made.socket.ends();
  await made.settle();
  expect(turns.filter(({ status }) => status === "recovering")).toHaveLength(32);
  await made.client.close();
});

/** The parts of a fake that a test uses, as functions. */
function bound(made: Awaited<ReturnType<typeof fakeCass>>) {
  return { client: made.client, says: (...messages: readonly object[]) => made.says(...messages) };
}
