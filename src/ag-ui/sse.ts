// Encodes events as server-sent events, for the response of a route.
import { describe, isObject } from "../core/checks.ts";
import { InvalidInputError } from "../core/errors.ts";
import { checkIterable } from "./breakable.ts";
import type { AgUiEvent } from "./event.ts";

/** The headers of a response with {@link encodeSse}. */
export const AG_UI_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no", // nginx would hold the events back
};

/**
 * The body of a response: `new Response(encodeSse(agent.run(input)), { headers: AG_UI_HEADERS })`. Reads an event only
 * when the body is read. Cancelling the body breaks off the iteration. The body fails if the iteration throws, and with an
 * InvalidInputError if a value is no event or cannot be written as JSON.
 * @throws InvalidInputError for anything but an async iterable
 */
export function encodeSse(events: AsyncIterable<AgUiEvent>): ReadableStream<Uint8Array> {
  checkIterable(events, "the result of `agent.run(input)`");
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
          controller.enqueue(encoder.encode(`data: ${jsonOf(value)}\n\n`));
        } catch (error) {
          await iterator.return?.();
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

function jsonOf(event: AgUiEvent): string {
  if (!isObject(event)) throw new InvalidInputError(`an event is ${describe(event)}.`, HINT);
  try {
    return JSON.stringify(event);
  } catch (cause) {
    throw new InvalidInputError(`an event of the type ${event.type} cannot be written as JSON.`, HINT, {
      cause,
    });
  }
}

const HINT = "Pass events of AG-UI: plain objects without cycles and BigInts.";
