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
