import diagnostics from "node:diagnostics_channel";
import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import type { CodeyClientOptions } from "agentwire/codey";
import { codeyStep, codeyTool, type MockCodeyServer } from "agentwire/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { asked, type CodeyPair, codeyPair, collect, FAREWELL, once, sent, shown } from "../helpers/codey.ts";

// A session of the real server ends at its second failed send. Only what the server reads together with the Close fails.

type Chunks = Parameters<NonNullable<Writable["_writev"]>>[0];

/** Everything that sockets of this process write from now on: an array of frames for each write. */
function writesOf(server: MockCodeyServer): readonly (readonly string[])[] {
  const writes: (readonly string[])[] = [];
  const isMine = ({ remotePort }: Socket): boolean => server.url.endsWith(`:${remotePort}`);
  const spy = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    const { _write: write, _writev: writev } = socket;
    socket._write = (chunk, ...rest) => {
      if (isMine(socket)) writes.push(framesIn(chunk));
      write.call(socket, chunk, ...rest);
    };
    socket._writev = (chunks: Chunks, done) => {
      if (isMine(socket)) writes.push(framesIn(Buffer.concat(chunks.map(({ chunk }) => chunk))));
      writev?.call(socket, chunks, done);
    };
  };
  diagnostics.subscribe("net.client.socket", spy);
  onTestFinished(() => void diagnostics.unsubscribe("net.client.socket", spy));
  return writes;
}

/** The frames of a client: the types of messages, and `Close`. No payload here is longer than 125 bytes. */
function framesIn(bytes: Buffer | string): readonly string[] {
  if (typeof bytes === "string") return [bytes]; // the upgrade
  const frames: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = (bytes[at + 1] ?? 0) & 0x7f;
    const mask = bytes.subarray(at + 2, at + 6);
    const masked = bytes.subarray(at + 6, at + 6 + length);
    const payload = Buffer.from(masked.map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
    frames.push(
      (bytes[at] ?? 0) === 0x88 ? `Close ${payload.readUInt16BE()}` : JSON.parse(String(payload)).type,
    );
    at += 6 + length;
  }
  return frames;
}

const approval: Partial<CodeyClientOptions> = { onToolApproval: "manual" };
const answers = ({ content }: { readonly content: string }) =>
  content === "ask" ? [codeyStep.calls(codeyTool.shell("ls", "a.txt"))] : ["one", codeyStep.hang()];

interface Way {
  readonly how: string;
  /** Leads to the point at which the client is closed. */
  readonly reach?: (pair: CodeyPair) => unknown;
  readonly close?: (pair: CodeyPair) => Promise<void>;
  readonly words?: readonly string[];
}

const WAYS: readonly Way[] = [
  { how: "while idle" },
  { how: "with `force`", close: ({ client }) => client.close({ force: true }) },
  {
    how: "in a turn",
    reach: ({ client }) => shown(client.prompt("go"), "one"),
    words: ["Cancel"],
  },
  {
    how: "with an open approval",
    reach: ({ client }) => asked(client.prompt("ask")),
    words: ["Cancel", "ToolDecision"],
  },
  {
    how: "with an open approval and `force`",
    reach: ({ client }) => asked(client.prompt("ask")),
    close: ({ client }) => client.close({ force: true }),
    words: ["Cancel", "ToolDecision"],
  },
  {
    how: "between a Cancel and its Pong",
    reach: async ({ client, server }) => {
      const turn = client.prompt("go");
      await shown(turn, "one");
      void turn.cancel();
      await server.nextCancel();
    },
  },
];

describe.each(WAYS)("close() $how", ({ reach, close, words = [] }) => {
  const end = async (pair: CodeyPair): Promise<void> => {
    await pair.client.connect();
    await reach?.(pair);
    await (close?.(pair) ?? pair.client.close());
  };

  test("ends the server's session", async () => {
    await using pair = await codeyPair({ mock: { answer: answers }, client: approval });
    await end(pair);
    await pair.server.waitFor(({ sessions }) => sessions.live === 0);
    expect(pair.server.sessions.leaked).toBe(0);
    expect(pair.server.violations).toEqual([]);
    expect(pair.clock.pending).toBe(0);
  });

  test("sends its last frames and the Close in one write", async () => {
    await using pair = await codeyPair({ mock: { answer: answers }, client: approval });
    const writes = writesOf(pair.server);
    await end(pair);
    expect(writes.at(-1)).toEqual([...words, ...FAREWELL, "Close 1000"]);
  });

  test("ends the session with the platform's own WebSocket", async () => {
    const client = { ...approval, WebSocket: globalThis.WebSocket };
    await using pair = await codeyPair({ mock: { answer: answers }, client });
    await end(pair);
    await pair.server.waitFor(({ sessions }) => sessions.live === 0);
    expect(pair.server.sessions.leaked).toBe(0);
  });
});

