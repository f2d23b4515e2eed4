import { CodebuffClient, type CodebuffClientOptions, isAgentwireError } from "agentwire/codebuff";

/** What the app under test shows its user. */
export interface Screen {
  /** More of an answer. */
  text(text: string): void;
  /** Something the user should know. */
  notice(text: string): void;
}

/** An app that talks to an agent at an address of its own, which its tests cannot change. */
export class Assistant implements AsyncDisposable {
  readonly #client: CodebuffClient;
  readonly #screen: Screen;

  /** `options` are for tests: a clock, for one. */
  constructor(screen: Screen, options: Partial<CodebuffClientOptions> = {}) {
    this.#screen = screen;
    this.#client = new CodebuffClient({
      url: "wss://agent.example/ws",
      // In a browser this is the default; on Node it is `ws`, which does not go through the global.
      WebSocket: globalThis.WebSocket,
      ...options,
    });
    this.#client.on("disconnected", () => screen.notice("offline"));
    this.#client.on("reconnected", () => screen.notice("online again"));
  }

  /** Asks, and shows the answer as it comes; whatever goes wrong becomes a notice. */
  async ask(question: string): Promise<void> {
    try {
      for await (const text of this.#client.prompt(question).textStream) this.#screen.text(text);
    } catch (error) {
      if (isAgentwireError(error, "turn-failed"))
        this.#screen.notice(`The agent says: ${error.serverMessage}`);
      else if (isAgentwireError(error, "connection-lost")) this.#screen.notice("The answer was cut off.");
      else if (isAgentwireError(error, "turn-timeout")) this.#screen.notice("The agent is silent.");
      else throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close({ force: true });
  }
}
