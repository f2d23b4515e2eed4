import { once } from "node:events";
import { websocket } from "@atproto/ws-client";
import { CodebuffClient } from "agentwire/codebuff";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import type { Server } from "../server/start.ts";
import { HeadQueue } from "../support/head-queue.ts";
import { type ChunkData, type PlainFrame, parsePlain } from "../support/messages.ts";
import type { Sink } from "../support/sink.ts";

/** A backlog that is there: everything has arrived, and nothing was read. */
export interface Backlog {
  readAll(sink: Sink): Promise<void>;
}

/** Asks for an answer, reads nothing, and resolves once all of it has arrived. */
export type Stall = (server: Server, count: number) => Promise<Backlog>;

const bareQueue: Stall = async (server, count) => {
  const socket = new WebSocket(server.url("plain", { count }));
  await once(socket, "open");
  const queue = new HeadQueue<PlainFrame>();
  const allCame = new Promise<void>((resolve) => {
    let left = count;
    socket.on("message", (data) => {
      queue.push(parsePlain(data));
      if (--left === 0) resolve();
    });
  });
  socket.send("go");
  await allCame;
  queue.end();
  socket.terminate();
  return {
    async readAll(sink) {
      for await (const { data } of queue) sink.take(data.chunk);
    },
  };
};

const agentwire: Stall = async (server, count) => {
  const url = server.url("codebuff", { count });
  const client = new CodebuffClient({ url, profile: "proxy", settleWindow: 0 });
  const turn = client.prompt("go");
  await turn.result;
  await client.close();
  return {
    async readAll(sink) {
      for await (const event of turn) if (event.type === "response-chunk") sink.take(event.text);
    },
  };
};

/** Pauses its socket behind a slow reader, so it has to be told not to. */
const atproto: Stall = async (server, count) => {
  const url = server.url("plain", { count, closes: 1 });
  let ended = (): void => {};
  const allCame = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const messages = websocket(url, {
    dataMode: "text",
    highWaterMark: Number.POSITIVE_INFINITY,
    heartbeat: false,
    shouldReconnect: false,
    onConnect: (sender) => void sender.send("go"),
    onDisconnect: () => ended(),
  });
  const first = await messages.next(); // nothing is opened before
  await allCame;
  return {
    async readAll(sink) {
      if (!first.done) sink.take(parsePlain(first.value).data.chunk);
      for await (const text of messages) sink.take(parsePlain(text).data.chunk);
    },
  };
};

const graphqlWs: Stall = async (server, count) => {
  const url = server.url("graphql", { count });
  const client = createClient({ url, webSocketImpl: WebSocket, retryAttempts: 0 });
  const results = client.iterate<ChunkData>({ query: "subscription { chunk }" });
  await new Promise<void>((resolve) => {
    client.on("message", ({ type }) => {
      if (type === "complete") resolve();
    });
  });
  return {
    async readAll(sink) {
      for await (const { data } of results) if (data) sink.take(data.chunk);
      await client.dispose();
    },
  };
};

export const STALLED: Readonly<Record<string, Stall>> = {
  "bare-queue": bareQueue,
  agentwire,
  atproto,
  "graphql-ws": graphqlWs,
};
