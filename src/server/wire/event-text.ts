// Events of a log as one text, read as fast as its reader takes it.

import type { RelaySettings } from "../options.ts";
import type { WirePosition } from "./position.ts";

const PAGE = 500;

/** The events of a chat behind a position, up to the head that was found. */
export interface EventRange extends WirePosition {
  readonly head: number;
}

export interface EventTextHost {
  readonly settings: Pick<RelaySettings, "log">;
  failed(what: string, error: unknown): void;
}

/** What stands before, between and behind the JSON of the events. */
export type TextForm = readonly [begin: string, between: string, end: string];

/** Breaks off if the log has lost the events meanwhile, or cannot be read: nobody takes the text for the whole. */
export function eventText(
  { settings: { log }, failed }: EventTextHost,
  chat: string,
  { log: id, at, head }: EventRange,
  [begin, between, end]: TextForm,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let before = begin;
  const next = async (): Promise<string> => {
    const batches = at < head ? await log.page(chat, at, PAGE) : [];
    const events = batches.flatMap((batch) => batch.events).slice(0, head - at);
    if (at < head && (events.length === 0 || batches.some((batch) => batch.log !== id)))
      throw new Error("the chat was removed");
    at += events.length;
    const text = `${before}${events.map((event) => JSON.stringify(event)).join(between)}${at < head ? "" : end}`;
    before = between;
    return text;
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          controller.enqueue(encoder.encode(await next()));
        } catch (error) {
          failed("the log cannot be read to the end", error);
          throw error;
        }
        if (at >= head) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}
