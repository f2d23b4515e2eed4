// Answers readers of Durable Streams, in its JSON mode: a chat is a stream, an event is a message.
import { type AnswerHeaders, answer, WireRefusal } from "./answers.ts";
import { durableFrames, nextCursor, readEventFrame } from "./durable-frames.ts";
import { type EventRange, eventText } from "./event-text.ts";
import { parsePosition, type WirePosition, writeOffset } from "./position.ts";
import type { ReadHost, ReadRequests } from "./reads.ts";

/** Of a stream, in ms. Short, so that new readers can share the stream of a cache. */
const STREAM_LIFE = 60_000;
/** Of a long-poll without news, in ms. It has no sign of life, so it ends below the idle limits of proxies. */
const POLL_LIFE = 20_000;
const END: AnswerHeaders = { "Stream-Up-To-Date": "true" };

export class DurableReads {
  readonly #host: ReadHost;
  readonly #reads: ReadRequests;

  constructor(host: ReadHost, reads: ReadRequests) {
    this.#host = host;
    this.#reads = reads;
  }

  async read(request: Request, chat: string, { searchParams }: URL): Promise<Response> {
    const live = searchParams.get("live");
    const offset = request.method === "HEAD" ? "now" : readOffset(searchParams.getAll("offset"), live);
    await this.#host.authorize(request, chat, "read");
    const start = await this.#start(chat, offset);
    if (request.method === "HEAD") return answer(200, null, headersOf(start.log, start.head));
    if (live === null) return this.#events(request, chat, start, offset !== "now");
    const cursor = nextCursor(searchParams.get("cursor"), this.#host.settings.clock);
    if (live === "long-poll") {
      const poll = this.#poll(request, chat, start, { "Stream-Cursor": cursor });
      this.#host.background(poll);
      return poll;
    }
    const options = { maxLife: STREAM_LIFE, translate: durableFrames(start, cursor) };
    const stream = await this.#reads.open(request, chat, start, options);
    return answer(200, stream, { "Content-Type": "text/event-stream", "X-Accel-Buffering": "no" });
  }

  async #start(chat: string, offset: WirePosition | "now" | undefined): Promise<EventRange> {
    const head = await this.#host.settings.log.head(chat);
    if (!head) throw new WireRefusal(404, "unknown-chat", "This chat does not exist.");
    if (offset === "now") return { ...head, at: head.head };
    const checked = await this.#reads.checked(chat, offset, null).catch((error: unknown) => {
      if (!(error instanceof WireRefusal)) throw error;
      // The protocol has one status for all positions behind which the log does not go on.
      throw new WireRefusal(410, error.code, error.message, error.fields);
    });
    return { ...head, ...checked, at: offset?.at ?? 0 };
  }

  /** All events up to the head. */
  #events(
    request: Request,
    chat: string,
    start: EventRange,
    hasTag: boolean,
    live?: AnswerHeaders,
  ): Response {
    const { log, at, head } = start;
    const tag = `"${log}.${at}-${head}"`;
    const headers = { ...headersOf(log, head), ...END, ...(hasTag ? { ETag: tag } : {}), ...live };
    if (hasTag && request.headers.get("if-none-match")?.includes(tag)) return answer(304, null, headers);
    return answer(200, eventText(this.#host, chat, start, ["[", ",", "]"]), headers);
  }

  async #poll(request: Request, chat: string, start: EventRange, live: AnswerHeaders): Promise<Response> {
    if (start.at < start.head) return this.#events(request, chat, start, true, live);
    const reader = (await this.#reads.open(request, chat, start, { maxLife: POLL_LIFE })).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || !value || readEventFrame(value)) break;
    }
    await reader.cancel();
    const now = await this.#start(chat, start);
    if (now.at < now.head) return this.#events(request, chat, now, true, live);
    return answer(204, null, { ...headersOf(now.log, now.at), ...END, ...live });
  }
}

function headersOf(log: string, at: number): AnswerHeaders {
  return {
    "Content-Type": "application/json",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Stream-Next-Offset": writeOffset(log, at),
  };
}

/** Undefined: from the start. @throws WireRefusal `invalid-input`, `invalid-position` */
function readOffset(offsets: readonly string[], live: string | null): WirePosition | "now" | undefined {
  if (live !== null && live !== "long-poll" && live !== "sse")
    throw new WireRefusal(400, "invalid-input", "`live` must be `long-poll` or `sse`.");
  if (live !== null && offsets.length === 0)
    throw new WireRefusal(400, "invalid-position", "A live read needs `offset`: -1, now, or a position.");
  const [offset] = offsets;
  if (offsets.length > 1 || (offset !== "now" && offset !== "-1")) return parsePosition(null, offsets);
  return offset === "now" ? offset : undefined;
}
