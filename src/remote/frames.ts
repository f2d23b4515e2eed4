// Reads the frames of a relay's stream (server-sent events) from bytes.
import { parseJson } from "../core/text.ts";
import { isUniversalEvent } from "../universal/check/shape.ts";
import type { UniversalEvent } from "../universal/events.ts";
import { type Position, type RelayState, readPosition, readState } from "./wire.ts";

/** Characters of one frame: twice an event of the largest size. Bounds the memory. */
const MAX_FRAME = 32 * 1_048_576;

export type RelayFrame =
  /** `last`: the position of the last event. */
  | { readonly type: "events"; readonly events: readonly UniversalEvent[]; readonly last: Position }
  | { readonly type: "state"; readonly state: RelayState }
  | { readonly type: "reset" | "gone" }
  /** A frame that cannot be read. Those before it are good. */
  | { readonly type: "damaged"; readonly problem: string };

/** Returns a reader of bytes in any pieces. A frame counts only when its empty line has arrived. */
export function frameReader(onFrame: (frame: RelayFrame) => void): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder();
  let fields: Partial<Record<string, string>> = {};
  let size = 0;
  let rest = "";
  return (bytes) => {
    const [first = "", ...others] = decoder.decode(bytes, { stream: true }).split("\n");
    const lines = [rest + first, ...others]; // searches only the new text: a frame may come in many pieces
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const text = line.endsWith("\r") ? line.slice(0, -1) : line;
      size += text.length;
      if (text !== "") addField(fields, text);
      else {
        const frame = frameOf(fields);
        if (frame) onFrame(frame);
        fields = {};
        size = 0;
      }
    }
    if (size + rest.length > MAX_FRAME) onFrame({ type: "damaged", problem: "a frame is too long" });
  };
}

/** Reads a line of a frame: a field with its value, or a comment, whose name is empty. */
function addField(fields: Partial<Record<string, string>>, line: string): void {
  const colon = line.indexOf(":");
  const name = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
  const before = fields[name];
  fields[name] = name === "data" && before !== undefined ? `${before}\n${value}` : value;
}

/** Undefined for a frame of a newer relay. */
function frameOf({ event: type, data = "", id }: Partial<Record<string, string>>): RelayFrame | undefined {
  if (type === "reset" || type === "gone") return { type };
  if (type !== "events" && type !== "state") return undefined;
  try {
    const value: unknown = parseJson(data);
    if (type === "state") {
      const state = readState(value);
      if (state) return { type, state };
    } else {
      const last = readPosition(id);
      if (last && Array.isArray(value) && value.length > 0 && value.every(isUniversalEvent))
        return { type, events: value, last };
    }
  } catch {
    // no JSON
  }
  return { type: "damaged", problem: `the frame \`${type}\` behind \`${id ?? "?"}\` has a wrong form` };
}
