/** An app that speaks the protocol itself, over `new WebSocket(...)`. It connects for the first question after each loss. */
export class RawChat {
  #session: Promise<Session> | undefined;

  /** Resolves with the answer; rejects with the server's words, or when the link breaks. */
  async ask(question: string): Promise<string> {
    this.#session ??= Session.open();
    const session = await this.#session;
    try {
      return await session.prompt(question);
    } catch (error) {
      if (!session.isOpen) this.#session = undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    (await this.#session)?.close();
  }
}

/** What the server sends, as far as this app cares. */
interface Message {
  readonly type: string;
  readonly data?: { readonly type: string; readonly chunk?: string; readonly message?: string };
}

/** One identified socket, one question at a time. */
class Session {
  readonly #socket: WebSocket;
  #txid = 0;
  #heard: (message: Message) => void = () => {};
  #lost: (error: Error) => void = () => {};

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#heard(JSON.parse(data)));
    socket.addEventListener("close", ({ code }) => this.#lost(new Error(`the link broke (${code})`)));
  }

  static open(): Promise<Session> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket("wss://agent.example/ws");
      const session = new Session(socket);
      session.#lost = reject;
      session.#heard = ({ type }) => {
        if (type === "ack") resolve(session);
      };
      socket.addEventListener("open", () => session.#send({ type: "identify", clientSessionId: "raw-chat" }));
    });
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  prompt(prompt: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let text = "";
      this.#lost = reject;
      this.#heard = ({ data }) => {
        if (data?.type === "response-chunk") text += data.chunk;
        if (data?.type === "prompt-response") resolve(text);
        if (data?.type === "prompt-error") reject(new Error(data.message));
      };
      const settings = { fingerprintId: "raw-chat", sessionState: {}, toolResults: [], costMode: "normal" };
      const data = { type: "prompt", promptId: `raw-chat-${Math.random()}`, prompt, ...settings };
      this.#send({ type: "action", data });
    });
  }

  close(): void {
    this.#socket.close(1000);
  }

  #send(message: object): void {
    this.#socket.send(JSON.stringify({ ...message, txid: this.#txid++ }));
  }
}
