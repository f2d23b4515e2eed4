import { type ConnectionLostError, PayloadTooLargeError, said } from "../errors.ts";
import { exceedsBytes, isTooDeep, parseFrame, TOO_DEEP, utf8Length } from "../text.ts";
import { tooLarge } from "./connection-errors.ts";
import type { ConnectionHost, Protocol } from "./connection-state.ts";

/** The error for a frame over `limit` bytes, which ends the link; `undefined` for a smaller frame. */
export function oversized(text: string, limit: number): ConnectionLostError | undefined {
  if (!exceedsBytes(text, limit)) return undefined;
  return tooLarge(limit, new PayloadTooLargeError("one frame", { bytes: utf8Length(text), limit }));
}

/** Parses one frame and passes it to the protocol. A frame that cannot be read or handled is a warning; the link lives on. */
export function readFrame(
  text: string,
  protocol: Pick<Protocol, "message" | "spoiled">,
  host: Pick<ConnectionHost, "warn">,
): void {
  let value: unknown;
  try {
    value = parseFrame(text);
  } catch {
    host.warn("unreadable-frame", "a frame that is not JSON", { raw: text });
    return;
  }
  try {
    if (isTooDeep(text)) throw new RangeError(TOO_DEEP);
    protocol.message(value, text);
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : said(cause);
    host.warn("frame-failed", `a frame cannot be handled: ${problem}`, { raw: text, cause });
    try {
      protocol.spoiled(value, problem, text);
    } catch (again) {
      const worse = `a frame that cannot be handled cannot be given up: ${said(again)}`;
      host.warn("frame-failed", worse, { raw: text, cause: again });
    }
  }
}