test.each([
  ["`WebSocket`", { WebSocket }],
  ["`createWebSocket`", { createWebSocket: (url: string) => new WebSocket(url) }],
] as const)(
  "a `ws` socket from the option %s sends the last frames and the Close in one write",
  async (_, options) => {
    await using pair = await codeyPair({ client: options });
    const writes = writesOf(pair.server);
    await pair.client.connect();
    await pair.client.close();
    expect(writes.at(-1)).toEqual([...FAREWELL, "Close 1000"]);
  },
);

test("a client that is closed before the greeting ends its session too", async () => {
  await using pair = await codeyPair({ mock: { frozen: "noConnected" } });
  const connecting = pair.client.connect();
  await pair.server.nextConnection();
  await once(pair.client, "status", (status) => status === "handshaking");
  const closed = pair.client.close();
  await expect(connecting).rejects.toMatchObject({ code: "closed" });
  await pair.server.waitFor(({ sessions }) => sessions.leaked === 1);
  pair.server.set({ frozen: "off" }); // it reads what came meanwhile
  expect(pair.server.sessions).toEqual({ live: 0, leaked: 0 });
  expect(pair.server.violations).toEqual([]);
  await pair.clock.advance(1_000);
  await closed;
});

test("a `frame` event is emitted for each frame before the Close", async () => {
  await using pair = await codeyPair();
  await pair.client.connect();
  const frames = collect(pair.client, "frame");
  await pair.client.close();
  expect(frames.map(({ direction, text }) => [direction, text])).toEqual(
    FAREWELL.map((type) => ["out", JSON.stringify({ type })]),
  );
});

describe("a link that the client gives up", () => {
  test.each([
    { while: "idle", words: [] },
    {
      while: "in a turn with an open approval",
      prompt: "ask",
      words: ["Cancel", "ToolDecision toolu_1 false"],
    },
  ])(
    "for a missing Pong, $while: the server ends the session when it reads again",
    async ({ prompt, words }) => {
      await using pair = await codeyPair({
        mock: { answer: answers },
        client: { ...approval, reconnect: {} },
      });
      const { client, server, clock } = pair;
      await client.connect();
      if (prompt !== undefined) await asked(client.prompt(prompt));
      server.set({ frozen: "midSession" });
      const back = once(client, "reconnected");
      client.on("reconnecting", ({ delay }) => {
        server.set({ frozen: "off" });
        void clock.advance(delay);
      });
      await clock.advance(20_000);
      await server.waitFor(() => sent(server).at(-1) === "Ping");
      await clock.advance(10_000);
      await back;
      await server.waitFor(({ sessions }) => sessions.leaked === 0);
      expect(server.sessions).toEqual({ live: 1, leaked: 0 });
      expect(sent(server).slice(prompt === undefined ? 1 : 2)).toEqual([...words, ...FAREWELL]);
    },
  );

  test("for a missing Pong after a Cancel: the server ends the session when it reads again", async () => {
    await using pair = await codeyPair({ mock: { answer: answers } });
    const { client, server, clock } = pair;
    const turn = client.prompt("go");
    await shown(turn, "one");
    server.set({ frozen: "midSession" });
    const cancelled = turn.cancel();
    await clock.advance(5_000);
    await cancelled;
    await server.waitFor(({ sessions }) => sessions.leaked === 1);
    server.set({ frozen: "off" });
    expect(server.sessions).toEqual({ live: 0, leaked: 0 });
    expect(sent(server)).toEqual(["SendMessage go", "Cancel", "Ping", ...FAREWELL]);
  });

  test("for a frame over `maxReceiveBytes` in a turn leaves no session behind", async () => {
    await using pair = await codeyPair({
      mock: { answer: () => ["x".repeat(2_000), codeyStep.hang()] },
      client: { maxReceiveBytes: 1_000, WebSocket: globalThis.WebSocket },
    });
    await pair.client.prompt("go").outcome;
    await pair.server.waitFor(({ sessions }) => sessions.live === 0);
    expect(pair.server.sessions.leaked).toBe(0);
    expect(pair.server.violations).toEqual([]);
  });
});
