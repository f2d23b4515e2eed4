// Connects a mock to a WebSocket from elsewhere, such as msw.
import { OPEN, type TestSocket } from "../socket.ts";
import type { PeerLink, SocketPeer } from "./link.ts";

/** The part that the mock uses of an msw `connection` event. */
export interface AcceptedConnection {
  readonly client: TestSocket;
  readonly info?: { readonly protocols?: string | readonly string[] | undefined };
}

/** A frame or the end, as it came from the client. */
type Arrival =
  | { readonly frame: string | Uint8Array | Blob }
  | { readonly code: number; readonly reason: string };

const CUT = 1006;

/** Connects a peer to a socket. Calls `accept` once the socket is open, and never if it does not open. */
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
  /** Arrivals not delivered to the peer yet: because of a pause, or because an earlier Blob is still being read. */
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

  /** The client never sees half a frame, so only drop. */
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

  /** msw delivers in a microtask, and loses undelivered messages when a socket is closed. */
  #afterSends(end: () => void): void {
    queueMicrotask(end);
  }

  /** Without a Blob, delivery is synchronous. So the peer gets frames together that arrive together. */
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
  throw new TypeError("The socket delivered a message that is neither text nor bytes");
}

/** `instanceof` fails here: in a simulated browser both come from another realm. */
function isArrayBuffer(data: unknown): data is ArrayBuffer {
  return /^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(data));
}

function isBlob(data: unknown): data is Blob {
  return typeof data === "object" && data !== null && "arrayBuffer" in data;
}
