// The data of server-sent events out of an HTTP response.
import { unreachable } from "../../core/http/answer.ts";
import { CodebuffRunError } from "../errors.ts";
import type { Opened } from "../http.ts";
import { MAX_EVENT, SseReader } from "./sse.ts";
import type { Watch } from "./watch.ts";

/**
 * The data of the events of a response: a list for each piece that the network brings. Ends behind `[DONE]`, or with the body. `began` is
 * called when bytes arrive.
 * @throws CodebuffRunError: `network` before the first byte, `stream_interrupted` behind it
 */
export async function* eventsOf(
  { response, reading }: Opened,
  watch: Watch,
  began: () => void,
): AsyncGenerator<readonly string[], void> {
  let hasBegun = false;
  const lost = (cause: unknown): never => {
    throw brokenOff(hasBegun ? "stream_interrupted" : "network", cause, reading.redact);
  };
  const reader = response.body?.getReader();
  let found: string[] = [];
  const sse = new SseReader((data) => found.push(data));
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
        if (sse.isDone) cancel(); // at once: the reader of the turn may be slow
        if (found.length > 0) yield take();
        if (sse.isDone) return;
      }
    } else {
      hasBegun = true; // the first byte cannot be seen
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

/** The error of an answer whose connection has ended too early. */
export function brokenOff(
  kind: "network" | "stream_interrupted",
  thrown: unknown,
  redact: (text: string) => string,
): CodebuffRunError {
  const message = "the model's answer broke off";
  return new CodebuffRunError({ kind, message, cause: unreachable(message, thrown, redact).cause });
}

/** The JSON of an event; `undefined` for data that is no JSON. The parser's own error would quote the data. */
export function parsedData(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
