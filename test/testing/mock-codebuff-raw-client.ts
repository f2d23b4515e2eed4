import { exampleSessionState, type MockCodebuffServer } from "agentwire/testing";
import { WebSocket } from "ws";

/** A WebSocket without manners or opinions: sends what it is told, and hands out what comes, in order. */
export class RawClient implements Disposable {
  readonly received: string[] = [];
  /** How the connection ended, as the client saw it. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly socket: WebSocket;
  #read = 0;
  #wake: (() => void) | undefined;
  #over = false;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data) => {
      this.received.push(String(data));
      this.#wake?.();
    });
    this.closed = new Promise((resolve) => {
      socket.on("close", (code, reason) => {
        this.#over = true;
        this.#wake?.();
        resolve({ code, reason: String(reason) });
      });
    });
    socket.on("error", () => {});
  }

  static connect(url: string, protocols: string[] = []): Promise<RawClient> {
    const socket = new WebSocket(url, protocols);
    const client = new RawClient(socket);
    return new Promise((resolve, reject) => {
      socket.once("open", () => resolve(client));
      socket.once("error", reject);
    });
  }

  /** A connection that has identified itself, with txid 0. */
  static async identified(url: string, clientSessionId = "session-1"): Promise<RawClient> {
    const client = await RawClient.connect(url);
    client.send({ type: "identify", txid: 0, clientSessionId });
    await client.next();
    return client;
  }

  /** Text frames for strings, binary ones for bytes, JSON for the rest. */
  send(frame: string | Uint8Array | object): void {
    const raw = typeof frame === "string" || frame instanceof Uint8Array;
    this.socket.send(raw ? frame : JSON.stringify(frame));
  }

  prompt(txid: number, promptId: string, fields: object = {}): void {
    const data = { type: "prompt", promptId, prompt: "hi", fingerprintId: "fp", sessionState: {} };
    this.send({ type: "action", txid, data: { ...data, toolResults: [], costMode: "normal", ...fields } });
  }

  /** A prompt as the original server wants it: with the whole of a session state. */
  agentPrompt(txid: number, promptId: string, fields: object = {}): void {
    this.prompt(txid, promptId, { sessionState: exampleSessionState(), ...fields });
  }

  action(txid: number, data: object): void {
    this.send({ type: "action", txid, data });
  }

  /** The next frame that nobody has taken yet. */
  async next(): Promise<string> {
    for (;;) {
      const frame = this.received[this.#read];
      if (frame !== undefined) {
        this.#read++;
        return frame;
      }
      if (this.#over) throw new Error("The connection has ended");
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** The next `count` frames. */
  async take(count: number): Promise<string[]> {
    const frames: string[] = [];
    while (frames.length < count) frames.push(await this.next());
    return frames;
  }

  /** Frames until the prompt has a terminal message, which is the last of them. */
  async untilTerminal(promptId: string): Promise<string[]> {
    const frames: string[] = [];
    for (;;) {
      const frame = await this.next();
      frames.push(frame);
      const terminal = frame.includes('"prompt-response"') || frame.includes('"prompt-error"');
      if (terminal && frame.includes(`"${promptId}"`)) return frames;
    }
  }

  /** The data of the next action of this type; frames before it are skipped. */
  async nextAction(type: string): Promise<Readonly<Record<string, unknown>>> {
    for (;;) {
      const message = JSON.parse(await this.next());
      if (message.type === "action" && message.data.type === type) return message.data;
    }
  }

  /** The next ack of this txid; frames before it are skipped. */
  async ackOf(txid: number): Promise<Readonly<Record<string, unknown>>> {
    for (;;) {
      const message = JSON.parse(await this.next());
      if (message.type === "ack" && message.txid === txid) return message;
    }
  }

  /** Closes and waits for the end of it. */
  async close(code = 1000, reason = "bye"): Promise<void> {
    this.socket.close(code, reason);
    await this.closed;
  }

  [Symbol.dispose](): void {
    this.socket.terminate();
  }
}

/** The text of each response-chunk among some frames. */
export function chunksOf(frames: readonly string[]): unknown[] {
  return frames
    .filter((frame) => frame.includes('"response-chunk"'))
    .map((frame) => JSON.parse(frame).data.chunk);
}

/** What each frame is, in a word: an ack, a chunk with what it is, or the type of an action. */
export function kindsOf(frames: readonly string[]): string[] {
  return frames.map((frame) => {
    const { type, txid, success, data } = JSON.parse(frame);
    if (type === "ack") return `${success ? "ack" : "nack"} ${txid}`;
    if (data?.type !== "response-chunk") return data?.type ?? type;
    return typeof data.chunk === "string" ? JSON.stringify(data.chunk) : `event ${data.chunk.type}`;
  });
}

/** Proves that whatever the server had to say on other connections is out: they share one process. */
export async function roundTrip(server: MockCodebuffServer): Promise<void> {
  using client = await RawClient.identified(server.url, `round-trip-${server.connections.length}`);
  client.send({ type: "ping", txid: 1 });
  await client.next();
}
