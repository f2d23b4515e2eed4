import type { AnyAgentClient } from "../../../src/core/client/any-client.ts";
import type { PendingRequest } from "../../../src/core/values.ts";
import type { AgentSource, UniversalOptions, UniversalStream } from "../../../src/universal/stream.ts";

/** A source that counts the clients and the listeners that its chats leave behind. */
export class WatchedSource<Client extends AnyAgentClient> implements AgentSource<Client> {
  readonly name: string;
  readonly clients: Client[] = [];
  /** Listeners of clients and of streams. */
  listeners = 0;
  readonly #inner: AgentSource<Client>;

  constructor(inner: AgentSource<Client>) {
    this.#inner = inner;
    this.name = inner.name;
  }

  /** All requests that are open at the clients. */
  get pending(): readonly PendingRequest[] {
    return this.clients.flatMap(({ pending }) => pending);
  }

  client(): Client {
    const client = this.#inner.client();
    this.clients.push(client);
    this.#watch(client);
    return client;
  }

  toUniversal(
    of: Parameters<AgentSource<Client>["toUniversal"]>[0],
    options?: UniversalOptions,
  ): UniversalStream {
    const stream = this.#inner.toUniversal(of, options);
    this.#watch(stream);
    return stream;
  }

  #watch(emitter: object): void {
    const on: unknown = Reflect.get(emitter, "on");
    if (typeof on !== "function") throw new Error("there is nothing to listen to");
    const counted = (...values: unknown[]): (() => void) => {
      const off: unknown = Reflect.apply(on, emitter, values);
      this.listeners++;
      let isOn = true;
      return () => {
        if (isOn) this.listeners--;
        isOn = false;
        if (typeof off === "function") off();
      };
    };
    Object.defineProperty(emitter, "on", { value: counted });
  }
}
