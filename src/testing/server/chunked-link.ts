// Sends text frames in fragments, or joined.

import type { LinkWire, PeerLink } from "./link.ts";
import { FRAME, fragments, rawFrame } from "./raw-frame.ts";

/**
 * How text frames are sent. `fragmented`: each in three frames. `splitUtf8`: in frames cut within multi-byte
 * characters. `coalesced`: frames sent together arrive in one piece of bytes.
 */
export type Chunking = "whole" | "fragmented" | "splitUtf8" | "coalesced";

/** A link that cuts or joins text frames, by the current value of a switch. */
export class ChunkedLink implements PeerLink {
  readonly url: string | undefined;
  readonly #link: PeerLink;
  readonly #chunking: () => Chunking;
  readonly #withPort: string;
  #together: Uint8Array[] = [];

  /** @param withPort the name of the mock with sockets, for error messages of mocks without */
  constructor(link: PeerLink, chunking: () => Chunking, withPort: string) {
    this.url = link.url;
    this.#link = link;
    this.#chunking = chunking;
    this.#withPort = withPort;
  }

  get wire(): LinkWire | undefined {
    this.#flush();
    return this.#link.wire;
  }

  send(text: string): void {
    const chunking = this.#chunking();
    if (chunking === "whole") {
      this.#flush();
      this.#link.send(text);
      return;
    }
    if (!this.#link.wire) throw new Error(`\`chunking\` needs a socket: use \`${this.#withPort}.start()\``);
    if (chunking === "coalesced") this.#collect(rawFrame(FRAME.text, new TextEncoder().encode(text)));
    else for (const fragment of fragments(text, chunking)) this.wire?.write(fragment);
  }

  get sendBytes(): ((bytes: Uint8Array) => void) | undefined {
    this.#flush();
    return this.#link.sendBytes?.bind(this.#link);
  }

  close(code: number, reason: string): void {
    this.#flush();
    this.#link.close(code, reason);
  }

  drop(): void {
    this.#flush();
    this.#link.drop();
  }

  dropMidFrame(text: string): void {
    this.#flush();
    this.#link.dropMidFrame(text);
  }

  pause(): void {
    this.#flush();
    this.#link.pause?.();
  }

  resume(): void {
    this.#link.resume?.();
  }

  /** Joins all frames sent before the pending microtasks end. */
  #collect(frame: Uint8Array): void {
    this.#together.push(frame);
    if (this.#together.length === 1) queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    const frames = this.#together;
    if (frames.length === 0) return;
    this.#together = [];
    const bytes = new Uint8Array(frames.reduce((total, { length }) => total + length, 0));
    let at = 0;
    for (const frame of frames) {
      bytes.set(frame, at);
      at += frame.length;
    }
    this.#link.wire?.write(bytes);
  }
}
