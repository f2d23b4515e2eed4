// A WebSocket of package `ws` whose closing handshake the mock controls.
import { type RawData, WebSocket } from "ws";
import type { Cable } from "./cable.ts";
import type { PeerLink, SocketPeer } from "./link.ts";
import { halfFrame } from "./raw-frame.ts";

/** A server's WebSocket that passes a client's Close to the peer first. */
export class ServerSocket extends WebSocket {
  #peer: SocketPeer | undefined;
  #saidClose = false;

  attach(peer: SocketPeer): void {
    this.#peer = peer;
    this.on("message", (data, isBinary) => {
      peer.receive(isBinary ? bytesOf(data) : bytesOf(data).toString());
    });
    this.on("error", (error) => peer.blame({ kind: "malformed-frame", detail: error.message }));
    this.on("close", (code) => peer.ended(this.#saidClose && code !== 1006));
  }

  /** Closes from the server's side. */
  closeFirst(code: number, reason: string): void {
    this.#saidClose = true;
    super.close(code, reason);
  }

  /** `ws` calls this to answer a Close frame. It also calls it, with only a code, for an invalid WebSocket frame. */
  override close(code?: number, data?: string | Buffer): void {
    if (!this.#saidClose && this.#peer) {
      const malformed = code !== undefined && data === undefined;
      if (malformed && this.#peer.staysWhenMalformed) return;
      this.#peer.leave(code ?? 1005, String(data ?? ""));
      if (!this.#peer.repliesToClose) return;
    }
    this.#saidClose = true;
    super.close(code, data);
  }
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}

export function linkOverCable(socket: ServerSocket, cable: Cable, url?: string): PeerLink {
  return {
    url,
    send: (text) => socket.send(text),
    sendBytes: (bytes) => socket.send(bytes),
    close: (code, reason) => socket.closeFirst(code, reason),
    // "Soon" means after the earlier writes, so frames sent before still arrive.
    drop: () => cable.destroySoon(),
    dropMidFrame(text) {
      cable.write(halfFrame(text));
      cable.destroySoon();
    },
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    wire: cable,
  };
}
