import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { block, TEXTS } from "./frames.ts";
import { chunkBlock, pour } from "./pour.ts";
import { chunk, framesOf } from "./shapes.ts";

/** One connection of the bench, as its URL asked for it. */
export interface Connection {
  readonly socket: WebSocket;
  /** The socket beneath, for frames that are made already. */
  readonly tcp: Duplex;
  /** Chunks of one answer, or of all answers that run at once together. */
  readonly count: number;
  /** Prompts that have to be there before they are answered, in turns. */
  readonly turns: number;
  /** The frames of an answer to one prompt, by their name in `shapes.ts`. Without a name: chunks for all prompts in turns. */
  readonly shape: string | null;
  /** Whether the server closes behind the first answer. */
  readonly closes: boolean;
}

interface Message {
  readonly type: string;
  readonly id?: string;
  readonly txid?: number;
  readonly data?: { readonly type: string; readonly promptId?: string };
}

/** Any message is answered with chunks, in frames of the same shape and length as Codebuff's. */
export function servePlain({ socket, tcp, count, closes }: Connection): void {
  const chunks = chunkBlock([SOME_ID], chunk);
  socket.on("message", () => {
    void pour(tcp, chunks, count).then(() => {
      if (closes) socket.close(1000);
    });
  });
}

/** The part of graphql-transport-ws that a subscription needs. */
export function serveGraphql({ socket, tcp, count }: Connection): void {
  const send = (message: unknown): void => socket.send(JSON.stringify(message));
  onMessage(socket, (message) => {
    if (message.type === "connection_init") send({ type: "connection_ack" });
    if (message.type !== "subscribe") return;
    const { id } = message;
    const chunks = chunkBlock([id], (of, chunk) => ({ id: of, type: "next", payload: { data: { chunk } } }));
    void pour(tcp, chunks, count).then(() => send({ id, type: "complete" }));
  });
}

/**
 * The part of the Codebuff protocol that an answered prompt needs. One thing after the other, as the published proxy
 * does it: an ack while an answer is under way would tell a client that the answer is over.
 */
export function serveCodebuff({ socket, tcp, count, turns, shape }: Connection): void {
  const send = (message: unknown): void => socket.send(JSON.stringify(message));
  let waiting: string[] = [];
  const answer = async (ids: readonly string[]): Promise<void> => {
    const [id = ""] = ids;
    const shaped = shape === null ? undefined : framesOf(shape, id, count).map(({ json }) => json);
    await pour(tcp, shaped ? block(shaped) : chunkBlock(ids, chunk), count);
    for (const promptId of ids) {
      const end = { type: "prompt-response", promptId, sessionState: {}, toolCalls: null, output: null };
      send({ type: "action", data: end });
    }
  };
  let before = Promise.resolve();
  const handle = async ({ txid, data }: Message): Promise<void> => {
    await before;
    send({ type: "ack", txid, success: true });
    if (data?.type !== "prompt" || data.promptId === undefined) return;
    waiting.push(data.promptId);
    if (waiting.length < turns) return;
    const ids = waiting;
    waiting = [];
    await answer(ids);
  };
  onMessage(socket, (message) => {
    before = handle(message);
  });
}

/** Any message is answered with chunks, in frames of the same shape and length as Codey's. */
export function servePlainCodey({ socket, tcp, count }: Connection): void {
  const chunks = chunkBlock([ROOT_AGENT], codeyChunk);
  socket.on("message", () => void pour(tcp, chunks, count));
}

/** The part of the Codey protocol that an answered prompt needs. */
export function serveCodey({ socket, tcp, count }: Connection): void {
  const send = (message: unknown): void => socket.send(JSON.stringify(message));
  const chunks = chunkBlock([ROOT_AGENT], codeyChunk);
  onMessage(socket, (message) => {
    if (message.type === "Ping") send({ type: "Pong" });
    if (message.type === "SendMessage") void pour(tcp, chunks, count).then(() => send(FINISHED));
  });
  send({ type: "Connected", session_id: "550e8400-e29b-41d4-a716-446655440000" });
}

/** The part of the Cass protocol that an answered prompt needs: three frames for each. */
export function serveCass({ socket }: Connection): void {
  const send = (message: unknown): void => socket.send(JSON.stringify(message));
  let answered = 0;
  onMessage(socket, (message) => {
    if (message.type !== "chat") return;
    send({ type: "thinking", status: "Retrieving memories...", timestamp: CASS_TIME });
    send({ type: "thinking", status: "Generating response (Claude)...", timestamp: CASS_TIME });
    // Nothing at its end is white space, which a client would take away.
    send(cassResponse(`${TEXTS[answered++ % TEXTS.length]?.slice(0, -1)}.`));
  });
  send({
    type: "connected",
    message: "Cass vessel connected",
    sdk_mode: true,
    user_id: null,
    timestamp: CASS_TIME,
  });
}

const CASS_TIME = "2026-01-28T10:00:00.964498";

/** With every field that the newest server sends. */
const cassResponse = (text: string): unknown => ({
  type: "response",
  text,
  animations: [{ index: 0, type: "gesture", name: "wave", intensity: 1, delay: 0 }],
  raw: `${text} <gesture:wave>`,
  tool_uses: [],
  conversation_id: "550e8400-e29b-41d4-a716-446655440000",
  audio: null,
  audio_format: null,
  input_tokens: 1_500,
  output_tokens: 150,
  cache_read_tokens: 0,
  timestamp: CASS_TIME,
  provider: "anthropic",
  model: "claude-haiku-4-5-20251001",
  self_observations: [],
  user_observations: [],
  marks: [],
  holds: null,
  notes: null,
  intentions: null,
  stakes: null,
  tests: null,
  narrations: null,
  milestones: null,
});

const ROOT_AGENT = 0;

const FINISHED = {
  type: "Finished",
  agent_id: ROOT_AGENT,
  usage: { output_tokens: 1, context_tokens: 1, cache_creation_tokens: 0, cache_read_tokens: 0 },
};

const codeyChunk = (agent_id: number, content: string): unknown => ({ type: "TextDelta", agent_id, content });

/** As long as an id that a client makes. */
const SOME_ID = "prompt-0123456789abcdef0123456789abcdef";

function onMessage(socket: WebSocket, handle: (message: Message) => void): void {
  socket.on("message", (data: Buffer) => handle(JSON.parse(data.toString())));
}
