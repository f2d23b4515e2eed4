import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { websocket } from "@atproto/ws-client";
import { CassClient } from "agentwire/cass";
import { CodebuffClient } from "agentwire/codebuff";
import { CodebuffCli } from "agentwire/codebuff-cli";
import { CodebuffRun } from "agentwire/codebuff-run";
import { CodeyClient, toUniversal } from "agentwire/codey";
import { createParser } from "eventsource-parser";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import type { Server } from "../server/start.ts";
import { HeadQueue } from "../support/head-queue.ts";
import {
  type ChunkData,
  type PlainFrame,
  parsePlain,
  parsePlainCass,
  parsePlainChat,
  parsePlainCodey,
  parsePlainLine,
} from "../support/messages.ts";
import type { Sink } from "../support/sink.ts";
import { SHAPED_CONTENDERS } from "./shaped.ts";

/** One way to read a stream of chunks; each is connected and ready. */
export interface Contender {
  readonly name: string;
  /** The texts of its chunks in order, again and again. @default texts of 100 bytes */
  readonly texts?: readonly string[];
  /** Asks for an answer, puts the text of each chunk into the sink, and resolves behind the last. */
  stream(sink: Sink): Promise<void>;
  close(): void;
}

export type Connect = (server: Server, count: number) => Promise<Contender>;

/** What the others are compared with: nothing but the socket and the parser. */
const raw: Connect = async (server, count) => {
  const socket = await openPlain(server, count);
  return {
    name: "raw",
    async stream(sink) {
      const onMessage = (data: WebSocket.RawData): void => sink.take(parsePlain(data).data.chunk);
      socket.on("message", onMessage);
      socket.send("go");
      await sink.done;
      socket.off("message", onMessage);
    },
    close: () => socket.terminate(),
  };
};

/** The same with the least of a queue between, and `for await`. */
const bareQueue: Connect = async (server, count) => {
  const socket = await openPlain(server, count);
  return {
    name: "bare-queue",
    async stream(sink) {
      const queue = new HeadQueue<PlainFrame>();
      const onMessage = (data: WebSocket.RawData): void => queue.push(parsePlain(data));
      socket.on("message", onMessage);
      void sink.done.then(() => queue.end());
      socket.send("go");
      for await (const { data } of queue) sink.take(data.chunk);
      socket.off("message", onMessage);
    },
    close: () => socket.terminate(),
  };
};

/** Yields text; what it costs to parse it is the caller's. */
const atproto: Connect = async (server, count) => {
  const stopped = new AbortController();
  let sink: Sink | undefined;
  const go = await new Promise<() => void>((resolve, reject) => {
    const messages = websocket(server.url("plain", { count }), {
      dataMode: "text",
      signal: stopped.signal,
      onConnect: (sender) => resolve(() => void sender.send("go")),
    });
    // One stream for as long as the connection lives: leaving the loop would close it.
    const read = async (): Promise<void> => {
      for await (const text of messages) sink?.take(parsePlain(text).data.chunk);
    };
    read().catch((error: unknown) => {
      if (!stopped.signal.aborted) reject(error);
    });
  });
  return {
    name: "atproto",
    async stream(next) {
      sink = next;
      go();
      await sink.done;
    },
    close: () => stopped.abort(),
  };
};

const graphqlWs: Connect = async (server, count) => {
  const url = server.url("graphql", { count });
  const client = createClient({ url, webSocketImpl: WebSocket, lazy: false, retryAttempts: 0 });
  await new Promise<void>((resolve) => void client.on("connected", () => resolve()));
  return {
    name: "graphql-ws",
    async stream(sink) {
      const results = client.iterate<ChunkData>({ query: "subscription { chunk }" });
      for await (const { data } of results) if (data) sink.take(data.chunk);
    },
    close: () => void client.dispose(),
  };
};

const oneTurn: Connect = async (server, count) => {
  const client = new CodebuffClient({
    url: server.url("codebuff", { count }),
    profile: "proxy",
    settleWindow: 0,
  });
  await client.connect();
  return {
    name: "agentwire",
    stream: (sink) => readTurn(client, sink),
    close: () => void client.close({ force: true }),
  };
};

/** Turns at once, on the server that answers many at once. */
const TURNS = 100;

const manyTurns: Connect = async (server, count) => {
  const client = new CodebuffClient({
    url: server.url("codebuff", { count, turns: TURNS }),
    profile: "codebuff",
  });
  await client.connect();
  return {
    name: "agentwire-100",
    async stream(sink) {
      await Promise.all(Array.from({ length: TURNS }, () => readTurn(client, sink)));
    },
    close: () => void client.close({ force: true }),
  };
};

/** The socket and the parser on Codey's frames, which are shorter than Codebuff's. */
const rawCodey: Connect = async (server, count) => {
  const socket = await openPlain(server, count, "plain-codey");
  return {
    name: "raw-codey",
    async stream(sink) {
      const onMessage = (data: WebSocket.RawData): void => sink.take(parsePlainCodey(data).content);
      socket.on("message", onMessage);
      socket.send("go");
      await sink.done;
      socket.off("message", onMessage);
    },
    close: () => socket.terminate(),
  };
};

const codeyTurn: Connect = async (server, count) => {
  const client = new CodeyClient({ url: server.url("codey", { count }) });
  await client.connect();
  return {
    name: "agentwire-codey",
    async stream(sink) {
      for await (const event of client.prompt("go")) if (event.type === "TextDelta") sink.take(event.content);
    },
    close: () => void client.close({ force: true }),
  };
};

