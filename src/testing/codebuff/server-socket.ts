import { type RawData, WebSocket } from "ws";
import type { Cable } from "./cable.ts";
import { halfFrame } from "./half-frame.ts";
import type { PeerLink } from "./link.ts";
import type { CodebuffPeer } from "./peer.ts";

/** A WebSocket of the server whose client's Close goes to the peer first. */
export class ServerSocket extends WebSocket {
  #onClose: ((code: number, reason: string) => boolean) | undefined;
  #saidClose = false;

  attach(peer: CodebuffPeer, closeReply: boolean): void {
    this.#onClose = (code, reason) => {
      peer.leave(code, reason);
      return closeReply;
    };
    this.on("message", (data, isBinary) => {
      peer.receive(isBinary ? bytesOf(data) : bytesOf(data).toString());
    });
    this.on("error", (error) => peer.blame({ kind: "malformed-frame", detail: error.message }));
    this.on("close", (code) => peer.ended(this.#saidClose && code !== 1006));
  }

  /** Closes from this side. */
  closeFirst(code: number, reason: string): void {
    this.#saidClose = true;
    super.close(code, reason);
  }

  /** `ws` calls this to answer a Close frame. */
  override close(code?: number, data?: string | Buffer): void {
    if (!this.#saidClose && this.#onClose && !this.#onClose(code ?? 1005, String(data ?? ""))) return;
    this.#saidClose = true;
    super.close(code, data);
  }
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}

export function linkOverCable(socket: ServerSocket, cable: Cable): PeerLink {
  return {
    send: (text) => socket.send(text),
    close: (code, reason) => socket.closeFirst(code, reason),
    // "Soon" is after the writes before it, so that frames sent just now still arrive.
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
