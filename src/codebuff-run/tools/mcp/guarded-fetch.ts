// A `fetch` for the MCP package: limits message sizes, and fails calls whose stream broke off.
import { isObject } from "../../../core/checks.ts";

/** Bytes of one message. The largest image in a result has 5 MiB. */
const MAX_MESSAGE = 16 * 1_048_576;

const EMPTY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/** Limits each message. Fails a call whose stream ended early: the package would wait forever. */
export function guardedFetch(
  fetch: typeof globalThis.fetch,
  lost: () => void,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const response = await fetch(url, init);
    const { body, status, statusText, headers } = response;
    if (!body || EMPTY.has(status)) return response;
    const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
    const isGet = (init?.method ?? "GET") === "GET";
    const id = isStream ? idIn(init?.body) : undefined;
    const guarded = guard(body, isStream, id, () => {
      if (isGet && isStream) lost();
    });
    return new Response(guarded, { status, statusText, headers });
  };
}

function idIn(body: unknown): string | number | undefined {
  if (typeof body !== "string") return undefined;
  const message: unknown = JSON.parse(body); // JSON from the package
  if (!isObject(message) || typeof message["method"] !== "string") return undefined;
  const { id } = message;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

/** An error as the call's answer. After a real answer, the package ignores the error. */
function errorEvent(id: string | number, message: string): Uint8Array {
  const data = JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_000, message } });
  return new TextEncoder().encode(`\n\ndata: ${data}\n\n`);
}

function guard(
  body: ReadableStream<Uint8Array>,
  isStream: boolean,
  id: string | number | undefined,
  ended: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const sizeOf = messageSizes(isStream);
  const end = (controller: ReadableStreamDefaultController<Uint8Array>, failure?: Error): void => {
    if (id !== undefined) {
      const why = failure ? `: ${failure.message}` : "";
      controller.enqueue(errorEvent(id, `the connection ended before the answer${why}`));
    }
    if (failure && id === undefined) controller.error(failure);
    else controller.close();
    ended();
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return end(controller);
        if (sizeOf(value) <= MAX_MESSAGE) return controller.enqueue(value);
        await reader.cancel();
        end(controller, new Error(`an answer is longer than ${MAX_MESSAGE} bytes`));
      } catch (error) {
        end(controller, error instanceof Error ? error : new Error(String(error)));
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Returns the size of the largest message in a piece, with its earlier pieces. An empty line ends an event. */
function messageSizes(isStream: boolean): (piece: Uint8Array) => number {
  let bytes = 0;
  let lineIsEmpty = true;
  return (piece) => {
    if (!isStream) {
      bytes += piece.length;
      return bytes;
    }
    let most = 0;
    for (const byte of piece) {
      bytes++;
      if (byte === 0x0a) {
        if (bytes > most) most = bytes;
        if (lineIsEmpty) bytes = 0;
        lineIsEmpty = true;
      } else if (byte !== 0x0d) lineIsEmpty = false;
    }
    return Math.max(most, bytes);
  };
}
