import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { queryObjects } from "node:v8";
import { createRelay, type EventLog, memoryLog, type Relay } from "agentwire/server";
import { relayListener, sqliteLog } from "agentwire/server/node";
import { ManualClock } from "agentwire/testing";
import { agentStep, MockAgent } from "agentwire/testing/agent";
import { expect, test } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { Driver } from "../../src/server/drive/driver.ts";
import { Channel } from "../../src/server/view/channel.ts";
import { Viewer } from "../../src/server/view/viewer.ts";
import { collected, GROWTH, growthOver } from "./support.ts";

/** A turn that waits for an approval, and does not end without one. */
const agent = () =>
  new MockAgent({
    script: function* () {
      yield "Some words. ";
      yield agentStep.tool({ name: "rm", input: { path: "a" }, approval: true });
    },
  });

interface Served {
  readonly relay: Relay;
  readonly server: Server;
  readonly clock: ManualClock;
}

async function serve(log: EventLog): Promise<Served> {
  const clock = new ManualClock();
  const relay = createRelay({ source: agent, log, clock, authorize: () => ({ user: "user_1" }) });
  const server = createServer(relayListener(relay.handler)).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { relay, server, clock };
}

async function prompt({ relay }: Served, chat: string): Promise<void> {
  const body = JSON.stringify({ key: `key_${chat}`, type: "prompt", input: { text: "Go" } });
  const init = { method: "POST", headers: { "content-type": "application/json" }, body };
  const response = await relay.handler(new Request(`http://localhost/chats/${chat}/commands`, init));
  expect(response.status).toBe(202);
}

/** Views a chat by a socket. Resolves once `text` has arrived. */
async function view({ server }: Served, chat: string, text: string) {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket
    .setEncoding("utf8")
    .write(`GET /chats/${chat}/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  let read = "";
  for await (const part of socket.iterator({ destroyOnReturn: false })) {
    read += part;
    if (read.includes(text)) break;
  }
  return socket;
}

async function viewersAreGone(): Promise<void> {
  while (queryObjects(Viewer, { format: "count" }) > 0) await new Promise((resolve) => setImmediate(resolve));
}

async function counts() {
  await collected();
  const count = { format: "count" } as const;
  return {
    drivers: queryObjects(Driver, count),
    channels: queryObjects(Channel, count),
    viewers: queryObjects(Viewer, count),
  };
}

const NOTHING = { drivers: 0, channels: 0, viewers: 0 };

test("1,000 viewers that come and go leave nothing at the relay", async () => {
  const served = await serve(memoryLog());
  await prompt(served, "c");
  const comesAndGoes = async (): Promise<void> => {
    const socket = await view(served, "c", "event: state");
    socket.destroy();
    await once(socket, "close");
  };
  expect(await growthOver(comesAndGoes)).toBeLessThan(GROWTH);
  await viewersAreGone();
  expect(await counts()).toEqual({ drivers: 1, channels: 1, viewers: 0 });
  await served.relay.close({ drain: 0 });
  served.server.close();
});

test.each(["memory", "sqlite"])(
  "R23: `relay.close()` leaves no timer, socket or promise: a log in %s, in the middle of a turn",
  async (kind) => {
    await using folder = await tempFolder();
    const work = async (name: string): Promise<void> => {
      const log = kind === "memory" ? memoryLog() : sqliteLog(join(folder.path, name));
      const served = await serve(log);
      const sockets = [];
      for (const chat of ["a", "b"]) {
        await prompt(served, chat);
        sockets.push(await view(served, chat, '"permission.requested"'));
        sockets.push(await view(served, chat, '"permission.requested"'));
      }
      sockets.push(await view(served, "unknown", "event: state"));
      const ends = sockets.map((socket) => once(socket.resume(), "close"));
      expect(await counts()).toEqual({ drivers: 2, channels: 3, viewers: 5 });
      const closing = served.relay.close({ drain: 0 });
      served.server.close();
      await closing;
      expect(served.clock.pending).toBe(0);
      await Promise.all(ends);
      await log.close();
    };
    await work("first"); // loads and compiles
    const held = async () => ({
      ...(await counts()),
      promises: queryObjects(Promise, { format: "count" }),
      resources: process.getActiveResourcesInfo().toSorted(),
    });
    const before = await held();
    await work("second");
    expect(await held()).toEqual(before);
    expect(before).toMatchObject(NOTHING);
  },
);
