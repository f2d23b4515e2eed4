// Lets a mock speak over a WebSocket that something else made, such as msw.
import { OPEN, type TestSocket } from "../socket.ts";
import type { PeerLink, SocketPeer } from "./link.ts";

/** What an msw link hands to its `connection` listeners, as far as the mock reads it. */
export interface AcceptedConnection {
  readonly client: TestSocket;
  readonly info?: { readonly protocols?: string | readonly string[] | undefined };
}

/** What came from the client. */
type Arrival =
  | { readonly frame: string | Uint8Array | Blob }
  | { readonly code: number; readonly reason: string };

const CUT = 1006;

/** Brings a peer and a socket together; `accept` is called once the socket is open, and never if it does not open. */
export function attachTo(socket: TestSocket, accept: (link: PeerLink) => SocketPeer): void {
  let link: SocketLink | undefined;
  const opened = (): SocketLink => {
    link ??= new SocketLink(socket, accept);
    return link;
  };
  socket.addEventListener("open", () => void opened());
  socket.addEventListener("message", ({ data }) => opened().arrive({ frame: frameOf(data) }));
  socket.addEventListener("close", ({ code, reason }) => link?.arrive({ code, reason }));
  if (socket.readyState === OPEN) opened();
}

class SocketLink implements PeerLink {
  readonly url: string | undefined;
  readonly #socket: TestSocket;
  readonly #peer: SocketPeer;
  /** What the peer has not been told yet: there is a pause, or a Blob in front of it is being read. */
  #line: Arrival[] = [];
  #delivering = false;
  #paused = false;

  constructor(socket: TestSocket, accept: (link: PeerLink) => SocketPeer) {
    this.url = socket.url?.toString();
    this.#socket = socket;
    this.#peer = accept(this);
  }

  send(text: string): void {
    this.#socket.send(text);
  }

  sendBytes(bytes: Uint8Array): void {
    this.#socket.send(bytes.slice().buffer);
  }

  close(code: number, reason: string): void {
    this.#afterSends(() => this.#socket.close(code, reason));
  }

  drop(): void {
    this.#afterSends(() => {
      if (this.#socket.terminate) this.#socket.terminate();
      else this.#socket.close(CUT, "");
    });
  }

  /** To the client, half a frame is none. */
  dropMidFrame(): void {
    this.drop();
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    void this.#deliver();
  }

  arrive(arrival: Arrival): void {
    this.#line.push(arrival);
    void this.#deliver();
  }

  /** msw delivers in a microtask of its own, and loses what it has not delivered when a socket is closed. */
  #afterSends(end: () => void): void {
    queueMicrotask(end);
  }

  /** Without a Blob this is done before it returns, so that the peer sees what arrives together as together. */
  async #deliver(): Promise<void> {
    if (this.#delivering || this.#paused) return;
    this.#delivering = true;
    let told = 0;
    for (const arrival of this.#line) {
      if (this.#paused) break;
      told++;
      if ("code" in arrival) this.#end(arrival.code, arrival.reason);
      else if (isBlob(arrival.frame)) this.#peer.receive(new Uint8Array(await arrival.frame.arrayBuffer()));
      else this.#peer.receive(arrival.frame);
    }
    this.#line = this.#line.slice(told);
    this.#delivering = false;
  }

  #end(code: number, reason: string): void {
    if (code !== CUT) this.#peer.leave(code, reason);
    this.#peer.ended(code !== CUT);
  }
}

function frameOf(data: unknown): string | Uint8Array | Blob {
  if (typeof data === "string" || isBlob(data)) return data;
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (isArrayBuffer(data)) return new Uint8Array(data);
  throw new TypeError("The socket hands over a message that is neither text nor bytes");
}

/** These two not by `instanceof`: in a simulated browser they come from another realm. */
function isArrayBuffer(data: unknown): data is ArrayBuffer {
  return /^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(data));
}

function isBlob(data: unknown): data is Blob {
  return typeof data === "object" && data !== null && "arrayBuffer" in data;
}
