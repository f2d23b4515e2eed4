// Streams one answer, frame by frame.
import type { CancelTimer } from "../../core/clock.ts";
import type { Backend } from "./backend.ts";
import { type ChunkHead, chunksOf } from "./chunks.ts";
import type { Exchange } from "./exchange.ts";
import { comment, dataBlock, Gzip, jsonText, pieces, withLineEnds } from "./framing.ts";
import type { BackendAnswer, BackendSse } from "./script.ts";

/** The error of a provider that fails in mid-stream. */
const IN_STREAM_ERROR = {
  error: { message: "Provider returned error", code: 502, type: null, param: null, metadata: {} },
};

const BROKEN_JSON = '{"id":"gen-broken","choices":[{"index":0,"delta":{"content":"cut';

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  connection: "keep-alive",
};

export class Stream {
  readonly #backend: Backend;
  readonly #exchange: Exchange;
  readonly #sse: BackendSse;
  readonly #gzip: Gzip | undefined;
  #heartbeat: CancelTimer = () => {};
  #last: Promise<void> = Promise.resolve();
  /** The number of `data:` blocks so far. */
  #frames = 0;

  constructor(backend: Backend, exchange: Exchange, sse: BackendSse) {
    this.#backend = backend;
    this.#exchange = exchange;
    this.#sse = sse;
    this.#gzip = sse.gzip ? new Gzip() : undefined;
  }

  /** @param comments whether to send comments; a direct provider sends none */
  async play(answer: BackendAnswer, head: ChunkHead, comments: boolean): Promise<void> {
    this.#exchange.begin(200, { ...HEADERS, ...(this.#gzip && { "content-encoding": "gzip" }) });
    if (answer.frames) await this.#playRaw(answer.frames, answer.gapMs ?? 0);
    else await this.#playChunks(answer, head, comments);
  }

  async #playRaw(frames: NonNullable<BackendAnswer["frames"]>, gapMs: number): Promise<void> {
    for (const [place, frame] of frames.entries()) {
      if (typeof frame !== "string" && !(frame instanceof Uint8Array)) {
        await this.#exchange.pass(frame);
        continue;
      }
      if (place > 0) await this.#exchange.delay(gapMs);
      const text = typeof frame === "string" ? frame : new TextDecoder().decode(frame);
      await this.#send(typeof frame === "string" ? Buffer.from(frame) : frame, text);
    }
    await this.#end();
  }

  async #playChunks(answer: BackendAnswer, head: ChunkHead, comments: boolean): Promise<void> {
    if (comments) await this.#comments();
    for (const item of chunksOf(answer, head, this.#sse)) {
      if (item.kind === "gate") await this.#exchange.pass(item.gate);
      else if ((await this.#frame(jsonText(item.json, this.#sse), answer.gapMs ?? 0)) === "over") return;
    }
    if (!this.#sse.noDone && (await this.#frame("[DONE]", answer.gapMs ?? 0)) === "over") return;
    if ((await this.#fault()) === "over") return;
    await this.#end();
  }

  async #comments(): Promise<void> {
    const { noConnected, heartbeatMs = 30_000 } = this.#sse;
    if (!noConnected) await this.#block(comment(`connected ${this.#backend.stamp()}`));
    if (heartbeatMs <= 0) return;
    this.#exchange.work.signal.addEventListener("abort", () => this.#heartbeat(), { once: true });
    const beat = () => {
      this.#heartbeat = this.#backend.clock.setTimeout(
        () => {
          beat();
          void this.#block(`${comment(`heartbeat ${this.#backend.stamp()}`)}\n`);
        },
        heartbeatMs,
        { unref: true },
      );
    };
    beat();
  }

  async #frame(data: string, gapMs: number): Promise<"over" | "goes on"> {
    if (!this.#exchange.open) return "over";
    if ((await this.#fault()) === "over") return "over";
    if (this.#frames > 0) await this.#exchange.delay(gapMs);
    await this.#block(dataBlock(data));
    this.#frames++;
    return this.#exchange.open ? "goes on" : "over";
  }

  /** Plays the fault that is set after this number of frames. */
  async #fault(): Promise<"over" | "goes on"> {
    const at = this.#frames;
    const { badJsonAfter, errorAfter, cutAfter, endAfter, stallAfter } = this.#sse;
    // Not counted as a frame: otherwise another fault at this number would be skipped.
    if (badJsonAfter === at) await this.#block(dataBlock(BROKEN_JSON));
    if (errorAfter === at) await this.#block(dataBlock(JSON.stringify(IN_STREAM_ERROR)));
    if (cutAfter === at) {
      await this.#settle();
      this.#exchange.cut();
    } else if (errorAfter === at || endAfter === at) await this.#end();
    else if (stallAfter === at) {
      await this.#settle();
      await this.#exchange.hang();
    } else return "goes on";
    return "over";
  }

  async #block(block: string): Promise<void> {
    await this.#send(Buffer.from(withLineEnds(block, this.#sse)), block);
  }

  /** Writes one frame at a time, because a heartbeat may fall due during a write. */
  #send(bytes: Uint8Array, frame: string): Promise<void> {
    this.#last = this.#last.then(() => this.#write(bytes, frame));
    return this.#last;
  }

  async #write(bytes: Uint8Array, frame: string): Promise<void> {
    const sent = this.#gzip ? await this.#gzip.add(bytes) : bytes;
    await this.#exchange.write(pieces(sent, this.#sse.chunkBytes), frame);
  }

  async #end(): Promise<void> {
    await this.#settle();
    if (this.#gzip) await this.#exchange.write([await this.#gzip.end()]);
    this.#exchange.end();
  }

  /** Stops the heartbeats, and waits for a heartbeat that is being written. */
  async #settle(): Promise<void> {
    this.#heartbeat();
    await this.#last;
  }
}