/** The same turn, read as universal events. */
const universalTurn: Connect = async (server, count) => {
  const client = new CodeyClient({ url: server.url("codey", { count }) });
  await client.connect();
  return {
    name: "universal",
    async stream(sink) {
      const events = toUniversal(client.prompt("go", { read: false }));
      for await (const event of events) if (event.type === "item.delta") sink.take(event.data.delta);
    },
    close: () => void client.close({ force: true }),
  };
};

/** The socket and the parser on Cass's frames, one turn behind the other. */
const rawCass: Connect = async (server, count) => {
  const socket = await openPlain(server, count, "cass");
  return {
    name: "raw-cass",
    async stream(sink) {
      let left = count;
      const onMessage = (data: WebSocket.RawData): void => {
        const { type, text = "" } = parsePlainCass(data);
        if (type !== "response") return;
        sink.take(text);
        if (--left > 0) socket.send(CHAT);
      };
      socket.on("message", onMessage);
      socket.send(CHAT);
      await sink.done;
      socket.off("message", onMessage);
    },
    close: () => socket.terminate(),
  };
};

const CHAT = JSON.stringify({ type: "chat", message: "go" });

const cassTurns: Connect = async (server, count) => {
  const client = new CassClient({ url: server.url("cass"), allowAnonymous: true });
  await client.connect();
  return {
    name: "agentwire-cass",
    async stream(sink) {
      for (let turn = 0; turn < count; turn++) sink.take((await client.prompt("go").result).text);
    },
    close: () => void client.close({ force: true }),
  };
};

const PRINT_LINES = join(import.meta.dirname, "..", "server", "print-lines.ts");

/** A program's lines, and the parser on them; a process for each answer, as with the other. */
const rawLines: Connect = async (_, count) => ({
  name: "raw-lines",
  async stream(sink) {
    const stdio = ["ignore", "pipe", "inherit"] as const;
    const child = spawn(process.execPath, [PRINT_LINES, String(count)], { stdio: [...stdio] });
    const closed = once(child, "close");
    if (!child.stdout) throw new Error("the program has no output");
    createInterface({ input: child.stdout }).on("line", (text) => {
      const event = parsePlainLine(text);
      if (event.type === "text") sink.take(event.text);
    });
    await closed;
  },
  close: () => {},
});

const cliTurn: Connect = async (_, count) => {
  const client = new CodebuffCli({ command: process.execPath, args: [PRINT_LINES, String(count)] });
  return {
    name: "agentwire-codebuff-cli",
    async stream(sink) {
      for await (const event of client.prompt("go")) if (event.type === "text") sink.take(event.delta);
    },
    close: () => void client.close({ force: true }),
  };
};

const MODEL = "openai/gpt-5-mini";

/** `fetch`, eventsource-parser and JSON.parse on the chunks of a model's answer, between the calls that the backend wants of a run. */
const rawRun: Connect = async (server, count) => {
  const post = async (path: string, body: object): Promise<Response> => {
    const headers = { "content-type": "application/json", authorization: "Bearer bench" };
    return fetch(`${server.runUrl(count)}/api/v1/${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
  };
  const call = async (path: string, body: object): Promise<unknown> => (await post(path, body)).json();
  return {
    name: "raw-run",
    async stream(sink) {
      const messages = [{ role: "user", content: "go" }];
      await call("agent-runs", { action: "START" });
      await call("token-count", { messages });
      const pieces: string[] = [];
      const parser = createParser({
        onEvent: ({ data }) => {
          const text = data === "[DONE]" ? "" : (parsePlainChat(data).choices[0]?.delta.content ?? "");
          if (text === "") return;
          pieces.push(text);
          sink.take(text);
        },
      });
      const response = await post("chat/completions", { model: MODEL, stream: true, messages });
      if (!response.body) throw new Error("the answer has no body");
      const decoder = new TextDecoder();
      const reader = response.body.getReader();
      for (let read = await reader.read(); !read.done; read = await reader.read())
        parser.feed(decoder.decode(read.value, { stream: true }));
      messages.push({ role: "assistant", content: pieces.join("") });
      await call("agent-runs/run-1/steps", { stepNumber: 1 });
      await call("token-count", { messages });
      await call("agent-runs", { action: "FINISH" });
    },
    close: () => {},
  };
};

const runTurn: Connect = async (server, count) => {
  const client = new CodebuffRun({
    apiKey: "bench",
    baseUrl: server.runUrl(count),
    agent: { id: "bench", displayName: "Bench", model: MODEL },
  });
  await client.connect();
  return {
    name: "agentwire-codebuff-run",
    async stream(sink) {
      for await (const event of client.prompt("go")) if (event.type === "chunk") sink.take(event.chunk);
    },
    close: () => void client.close({ force: true }),
  };
};

/**
 * In the order of the table, the one first that the others are compared with. Each protocol has a process of its own: code that two of them share would be compiled
 * for both, and cost more than it does where there is one.
 */
export const CONTENDERS: Readonly<Record<string, readonly Connect[]>> = {
  codebuff: [raw, bareQueue, atproto, graphqlWs, oneTurn, manyTurns],
  codey: [rawCodey, codeyTurn],
  cass: [rawCass, cassTurns],
  universal: [rawCodey, universalTurn],
  "codebuff-cli": [rawLines, cliTurn],
  "codebuff-run": [rawRun, runTurn],
  ...SHAPED_CONTENDERS,
};

async function readTurn(client: CodebuffClient, sink: Sink): Promise<void> {
  for await (const event of client.prompt("go")) if (event.type === "response-chunk") sink.take(event.text);
}

async function openPlain(server: Server, count: number, protocol = "plain"): Promise<WebSocket> {
  const socket = new WebSocket(server.url(protocol, { count }));
  await once(socket, "open");
  return socket;
}
