// Streams of chunks, and `toUIMessageStream` for a route handler.
import type { UIMessageChunk } from "ai";
import { describe } from "../core/checks.ts";
import { InvalidInputError } from "../core/errors.ts";
import type { UniversalEvent } from "../universal/events.ts";
import { describeError } from "../universal/words/describe-error.ts";
import type { Chunk } from "./message.ts";
import { CUT_OFF } from "./refusals.ts";
import { TurnChunks } from "./turn-chunks.ts";

/** Makes a stream. `chunks` must not throw. @param onCancel must wake `chunks` if it waits */
export function streamOf(
  chunks: AsyncGenerator<Chunk, void, undefined>,
  onCancel: () => void = () => {},
): ReadableStream<UIMessageChunk> {
  return new ReadableStream<UIMessageChunk>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel() {
      onCancel();
      void chunks.return(); // not awaited: a foreign iterator may never wake
    },
  });
}

/** An error in words for the user. */
export function errorWords(error: unknown): string {
  const { title, detail } = describeError(error);
  return `${title}. ${detail}`;
}

/**
 * The first turn of a stream of universal events, as a stream for `createUIMessageStreamResponse`. Ends with the turn. It
 * does not end at an approval, and shows no request that the page could not answer: decide with `toolPolicy` or a
 * callback of the client. For approvals in the page, use `AgentwireChatTransport` in the route. Cancelling the stream ends
 * the iteration, not the turn. An error of the iteration becomes an `error` chunk.
 *
 * @throws InvalidInputError if `events` cannot be iterated
 */
export function toUIMessageStream(events: AsyncIterable<UniversalEvent>): ReadableStream<UIMessageChunk> {
  const value: unknown = events;
  if (typeof value !== "object" || value === null || !(Symbol.asyncIterator in value))
    throw new InvalidInputError(
      `the events are ${describe(value)}, which cannot be iterated.`,
      "Pass a stream: toUIMessageStream(source.toUniversal(turn)).",
    );
  const iterator = events[Symbol.asyncIterator]();
  const leave = (): void => {
    Promise.resolve(iterator.return?.()).catch(() => {}); // the reader has gone: nobody could be told
  };
  return streamOf(chunksOf(iterator, leave), leave);
}

async function* chunksOf(
  iterator: AsyncIterator<UniversalEvent>,
  leave: () => void,
): AsyncGenerator<Chunk, void, undefined> {
  const chunks = new TurnChunks();
  try {
    while (!chunks.isOver) {
      const { done, value } = await iterator.next();
      if (done) break;
      yield* chunks.push(value);
    }
    if (chunks.isOpen) yield* chunks.stop(CUT_OFF);
  } catch (error) {
    yield* chunks.stop(errorWords(error));
  }
  leave();
}
