// What is known of a chapter of the relay: what was asked and answered, what was seen, and what the log has.
import type { UniversalEvent } from "agentwire/universal";

/** A batch as the log keeps it, read from its tables and not by the relay. */
export interface KeptBatch {
  readonly first: number;
  readonly last: number;
  readonly epoch: number;
  readonly events: readonly UniversalEvent[];
}

/** A prompt or another command, with all of its answers. */
export interface Op {
  readonly chat: string;
  readonly key: string;
  readonly type: string;
  /** Of a prompt: the name of the answer that it asks for. */
  readonly asks: string;
  /** Of a withdrawal or a cancel: the key of a prompt, or the turn. */
  readonly target: string | { readonly session_id: string; readonly turn_id: string } | undefined;
  /** ms since the start, when it was first sent. */
  readonly begun: number;
  /** Each answer that has arrived: when, and its HTTP status. */
  readonly answers: { readonly at: number; readonly status: number }[];
  /** How often it was sent. */
  tries: number;
}

/** What a viewer has seen since it came, or since all before was void. */
export interface Segment {
  /** The position before the first event. Above 0 behind a snapshot. */
  readonly after: number;
  /** A print of each event, in order, with the position that the relay gave it. */
  readonly seen: { readonly at: number; readonly print: string }[];
  /** Why the next segment follows. `reset`: all is void. `snapshot`: the log no longer has the next event. */
  end: "open" | "reset" | "snapshot" | "left";
}

export interface ViewerRecord {
  readonly chat: string;
  readonly name: string;
  readonly segments: Segment[];
  /** What it shows at the end, as JSON. Undefined for a reader without a chat, and for one that has left. */
  messages?: string;
}

/** A prompt that an agent got, noted before its answer begins. */
export interface Run {
  readonly chat: string;
  /** The name of the answer. */
  readonly asks: string;
  readonly server: string;
  readonly at: number;
}

/** Something that was done to the servers, in ms since the start. */
export interface Fault {
  readonly kind: string;
  readonly from: number;
  to: number;
  /** Whether a turn may fail by it. */
  readonly endsTurns: boolean;
  /** Whether the log may lose what it has confirmed meanwhile. */
  readonly losesWrites: boolean;
  /** Whether the log may lose what others have read, even if it had not confirmed it. */
  readonly rollsBack: boolean;
}

export interface ChatRecord {
  readonly id: string;
  readonly batches: readonly KeptBatch[];
  /** When each position was first seen in the log, in ms since the start. */
  readonly seenAt: ReadonlyMap<number, number>;
}

export interface History {
  readonly chats: readonly ChatRecord[];
  readonly viewers: readonly ViewerRecord[];
  readonly ops: readonly Op[];
  readonly runs: readonly Run[];
  readonly faults: readonly Fault[];
  /** The answer with a name. */
  readonly expected: (asks: string) => { readonly text: string; readonly fails: boolean };
  /** Whether the log drops old events. */
  readonly trims: boolean;
}

/** Tells events apart, whatever the order of their fields. */
export function printOf(event: UniversalEvent): string {
  const json = JSON.stringify(event, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
  let hash = 0x811c9dc5; // FNV-1a
  for (let at = 0; at < json.length; at++) hash = Math.imul(hash ^ json.charCodeAt(at), 0x01000193);
  return `${event.session_id}/${event.sequence} ${event.type} ${(hash >>> 0).toString(36)}`;
}

export function newSegment(after: number): Segment {
  return { after, seen: [], end: "open" };
}

/** All that a viewer has seen so far is void. */
export function endSegment(record: ViewerRecord, end: "reset" | "snapshot", after = 0): void {
  const last = record.segments.at(-1);
  if (last) last.end = end;
  record.segments.push(newSegment(after));
}

/** The number in a position. */
export function atOf(position: string | undefined): number {
  return Number(/\.(\d+)$/.exec(position ?? "")?.[1] ?? Number.NaN);
}
