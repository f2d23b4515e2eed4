// A real relay over a source, on a port of this machine.
import { once } from "node:events";
import { createServer } from "node:http";
import { createRelay, type EventLog, memoryLog, type Relay, type RelayOptions } from "agentwire/server";
import { relayListener } from "agentwire/server/node";
import type { AgentSource, UniversalEvent } from "agentwire/universal";

/** The chat that a `Viewer` views. */
export const CHAT = "c 1";

export class RealRelay implements AsyncDisposable {
  readonly log: EventLog;
  readonly relay: Relay;
  readonly #server: ReturnType<typeof createServer>;
  #url = "";

  private constructor(source: AgentSource, options: Partial<RelayOptions>) {
    this.log = options.log ?? memoryLog();
    this.relay = createRelay({
      source: () => source,
      log: this.log,
      authorize: () => ({ user: "user_1" }),
      maxCommands: 10_000,
      ...options,
    });
    this.#server = createServer(relayListener(this.relay.handler));
  }

  static async start(source: AgentSource, options: Partial<RelayOptions> = {}): Promise<RealRelay> {
    const made = new RealRelay(source, options);
    made.#server.listen(0, "127.0.0.1");
    await once(made.#server, "listening");
    const address = made.#server.address();
    if (typeof address !== "object" || address === null) throw new Error("no port");
    made.#url = `http://127.0.0.1:${address.port}/chats`;
    return made;
  }

  /** The address of its chats, for `remote`. */
  get url(): string {
    return this.#url;
  }

  /** What the log has of the chat. */
  async events(chat = CHAT): Promise<readonly UniversalEvent[]> {
    const batches = await this.log.page(chat, 0, 1_000_000);
    return batches.flatMap(({ events }) => events);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.relay.close({ drain: 0 });
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}
