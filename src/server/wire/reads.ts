// Answers the reading requests: the event stream, JSON lines, the snapshot, and the head.
import { deferred } from "../../core/deferred.ts";
import { readSnapshot } from "../drive/history.ts";
import type { LogHead } from "../event-log.ts";
import type { RelayAction, RelaySettings } from "../options.ts";
import type { Channel } from "../view/channel.ts";
import { eventAt } from "../view/event-at.ts";
import type { Viewer, ViewerOptions } from "../view/viewer.ts";
import { type AnswerHeaders, answer, jsonAnswer, unavailable, WireRefusal } from "./answers.ts";
import { eventText } from "./event-text.ts";
import { parsePosition, type WirePosition, writePosition } from "./position.ts";

export interface ReadHost {
  readonly settings: RelaySettings;
  channel(id: string): Channel;
  tidy(channel: Channel): void;
  background(work: Promise<unknown>): void;
  failed(what: string, error: unknown): void;
  /** Returns the user's name. @throws WireRefusal, and what answers the request instead */
  authorize(request: Request, chat: string, action: RelayAction): Promise<string>;
}

/** How long a position that is ahead of the log may wait for the log, in ms: a copy of the log may be late. */
const AHEAD_WAIT = 2_000;

export class ReadRequests {
  readonly #host: ReadHost;
  #viewers = 0;

  constructor(host: ReadHost) {
    this.#host = host;
  }

  async head(request: Request, chat: string): Promise<Response> {
    await this.#host.authorize(request, chat, "read");
    const head = await this.#host.settings.log.head(chat);
    if (!head) return answer(404, null);
    return answer(200, null, headOf(head));
  }

  async snapshot(request: Request, chat: string): Promise<Response> {
    await this.#host.authorize(request, chat, "read");
    const { log } = this.#host.settings;
    const [head, snapshot] = [await log.head(chat), readSnapshot(await log.get(chat, "snapshot"))];
    if (!head || !snapshot) return answer(204, null);
    const position = writePosition(head.log, snapshot.position);
    const tag = { ETag: `"${position}"` };
    if (request.headers.get("if-none-match") === tag.ETag) return answer(304, null, tag);
    return jsonAnswer(200, { position, saved: snapshot.saved }, tag);
  }

  async events(request: Request, chat: string, url: URL): Promise<Response> {
    const position = parsePosition(request.headers.get("last-event-id"), url.searchParams.getAll("after"));
    const isLines =
      url.searchParams.get("live") === "no" ||
      /application\/x-ndjson/i.test(request.headers.get("accept") ?? "");
    await this.#host.authorize(request, chat, "read");
    if (isLines) return this.#lines(request, chat, position);
    const stream = await this.open(request, chat, position);
    return answer(200, stream, { "Content-Type": "text/event-stream", "X-Accel-Buffering": "no" });
  }

  /** Opens a stream of frames. Each frame is one chunk. */
  async open(
    request: Request,
    chat: string,
    position: WirePosition | undefined,
    options?: ViewerOptions,
  ): Promise<Viewer["stream"]> {
    const { maxViewers, maxAllViewers } = this.#host.settings;
    const channel = this.#host.channel(chat);
    channel.guests++;
    try {
      await channel.look();
      const head = await this.checked(chat, position, seenIn(request));
      if (channel.viewers.size >= maxViewers || this.#viewers >= maxAllViewers)
        throw unavailable("too-many-viewers", "This server has as many viewers as it can have. Try again.");
      if (head && channel.tail.log !== head.log) await channel.look(); // made anew meanwhile
      const mayStay = (): Promise<boolean> => this.#mayStay(request, chat);
      const viewer = channel.add(position?.at ?? 0, mayStay, () => void this.#viewers--, options);
      this.#viewers++;
      const leave = (): void => viewer.end();
      if (request.signal.aborted) leave();
      else request.signal.addEventListener("abort", leave, { once: true });
      return viewer.stream;
    } finally {
      channel.guests--;
      this.#host.tidy(channel);
    }
  }

  async #mayStay(request: Request, chat: string): Promise<boolean> {
    try {
      await this.#host.authorize(request, chat, "read");
      return true;
    } catch (error) {
      // A server that cannot ask keeps its viewers. Who is refused is refused again when coming back.
      return error instanceof WireRefusal && error.status === 503;
    }
  }

  /**
   * Whether the log can go on behind a position.
   * @param seen the mark of the event at the position, if the viewer sends one
   * @throws WireRefusal `other-log`, `ahead`, `trimmed`
   */
  async checked(
    chat: string,
    position: WirePosition | undefined,
    seen: string | null,
  ): Promise<LogHead | undefined> {
    const { log } = this.#host.settings;
    let head = await log.head(chat);
    if (position) {
      if (head && head.log === position.log && position.at > head.head)
        head = await this.#wait(chat, position.at);
      if (head?.log !== position.log)
        throw new WireRefusal(412, "other-log", "The position belongs to another log. Read from the start.", {
          log: head?.log ?? null,
        });
      if (position.at > head.head)
        throw new WireRefusal(
          409,
          "ahead",
          "The position is behind the end of the log. Read from the start.",
          {
            head: writePosition(head.log, head.head),
          },
        );
      await this.#assertSeen(chat, position, seen);
    }
    if (!head || (position?.at ?? 0) >= head.first - 1) return head;
    const snapshot = readSnapshot(await log.get(chat, "snapshot"));
    throw new WireRefusal(410, "trimmed", "The next events are no longer kept. Begin with the snapshot.", {
      first: writePosition(head.log, head.first),
      snapshot: snapshot ? writePosition(head.log, snapshot.position) : null,
    });
  }

  /** A log that has lost its end may have other events by now where a viewer has read. @throws WireRefusal */
  async #assertSeen(chat: string, { log, at }: WirePosition, seen: string | null): Promise<void> {
    if (seen === null || at === 0) return;
    const kept = await eventAt(this.#host.settings.log, chat, log, at);
    if (typeof kept === "string" || kept.mark === seen) return; // the position is checked too
    throw new WireRefusal(412, "other-log", "The log has lost what was read. Read from the start.", { log });
  }

  /** Waits until the log has a position, for a while. */
  async #wait(chat: string, at: number): Promise<LogHead | undefined> {
    const { log, clock } = this.#host.settings;
    let isLate = false;
    let news = deferred<void>();
    const cancel = clock.setTimeout(() => {
      isLate = true;
      news.resolve();
    }, AHEAD_WAIT);
    const off = log.watch(chat, () => news.resolve());
    try {
      for (;;) {
        const head = await log.head(chat);
        if (isLate || !head || head.head >= at) return head;
        await news.promise;
        news = deferred();
      }
    } finally {
      cancel();
      off();
    }
  }

  /** The events up to the head, one per line. */
  async #lines(request: Request, chat: string, position: WirePosition | undefined): Promise<Response> {
    const head = await this.checked(chat, position, seenIn(request));
    const at = position?.at ?? 0;
    const hasEvents = head !== undefined && at < head.head;
    const body = hasEvents ? eventText(this.#host, chat, { ...head, at }, ["", "\n", "\n"]) : "";
    const headers = { "Content-Type": "application/x-ndjson", "X-Accel-Buffering": "no" };
    return answer(200, body, head ? { ...headers, ...headOf(head) } : headers);
  }
}

function headOf({ log, head }: LogHead): AnswerHeaders {
  return { "Relay-Head": writePosition(log, head), "Relay-Log": log };
}

/** The mark of the last event that the viewer has seen. */
function seenIn(request: Request): string | null {
  return request.headers.get("relay-seen");
}
