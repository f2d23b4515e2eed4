// One open event stream: frames as fast as its reader takes them.
import type { Clock } from "../../core/clock.ts";
import type { RelayLimits } from "../limits.ts";
import { BEAT, type EventFrame, RETRY } from "./frames.ts";
import type { ChannelTail } from "./tail.ts";

export interface ViewerHost {
  readonly tail: Pick<ChannelTail, "after" | "head">;
  readonly limits: Pick<RelayLimits, "viewerStall" | "streamLife" | "heartbeat" | "reauthorize">;
  readonly clock: Pick<Clock, "now" | "random">;
  /** Grows with each change of the state. */
  readonly stateVersion: number;
  stateFrame(): Uint8Array;
  /** The frames after a position, from the log. Empty: none. Rejects if the viewer must come back. */
  read(position: number): Promise<readonly EventFrame[]>;
  left(viewer: Viewer): void;
}

/** Makes a frame of another protocol of a frame. `head`: the position of the newest event. Undefined: there is none. */
export type Translate = (bytes: Uint8Array, head: number) => Uint8Array | undefined;

export interface ViewerOptions {
  /** In ms, below the limit `streamLife`. @default Infinity */
  readonly maxLife?: number;
  /** The reader then gets no frames `reset` and `gone`: its next request tells. */
  readonly translate?: Translate;
}

/** Where a viewer's frames go. */
interface ViewerOutlet {
  /** Whether it takes a frame at once. If not, `viewer.free()` follows. */
  isFree(): boolean;
  send(bytes: Uint8Array): void;
  end(): void;
  /** Cuts the connection. */
  fail(reason: unknown): void;
}

const viewers = new WeakMap<ReadableStream<Uint8Array>, Viewer>();

/** The viewer behind the body of an answer. A server that has its socket sends the frames there, without the stream. */
export function viewerOf(body: ReadableStream<Uint8Array>): Viewer | undefined {
  return body.locked ? undefined : viewers.get(body);
}

/**
 * One open event stream. It keeps no frame beside what the socket keeps. Behind the newest event it sends the state,
 * then waits for `wake`.
 */
export class Viewer {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #host: ViewerHost;
  /** Asks `authorize` again. */
  readonly #mayStay: () => Promise<boolean>;
  readonly #translate: Translate | undefined;
  readonly #endsAt: number;
  #outlet: ViewerOutlet | undefined;
  #position: number;
  /** Frames of the last page of the log. */
  #backlog: readonly EventFrame[] = [];
  #backlogAt = 0;
  #isReading = false;
  #hasBegun = false;
  #stateSeen = -1;
  #isBeatDue = false;
  #sentAt: number;
  #askedAt: number;
  /** Since when the reader has not taken what waits for it. */
  #fullSince: number | undefined;

  constructor(
    host: ViewerHost,
    position: number,
    mayStay: () => Promise<boolean>,
    { maxLife = Infinity, translate }: ViewerOptions = {},
  ) {
    const { clock, limits } = host;
    const now = clock.now();
    this.#host = host;
    this.#mayStay = mayStay;
    this.#translate = translate;
    this.#position = position;
    this.#sentAt = now;
    this.#askedAt = now;
    // Streams that began together end apart, or all viewers would come back at once.
    this.#endsAt = now + Math.min(limits.streamLife, maxLife) * (0.8 + 0.2 * clock.random());
    let isAsked = false;
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#outlet = {
            isFree: () => isAsked,
            send: (bytes) => {
              isAsked = false;
              controller.enqueue(bytes);
            },
            end: () => controller.close(),
            fail: (reason) => controller.error(reason),
          };
        },
        pull: () => {
          isAsked = true;
          this.free();
        },
        cancel: () => void this.#leave(),
      },
      { highWaterMark: 0 },
    );
    viewers.set(this.stream, this);
  }

  /** Sends the frames elsewhere than to the stream, which nobody has read. */
  sendTo(outlet: ViewerOutlet): void {
    const isOpen = this.#outlet !== undefined;
    this.#outlet = isOpen ? outlet : undefined;
    if (isOpen) this.free();
    else outlet.end();
  }

  /** The reader takes a frame again. */
  free(): void {
    this.#fullSince = undefined;
    this.wake();
  }

  /** Sends what there is, as far as the reader takes it. */
  wake(): void {
    for (let outlet = this.#outlet; outlet; outlet = this.#outlet) {
      if (!outlet.isFree()) {
        this.#fullSince ??= this.#host.clock.now();
        return;
      }
      const bytes = this.#next();
      if (!bytes) return;
      this.#isBeatDue = false;
      const frame = this.#translate ? this.#translate(bytes, this.#host.tail.head) : bytes;
      if (frame) outlet.send(frame);
    }
  }

  /** Called every few seconds. */
  tick(now: number): void {
    const { viewerStall, heartbeat, reauthorize } = this.#host.limits;
    if (this.#fullSince !== undefined && now - this.#fullSince >= viewerStall)
      this.fail(new Error("the viewer reads nothing"));
    else if (now >= this.#endsAt) this.end();
    else if (now - this.#askedAt >= reauthorize) void this.#ask(now);
    if (now - this.#sentAt < (heartbeat * 2) / 3) return;
    this.#sentAt = now;
    this.#isBeatDue = true;
    this.wake();
  }

  /** Ends the stream, with a last frame. */
  end(last?: Uint8Array): void {
    const outlet = this.#leave();
    if (last && !this.#translate) outlet?.send(last);
    outlet?.end();
  }

  /** Cuts the stream. The reader sees a broken connection. */
  fail(reason: unknown): void {
    this.#leave()?.fail(reason);
  }

  #next(): Uint8Array | undefined {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      return RETRY;
    }
    const frame = this.#backlog[this.#backlogAt++];
    if (frame) return this.#sent(frame);
    this.#backlog = [];
    if (this.#isReading) return undefined;
    const next = this.#host.tail.after(this.#position);
    if (next === "log") {
      void this.#read();
      return undefined;
    }
    if (next) return this.#sent(next);
    if (this.#stateSeen !== this.#host.stateVersion) {
      this.#stateSeen = this.#host.stateVersion;
      return this.#host.stateFrame();
    }
    return this.#isBeatDue ? BEAT : undefined;
  }

  #sent({ last, bytes }: EventFrame): Uint8Array {
    this.#position = last;
    this.#sentAt = this.#host.clock.now();
    return bytes;
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      this.#backlog = await this.#host.read(this.#position);
      this.#backlogAt = 0;
    } catch (error) {
      this.fail(error);
    }
    this.#isReading = false;
    if (this.#backlog.length > 0) this.wake();
  }

  async #ask(now: number): Promise<void> {
    this.#askedAt = now;
    if (!(await this.#mayStay())) this.end();
  }

  /** Returns the outlet, unless the stream has ended. */
  #leave(): ViewerOutlet | undefined {
    const outlet = this.#outlet;
    this.#outlet = undefined;
    if (outlet) this.#host.left(this);
    return outlet;
  }
}
