import type { FetchResponse } from "../core/http/fetch.ts";
import { CodebuffRunError } from "./errors.ts";
import { MAX_EVENT, SseReader } from "./sse.ts";
import type { Watch } from "./watch.ts";

/** The end of a stream, by the convention of OpenAI's API. */
export const DONE = "[DONE]";

/**
 * The data of the events of a response: a list for each piece that the network brings. Ends behind `[DONE]`, or with the body. `began` is
 * called when bytes arrive.
 */
export async function* eventsOf(
  response: FetchResponse,
  watch: Watch,
  began: () => void,
): AsyncGenerator<readonly string[], void> {
  const reader = response.body?.getReader();
  let found: string[] = [];
  const sse = new SseReader((data) => found.push(data));
  const take = (): readonly string[] => {
    const taken = found;
    found = [];
    return taken;
  };
  try {
    if (reader) {
      for (;;) {
        const { done, value } = await watch.wait(reader.read());
        if (done) break;
        watch.touch();
        began();
        if (value) sse.push(value);
        if (sse.isTooLong) throw tooLong();
        if (found.length === 0) continue;
        const isLast = found.at(-1) === DONE;
        yield take();
        if (isLast) return;
      }
    } else sse.push(new Uint8Array(await watch.wait(response.arrayBuffer())));
    sse.end();
    if (sse.isTooLong) throw tooLong();
    if (found.length > 0) yield take();
  } finally {
    reader?.cancel?.().catch(() => {}); // the connection may have ended already
  }
}

function tooLong(): CodebuffRunError {
  const message = `an event of the stream is longer than ${MAX_EVENT} characters`;
  return new CodebuffRunError({ kind: "protocol_error", message });
}
