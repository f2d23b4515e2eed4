// Who looks at the chats: chats over `remote`, and readers written from the wire alone.
import { setTimeout as sleep } from "node:timers/promises";
import { type Chat, createChat } from "agentwire/chat";
import { remote } from "agentwire/remote";
import type { AgentSource, UniversalEvent, UniversalStream } from "agentwire/universal";
import { eventMark } from "../../../src/universal/event-mark.ts";
import type { Dice } from "../dice.ts";
import { printOf, type Segment, type ViewerRecord } from "./history.ts";
import type { Wire } from "./wire.ts";

/** ms that a user thinks about a request, at most. */
const THINKING = 300;

/** ms after which a reader of the wire takes a silent stream for dead. */
const SILENCE = 3_000;

export interface ChatViewer {
  readonly name: string;
  readonly chat: Chat;
  readonly record: ViewerRecord;
}

/** Opens a chat whose user decides, answers and resumes, and notes all that the relay tells it. */
export function openViewer(wire: Wire, id: string, name: string, dice: Dice): ChatViewer {
  const record: ViewerRecord = { chat: id, name, segments: [newSegment(0)] };
  const source = remote({
    url: wire.url,
    chat: id,
    headers: { authorization: name },
    fetch: wire.fetchFor(id),
  });
  const chat = createChat(recorded(source, record));
  const waiting = new Set<string>();
  const later = (name: string, act: () => void): void => {
    if (waiting.has(name)) return;
    waiting.add(name);
    setTimeout(
      () => {
        waiting.delete(name);
        act();
      },
      dice.int(0, THINKING),
    ).unref();
  };
  const look = (): void => {
    const { pending, connection } = chat.getSnapshot();
    for (const { type, id } of pending)
      later(id, () => {
        if (type === "question") chat.answer(id, [["this"]]);
        else chat.decide(id, { decision: dice.chance(0.7) ? "once" : "reject" });
      });
    const how = dice.chance(0.5) ? "with-transcript" : "without-context";
    if (connection.contextLost)
      later("resume", () => {
        if (chat.getSnapshot().connection.contextLost) chat.resume(how);
      });
  };
  chat.subscribe(look);
  chat.connect();
  return { name, chat, record };
}

/** Leaves the chat. What it has seen until then is judged. */
export async function leave({ chat, record }: ChatViewer): Promise<void> {
  const last = record.segments.at(-1);
  if (last?.end === "open") last.end = "left";
  await chat.close();
}

export function newSegment(after: number): Segment {
  return { after, seen: [], end: "open" };
}

function atOf(position: string | undefined): number {
  return Number(/\.(\d+)$/.exec(position ?? "")?.[1] ?? Number.NaN);
}

/** The same source. Its events and resets are noted as the chat gets them. */
function recorded<Source extends AgentSource>(source: Source, record: ViewerRecord): AgentSource {
  const note = (event: UniversalEvent, position: string | undefined): void => {
    const at = atOf(position);
    const last = record.segments.at(-1);
    // The first event behind a snapshot says where the snapshot ends.
    if (last?.seen.length === 0 && record.segments.at(-2)?.end === "snapshot")
      record.segments[record.segments.length - 1] = newSegment(at - 1);
    record.segments.at(-1)?.seen.push({ at, print: printOf(event) });
  };
  return {
    name: source.name,
    ...(source.hasInbox ? { hasInbox: true } : {}),
    client: () => source.client(),
    toUniversal: (of, options) => {
      const stream: UniversalStream = source.toUniversal(of, options);
      return {
        get count() {
          return stream.count;
        },
        get ended() {
          return stream.ended;
        },
        ...(stream.caughtUp ? { caughtUp: stream.caughtUp } : {}),
        events: (replay) => stream.events(replay),
        on: (name, listener, listening) =>
          stream.on(
            name,
            (event, position) => {
              note(event, position);
              listener(event, position);
            },
            listening,
          ),
        onReset: (listener) =>
          stream.onReset?.((saved) => {
            endSegment(record, saved === undefined ? "reset" : "snapshot");
            listener(saved);
          }) ?? (() => {}),
        close: () => stream.close(),
        [Symbol.asyncIterator]: () => stream[Symbol.asyncIterator](),
      };
    },
  };
}

function endSegment(record: ViewerRecord, end: "reset" | "snapshot", after = 0): void {
  const last = record.segments.at(-1);
  if (last) last.end = end;
  record.segments.push(newSegment(after));
}

/** A reader of the wire: comes back with the last id after each loss. */
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
    else if (response.status < 500 && response.status !== 409)
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
