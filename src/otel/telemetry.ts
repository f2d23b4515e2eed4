// What the spans of one client share, and the state of an open span.
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

/** The span of a turn, a sub-agent or a tool call. */
export interface OpenSpan {
  readonly span: Span;
  /** The parent of the spans inside. */
  readonly context: Context;
  /** The texts and calls of an agent, for `content`. */
  readonly parts: MessagePart[];
  /** When the open approval was requested, in ms since the epoch. */
  askedAt?: number;
  /** When the result of a call was begun, in ms since the epoch. A denied call has a result too, but has not run. */
  resultAt?: number;
}

/** What is known about a turn before its end. */
export interface TurnFacts {
  /** The start, in ms since the epoch. */
  readonly at: number;
  /** The requested model. */
  readonly model: string | undefined;
  /** Seconds until the first chunk. */
  firstChunk?: number;
  /** The type of the last error, and the sequence of its event. */
  error?: readonly [type: string, sequence: number];
}

/** `at`: ms since the epoch. */
export function secondsSince(at: number): number {
  return (Date.now() - at) / 1_000;
}
