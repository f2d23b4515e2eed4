// The base class of the mocks: connections, records, waits.
import { type AcceptedConnection, attachTo } from "./accepted-socket.ts";
import type { Journal } from "./journal.ts";
import type { PeerLink, SocketPeer } from "./link.ts";
import type { MockPeer } from "./peer.ts";
import type { ConnectionFrame, ServedConnection, ViolationRecord } from "./record.ts";

/** The state behind a mock. */
interface MockHost<
  Connection extends ServedConnection,
  Kind extends string,
  Frame extends ConnectionFrame<Connection>,
  Where extends Connection | undefined,
> {
  readonly journal: Journal<Connection, Kind, Frame, Where>;
  readonly peers: readonly MockPeer[];
  accept(link: PeerLink): SocketPeer;
}

/** The base of all mocks, for any protocol: connections, records, and promises for what will happen. */
export abstract class ProtocolMock<
  Connection extends ServedConnection,
  Kind extends string,
  Frame extends ConnectionFrame<Connection> = ConnectionFrame<Connection>,
  Where extends Connection | undefined = Connection,
> implements AsyncDisposable
{
  readonly #host: MockHost<Connection, Kind, Frame, Where>;

  /** @internal */
  protected constructor(host: MockHost<Connection, Kind, Frame, Where>) {
    this.#host = host;
  }

  /**
   * Accepts a connection. Pass it to `addEventListener("connection", ...)` of an msw WebSocket link, or call it with
   * the server side of any socket: `mock.accept({ client: socket })`. Bound to the mock.
   */
  readonly accept = (connection: AcceptedConnection): void => {
    attachTo(connection.client, (link) => {
      const peer = this.#host.accept(link);
      const protocols = [connection.info?.protocols ?? []].flat();
      if (protocols.length > 0) peer.blame({ kind: "subprotocol-requested", detail: protocols.join(", ") });
      return peer;
    });
  };

  /** All connections in order of arrival, including closed ones. */
  get connections(): readonly Connection[] {
    return this.#host.journal.connections;
  }

  /** Every text frame in both directions. */
  get frames(): readonly Frame[] {
    return this.#host.journal.frames;
  }

  /** Every mistake of a client. */
  get violations(): readonly ViolationRecord<Where, Kind>[] {
    return this.#host.journal.violations;
  }

  /**
   * Resolves with the first value of `probe` that is not undefined, null or false. Calls `probe` now and after every
   * event, without polling. Rejects if `probe` throws, or if the mock stops.
   */
  waitFor<T>(probe: (mock: this) => T | undefined | false | null): Promise<T> {
    return this.#host.journal.until(() => probe(this));
  }

  /** Resolves with the next connection. The n-th call gets the n-th connection, past or future. */
  nextConnection(): Promise<Connection> {
    return this.#host.journal.next(this.connections);
  }

  /** Cuts every connection: the clients see 1006. */
  dropAll(): void {
    for (const connection of this.connections) connection.drop();
  }

  /** Closes every connection. */
  closeAll(code?: number, reason?: string): void {
    for (const connection of this.connections) connection.close(code, reason);
  }

  /**
   * Stops running answers, timers, connections and waits. Idempotent. It waits for no client.
   * @throws InvalidInputError if a script used an unknown step or switch
   */
  async stop(): Promise<void> {
    this.dropAll();
    // Some links report their end only after the mock has stopped, so end all peers now.
    for (const peer of this.#host.peers) peer.ended(false);
    this.#host.journal.end(new Error("The mock server has stopped, so this cannot happen any more"));
    if (this.#host.journal.mistake) throw this.#host.journal.mistake;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
