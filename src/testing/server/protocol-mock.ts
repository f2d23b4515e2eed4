// The base class of the mocks: connections, records, waits.
import { type AcceptedConnection, attachTo } from "./accepted-socket.ts";
import type { Journal } from "./journal.ts";
import type { PeerLink, SocketPeer } from "./link.ts";
import type { MockPeer } from "./peer.ts";
import type { ConnectionFrame, ServedConnection, ViolationRecord } from "./record.ts";

/** What is behind a mock. */
export interface MockHost<
  Connection extends ServedConnection,
  Kind extends string,
  Frame extends ConnectionFrame<Connection>,
  Where extends Connection | undefined,
> {
  readonly journal: Journal<Connection, Kind, Frame, Where>;
  readonly peers: readonly MockPeer[];
  accept(link: PeerLink): SocketPeer;
}

/** What every mock has, whatever its protocol: connections, a record, and promises of what will happen. */
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
   * Takes a connection: pass it to the `addEventListener("connection", ...)` of an msw WebSocket link, or call it
   * with any socket's server side, as `mock.accept({ client: socket })`. Bound to the mock.
   */
  readonly accept = (connection: AcceptedConnection): void => {
    attachTo(connection.client, (link) => {
      const peer = this.#host.accept(link);
      const protocols = [connection.info?.protocols ?? []].flat();
      if (protocols.length > 0) peer.blame({ kind: "subprotocol-requested", detail: protocols.join(", ") });
      return peer;
    });
  };

  /** All connections in the order of their arrival, closed ones too. */
  get connections(): readonly Connection[] {
    return this.#host.journal.connections;
  }

  /** Every text frame, both ways. */
  get frames(): readonly Frame[] {
    return this.#host.journal.frames;
  }

  /** Every mistake a client has made. */
  get violations(): readonly ViolationRecord<Where, Kind>[] {
    return this.#host.journal.violations;
  }

  /**
   * Resolves with the first value of `probe` that is not undefined, null or false. It is asked now, and
   * again whenever something happened: there is no polling. Rejects when `probe` throws, and when the
   * mock stops first.
   */
  waitFor<T>(probe: (mock: this) => T | undefined | false | null): Promise<T> {
    return this.#host.journal.until(() => probe(this));
  }

  /** The first connection on the first call, the second on the second, whether it is there already or not. */
  nextConnection(): Promise<Connection> {
    return this.#host.journal.next(this.connections);
  }

  /** Cuts every connection: the clients see 1006. */
  dropAll(): void {
    for (const connection of this.connections) connection.drop();
  }

  /** Closes every connection from the server's side. */
  closeAll(code?: number, reason?: string): void {
    for (const connection of this.connections) connection.close(code, reason);
  }

  /**
   * Ends everything: running answers, timers, connections, waits. Idempotent, and waits for no client.
   * @throws InvalidInputError for a name that does not exist in what a script gave: a step, or a switch
   */
  async stop(): Promise<void> {
    this.dropAll();
    // Some links report their end later only, when nobody may look any more.
    for (const peer of this.#host.peers) peer.ended(false);
    this.#host.journal.end(new Error("The mock server has stopped, so this cannot happen any more"));
    if (this.#host.journal.mistake) throw this.#host.journal.mistake;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
