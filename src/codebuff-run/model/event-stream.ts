// Reads server-sent events from an HTTP response.
import { unreachable } from "../../core/http/answer.ts";
import { CodebuffRunError } from "../errors.ts";
import type { OpenedResponse } from "../http.ts";
import { MAX_EVENT, SseByteReader } from "./sse.ts";
import type { Watch } from "./watch.ts";

/** Yields the events' data. @throws CodebuffRunError `network`; after the first byte `stream_interrupted` */
export async function* eventsOf(
  { response, reading }: OpenedResponse,
  watch: Watch,
  began: () => void,
): AsyncGenerator<readonly string[], void> {
  let hasBegun = false;
  const lost = (cause: unknown): never => {
    throw brokenOff(hasBegun ? "stream_interrupted" : "network", cause, reading.redact);
  };
  const reader = response.body?.getReader();
  let found: string[] = [];
  const sse = new SseByteReader((data) => found.push(data));
  const take = (): readonly string[] => {
    const taken = found;
    found = [];
    return taken;
  };
  const cancel = (): void => void reader?.cancel?.().catch(() => {}); // the connection may have ended already
  try {
    if (reader) {
      for (;;) {
        const { done, value } = await watch.wait(reader.read().catch(lost));
        if (done) break;
        watch.touch();
        hasBegun = true;
        began();
        if (value) sse.push(value);
        if (sse.isTooLong) throw tooLong();
        if (sse.isDone) cancel(); // at once: the turn's reader may be slow
        if (found.length > 0) yield take();
        if (sse.isDone) return;
      }
    } else {
      hasBegun = true; // `arrayBuffer` does not show the first byte
      began();
      sse.push(new Uint8Array(await watch.wait(response.arrayBuffer().catch(lost))));
    }
    sse.end();
    if (sse.isTooLong) throw tooLong();
    if (found.length > 0) yield take();
  } finally {
    cancel();
  }
}

function tooLong(): CodebuffRunError {
  const message = `an event of the stream is longer than ${MAX_EVENT} characters`;
  return new CodebuffRunError({ kind: "protocol_error", message });
}

export function brokenOff(
  kind: "network" | "stream_interrupted",
  thrown: unknown,
  redact: (text: string) => string,
): CodebuffRunError {
  const message = "the model's answer broke off";
  return new CodebuffRunError({ kind, message, cause: unreachable(message, thrown, redact).cause });
}

/** Parses an event's data; `undefined` if it is not JSON. The parser's error would quote the data. */
export function parsedData(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
