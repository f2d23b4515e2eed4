/** Bytes of heap that one connection costs while nothing happens on it. */
import { once } from "node:events";
import { CassClient } from "agentwire/cass";
import { CodebuffClient } from "agentwire/codebuff";
import { CodeyClient } from "agentwire/codey";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { type Server, startServer } from "../server/start.ts";
import { heapUsed } from "../support/heap.ts";
import { answer } from "../support/measure.ts";

/** Opens one connection and resolves, once it is ready, with what holds it. */
type Open = (server: Server) => Promise<object>;

const OPEN: Readonly<Record<string, Open>> = {
  async raw(server) {
    const socket = new WebSocket(server.url("plain"));
    await once(socket, "open");
    return socket;
  },
  async "graphql-ws"(server) {
    const client = createClient({ url: server.url("graphql"), webSocketImpl: WebSocket, lazy: false });
    await new Promise<void>((resolve) => void client.on("connected", () => resolve()));
    return client;
  },
  async agentwire(server) {
    const client = new CodebuffClient({ url: server.url("codebuff"), profile: "proxy", settleWindow: 0 });
    await client.connect();
    return client;
  },
  async "agentwire-codey"(server) {
    const client = new CodeyClient({ url: server.url("codey") });
    await client.connect();
    return client;
  },
  async "agentwire-cass"(server) {
    const client = new CassClient({ url: server.url("cass"), allowAnonymous: true });
    await client.connect();
    return client;
  },
};

/** Opened before anything is measured: the first ones load and compile what the others share. */
const WARM_UP = 50;

/** Dialled at once. More would measure how a server's queue of connections fills. */
const WAVE = 50;

await answer(async (settings) => {
  const open = OPEN[settings.text("reader")];
  if (!open) throw new Error("no such reader");
  const connections = settings.number("connections");
  using server = await startServer();
  const held: object[] = [];
  const openMore = async (count: number): Promise<void> => {
    for (let opened = 0; opened < count; opened += WAVE)
      held.push(...(await Promise.all(Array.from({ length: WAVE }, () => open(server)))));
  };
  await openMore(WARM_UP);
  const before = await heapUsed();
  await openMore(connections);
  return { bytes: ((await heapUsed()) - before) / connections };
});
