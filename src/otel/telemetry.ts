// What the spans of one client share, and the state of a turn's span.
import type { Context, Span, Tracer } from "@opentelemetry/api";
import type { MessagePart } from "./content.ts";
import type { Instruments } from "./instruments.ts";

export interface Telemetry {
  /** The name of the source. */
  readonly source: string;
  readonly tracer: Tracer;
  readonly instruments: Instruments;
  /** Whether texts are exported. */
  readonly content: boolean;
  /** Whether texts arrive in chunks. */
  readonly streams: boolean;
  /** Calls code of the SDK. Reports what the SDK throws. */
  readonly guard: (act: () => void) => void;
}

/** Where and when a prompt was made. */
export interface Prompted {
  readonly context: Context;
  /** ms since the epoch. */
  readonly at: number;
}

/** The span of a turn or of a sub-agent. */
export interface Invocation {
  readonly span: Span;
  /** The parent of the spans inside. */
  readonly context: Context;
  /** The texts and calls, for `content`. */
  readonly parts: MessagePart[];
}

/** The span of a turn. */
export interface TurnSpan extends Invocation {
  /** ms since the epoch. */
  readonly at: number;
  /** The requested model, if known. */
  readonly model: string | undefined;
  /** Seconds until the first chunk. */
  firstChunk: number | undefined;
  /** The last error, and the sequence of its event. */
  error: { readonly type: string; readonly sequence: number } | undefined;
}

/** Never negative: the machine's clock may be set back. */
export function secondsSince(at: number): number {
  return Math.max(0, Date.now() - at) / 1_000;
}
