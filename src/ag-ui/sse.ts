// Encodes events as server-sent events, for the response of a route.
import type { AgUiEvent } from "./event.ts";

/** The headers of a response with {@link encodeSse}. */
export const AG_UI_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no", // nginx would hold the events back
};

/**
 * The body of a response: `new Response(encodeSse(agent.run(input)), { headers: AG_UI_HEADERS })`. Reads an event only
 * when the body is read. Cancelling the body breaks off the iteration. The body fails if the iteration throws.
 */
export function encodeSse(events: AsyncIterable<AgUiEvent>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = events[Symbol.asyncIterator]();
  let isCancelled = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (isCancelled) return;
        if (done) return controller.close();
        try {
          controller.enqueue(encoder.encode(`data: ${JSON.stringify(value)}\n\n`));
        } catch (error) {
          await iterator.return?.(); // a value of a backend that is no JSON
          throw error;
        }
      },
      async cancel() {
        isCancelled = true;
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
