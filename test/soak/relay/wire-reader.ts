// A reader of the wire, written without the client: comes back with the last id after each loss.
import { setTimeout as sleep } from "node:timers/promises";
import type { UniversalEvent } from "agentwire/universal";
import { eventMark } from "../../../src/universal/event-mark.ts";
import { atOf, endSegment, newSegment, printOf, type ViewerRecord } from "./history.ts";
import type { Wire } from "./wire.ts";

/** ms after which it takes a silent stream for dead. */
const SILENCE = 3_000;

export class WireReader {
  readonly record: ViewerRecord;
  readonly #path: string;
  readonly #stop = new AbortController();
  #drop: AbortController | undefined;
  #id: string | undefined;
  /** The mark of the last event, which the relay compares with its log. */
  #mark: string | undefined;
  #wasAhead = false;
  #problem: string | undefined;
  readonly #over: Promise<void>;

  constructor(wire: Wire, chat: string, name: string) {
    this.#path = `${wire.url}/${encodeURIComponent(chat)}`;
    this.record = { chat, name, segments: [newSegment(0)] };
    this.#over = this.#run();
  }

  /** What the relay has said that it must not say. */
  get problem(): string | undefined {
    return this.#problem;
  }

  get head(): number {
    return this.record.segments.at(-1)?.seen.at(-1)?.at ?? this.record.segments.at(-1)?.after ?? 0;
  }

  /** Cuts its connection. */
  drop(): void {
    this.#drop?.abort();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#over;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#attempt().catch(() => {}); // a loss: it comes back
      await sleep(100);
    }
  }

  async #attempt(): Promise<void> {
    const drop = new AbortController();
    this.#drop = drop;
    const signal = AbortSignal.any([drop.signal, this.#stop.signal]);
    const headers = {
      authorization: this.record.name,
      ...(this.#id ? { "last-event-id": this.#id } : {}),
      ...(this.#mark ? { "relay-seen": this.#mark } : {}),
    };
    const response = await this.#get("/events", headers, signal);
    if (response.status === 200 && response.body) {
      this.#wasAhead = false;
      await this.#read(response.body, drop);
      return;
    }
    const text = await response.text();
    const isAgain = response.status === 409 && this.#wasAhead;
    this.#wasAhead = response.status === 409 && !isAgain;
    if (response.status === 412 || isAgain) this.#restart();
    else if (response.status === 410) await this.#snapshot(headers, signal);
    else if (response.status < 500 && response.status !== 409 && text !== "")
      // empty: the request was cut
      this.#problem = `GET /events: ${response.status} ${text}`;
  }

  async #get(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
    const late = AbortSignal.timeout(2 * SILENCE);
    const given = new AbortController();
    const stop = (): void => given.abort();
    late.addEventListener("abort", stop, { once: true });
    signal.addEventListener("abort", stop, { once: true });
    const response = await fetch(`${this.#path}${path}`, { headers, signal: given.signal });
    late.removeEventListener("abort", stop); // only for the answer's begin
    return response;
  }

  async #read(body: ReadableStream<Uint8Array>, drop: AbortController): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    let silent = setTimeout(() => drop.abort(), SILENCE);
    try {
      for await (const bytes of body) {
        clearTimeout(silent);
        silent = setTimeout(() => drop.abort(), SILENCE);
        const blocks = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
        rest = blocks.pop() ?? "";
        for (const block of blocks) if (!this.#frame(block)) return;
      }
    } finally {
      clearTimeout(silent);
    }
  }

  /** False: the stream is of no further use. */
  #frame(block: string): boolean {
    const fields = new Map<string, string>();
    for (const line of block.split("\n")) {
      const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      fields.set(name, value);
    }
    if (fields.get("event") === "reset") {
      this.#restart();
      return false;
    }
    if (fields.get("event") === "gone") this.#problem = "the relay says that the chat was removed";
    if (fields.get("event") !== "events") return true;
    const events = JSON.parse(fields.get("data") ?? "") as UniversalEvent[];
    this.#id = fields.get("id");
    const last = atOf(this.#id);
    const newest = events.at(-1);
    this.#mark = newest && eventMark(newest);
    for (const [index, event] of events.entries())
      this.record.segments.at(-1)?.seen.push({ at: last - events.length + 1 + index, print: printOf(event) });
    return true;
  }

  #restart(): void {
    this.#id = undefined;
    this.#mark = undefined;
    if (this.head > 0) endSegment(this.record, "reset");
  }

  async #snapshot(headers: Record<string, string>, signal: AbortSignal): Promise<void> {
    const response = await this.#get("/snapshot", headers, signal);
    if (response.status !== 200) return;
    const { position } = (await response.json()) as { position: string };
    this.#id = position;
    this.#mark = undefined;
    endSegment(this.record, "snapshot", atOf(position));
  }
}
