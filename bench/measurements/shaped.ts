/** Readers of Codebuff's answers in other shapes than the usual one: all of them get the same bytes from the same server. */
import { once } from "node:events";
import { CodebuffClient } from "agentwire/codebuff";
import WebSocket from "ws";
import { framesOf } from "../server/shapes.ts";
import type { Server } from "../server/start.ts";
import { parseAnswer, textIn } from "../support/messages.ts";
import type { Sink } from "../support/sink.ts";
import type { Connect } from "./contenders.ts";

interface Answers {
  /** The name in `server/shapes.ts`. */
  readonly shape: string;
  readonly profile: "proxy" | "codebuff";
  /** Frames of each answer. One prompt follows the other. @default all frames are one answer */
  readonly perTurn?: number;
}

/** By the name of the figure. Only the original server sends object chunks and has sub-agents. */
const SHAPED: Readonly<Record<string, Answers>> = {
  interleaved: { shape: "interleaved", profile: "codebuff" },
  "non-ascii": { shape: "non-ascii", profile: "proxy" },
  escapes: { shape: "escapes", profile: "proxy" },
  "short-turns": { shape: "plain", profile: "proxy", perTurn: 100 },
  subagents: { shape: "subagents", profile: "codebuff", perTurn: 1_000 },
  "10-bytes": { shape: "10-bytes", profile: "proxy" },
  "2-kB": { shape: "2-kB", profile: "proxy" },
};

export const SHAPED_CONTENDERS: Readonly<Record<string, readonly Connect[]>> = Object.fromEntries(
  Object.entries(SHAPED).map(([name, answers]) => [`shaped-${name}`, shaped(name, answers)]),
);

function shaped(name: string, answers: Answers): readonly Connect[] {
  return [
    async (server, count) => {
      const perTurn = turnLength(answers, count);
      const socket = new WebSocket(urlOf(server, answers, perTurn));
      await once(socket, "open");
      let prompts = 0;
      return {
        name: `raw-${name}`,
        texts: textsOf(answers, perTurn),
        async stream(sink) {
          for (let read = 0; read < count; read += perTurn) await readRaw(socket, sink, prompts++);
        },
        close: () => socket.terminate(),
      };
    },
    async (server, count) => {
      const perTurn = turnLength(answers, count);
      const url = urlOf(server, answers, perTurn);
      const client = new CodebuffClient({ url, profile: answers.profile, settleWindow: 0 });
      await client.connect();
      return {
        name: `agentwire-${name}`,
        texts: textsOf(answers, perTurn),
        async stream(sink) {
          for (let read = 0; read < count; read += perTurn) await readTurn(client, sink);
        },
        close: () => void client.close({ force: true }),
      };
    },
  ];
}

/** Reads one answer with nothing but the parser. The prompt is as short as the server allows. */
function readRaw(socket: WebSocket, sink: Sink, txid: number): Promise<void> {
  const promptId = `prompt-${txid.toString(16).padStart(32, "0")}`; // as long as an id that a client makes
  return new Promise((resolve) => {
    const onMessage = (message: WebSocket.RawData): void => {
      const { data } = parseAnswer(message);
      if (data?.chunk !== undefined) {
        sink.take(textIn(data.chunk));
      } else if (data?.type === "prompt-response") {
        socket.off("message", onMessage);
        resolve();
      }
    };
    socket.on("message", onMessage);
    socket.send(JSON.stringify({ type: "action", txid, data: { type: "prompt", promptId, prompt: "go" } }));
  });
}

async function readTurn(client: CodebuffClient, sink: Sink): Promise<void> {
  for await (const event of client.prompt("go")) {
    if (event.type === "response-chunk") sink.take(event.text || textIn(event.chunk));
    else if (event.type === "subagent-response-chunk") sink.take(event.chunk);
  }
}

function turnLength({ perTurn }: Answers, count: number): number {
  if (perTurn !== undefined && count % perTurn > 0)
    throw new RangeError(`${count} frames are no whole turns`);
  return perTurn ?? count;
}

function urlOf(server: Server, { shape }: Answers, count: number): string {
  return server.url("codebuff", { shape, count });
}

/** The texts of one answer in order. */
function textsOf({ shape }: Answers, count: number): readonly string[] {
  const frames = framesOf(shape, "", count);
  return Array.from({ length: count }, (_, at) => frames[at % frames.length]?.text ?? "");
}
