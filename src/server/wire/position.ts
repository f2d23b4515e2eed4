// Positions on the wire: the id of the log and the number of the event.
import { WireRefusal } from "./answers.ts";

export interface WirePosition {
  readonly log: string;
  readonly at: number;
}

export function writePosition(log: string, at: number): string {
  return `${log}.${at}`;
}

/** The position as an offset of Durable Streams: sorted as texts, offsets are in order. */
export function writeOffset(log: string, at: number): string {
  return `${log}.${String(at).padStart(15, "0")}`;
}

/** Ids of logs have 6 characters or more, so that a decimal number is no position. The number may have leading zeros. */
const POSITION = /^([\w-]{6,100})\.(\d{1,15})$/;

/**
 * The position after which a viewer reads: the header `Last-Event-ID`, or the parameter `after`. Undefined: from the
 * start.
 * @throws WireRefusal `invalid-position`
 */
export function parsePosition(
  header: string | null,
  parameters: readonly string[],
): WirePosition | undefined {
  if (header === null && parameters.length === 0) return undefined;
  const text = header ?? (parameters.length === 1 ? parameters[0] : undefined);
  const [, log, at] = POSITION.exec(text ?? "") ?? [];
  if (log !== undefined && at !== undefined) return { log, at: Number(at) };
  throw new WireRefusal(
    400,
    "invalid-position",
    "The position must be the id of a frame of this chat, such as `k3f9a2b1.417`, given once.",
  );
}
