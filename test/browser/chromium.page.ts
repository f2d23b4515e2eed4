import { CodebuffClient } from "agentwire/codebuff";
import { ManualClock, MockCodebuffServer, step } from "agentwire/testing";
import { expect, test } from "vitest";
import { sendsHeaders } from "#socket";
import { MALFORMED, type MalformedFrame } from "../../src/testing/server/faults.ts";
import { drain, once, pair, readyPair } from "../helpers/codebuff.ts";

declare const window: EventTarget & { readonly location: { readonly origin: string } };

const kinds = Object.keys(MALFORMED) as readonly MalformedFrame[];

test("this run is in a browser page, without Node and with the browser file of #socket", () => {
  expect(globalThis).toHaveProperty("document");
  for (const name of ["process", "Buffer", "setImmediate", "require"])
    expect(globalThis).not.toHaveProperty(name);
  expect(sendsHeaders).toBe(false);
});

test("the client reaches the server over TCP by the browser's own WebSocket", async () => {
  await using made = await readyPair();
  const [upgrade] = made.server.upgrades;
  expect(upgrade).toMatchObject({ url: "/ws", status: 101, headers: { origin: window.location.origin } });
  expect(upgrade?.headers["user-agent"]).toMatch(/Chrome\/\d/);
});

test("an answer that arrives in small pieces of bytes is assembled in order", async () => {
  await using made = await readyPair({ mock: { answer: () => ["Hello", ", ", "world é😀"] } });
  made.server.connections[0]?.faults.dripFeed({ bytes: 7, pause: 0 });
  const { values } = await drain(made.client.prompt("hello").textStream);
  expect(values).toEqual(["Hello", ", ", "world é😀"]);
});

test.each(kinds)(
  "the client reconnects after a frame that violates the WebSocket protocol: %s",
  async (kind) => {
    await using made = await readyPair();
    await made.client.prompt("warm up").result;
    const gone = once(made.client, "disconnected");
    const back = once(made.client, "reconnected");
    made.server.connections[0]?.faults.malformed(kind);
    expect(await gone).toMatchObject({ code: "connection-lost" });
    await back;
  },
);

test("an upgrade response with a wrong accept key fails the connection", async () => {
  await using made = await pair();
  made.server.refuseUpgrades("wrong-accept");
  await expect(made.client.connect()).rejects.toMatchObject({ code: "connect-failed" });
});

test("the `online` event ends the backoff early", async () => {
  await using server = await MockCodebuffServer.start({ answer: () => ["a", step.drop()] });
  const clock = new ManualClock();
  const client = new CodebuffClient({ url: server.url, clock, settleWindow: 0 });
  const waits = once(client, "reconnecting");
  await drain(client.prompt("hello"));
  await waits;
  const back = once(client, "reconnected");
  window.dispatchEvent(new Event("online"));
  await back;
  expect(clock.now()).toBe(0);
  await client.close();
});

test("connecting to a stopped server fails", async () => {
  const server = await MockCodebuffServer.start();
  await server.stop();
  const client = new CodebuffClient({ url: server.url });
  await expect(client.connect()).rejects.toMatchObject({ code: "connect-failed" });
  await client.close();
});
