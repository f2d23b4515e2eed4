import { CodebuffClient, type CodebuffClientOptions } from "agentwire/codebuff";
import { FakeClient } from "./fake-client.ts";
import { FakeSocket } from "./fake-socket.ts";

export const TOKEN = "token-1234";

/** Messages of the server. */
export const say = {
  ack: (txid: unknown) => ({ type: "ack", txid, success: true }),
  /** What the original server, which knows no identify, answers to one. */
  unknown: (txid: unknown) => ({
    type: "ack",
    txid,
    success: false,
    error: "Unknown message type: identify",
  }),
  chunk: (turn: { readonly id: string }, chunk: string) => ({
    type: "action",
    data: { type: "response-chunk", userInputId: turn.id, chunk },
  }),
  calls: (turn: { readonly id: string }, toolName: string, input: object = {}, requestId = "r1") => ({
    type: "action",
    data: { type: "tool-call-request", userInputId: turn.id, requestId, toolName, input },
  }),
  response: (turn: { readonly id: string }) => ({
    type: "action",
    data: { type: "prompt-response", promptId: turn.id, sessionState: {}, toolCalls: [], toolResults: [] },
  }),
};

/** A client on a socket that says what the test says, at the very moment at which it says it. */
export class FakeCodebuff extends FakeClient<CodebuffClient> {
  readonly client: CodebuffClient;

  constructor(options: Partial<CodebuffClientOptions> = {}, make = () => new FakeSocket()) {
    super();
    this.client = new CodebuffClient({
      url: "ws://localhost/ws",
      clock: this.clock,
      keepalive: false,
      settleWindow: 0,
      authToken: TOKEN,
      createWebSocket: () => this.dialled(make()),
      ...options,
    });
  }

  /** What was sent on the present socket, in short: `identify`, `prompt`, `tool-call-response`. */
  get sent(): readonly string[] {
    return this.socket.sent
      .map((text): { type: string; data?: { type?: string } } => JSON.parse(text))
      .map(({ type, data }) => data?.type ?? type);
  }
}

/** A client of the original server, which is ready. */
export async function fakeOriginal(options: Partial<CodebuffClientOptions> = {}): Promise<FakeCodebuff> {
  const made = new FakeCodebuff(options);
  await made.open();
  made.says(say.unknown(0));
  await made.settle();
  if (made.client.status !== "ready") throw new Error(`the client is ${made.client.status}`);
  return made;
}

/** A turn that the original server works on. */
export async function fakeRunning(options: Partial<CodebuffClientOptions> = {}) {
  const made = await fakeOriginal(options);
  const turn = made.client.prompt("go");
  await made.settle();
  made.says(say.ack(1), say.chunk(turn, "let me see"));
  return { made, turn };
}
