import type { Visibility } from "../events.ts";

export interface NormaliserOptions {
  readonly sessionId: string;
  /** ms since the epoch. */
  readonly wallTime: () => number;
  /** @default false */
  readonly includeRaw?: boolean;
  /** @default false */
  readonly eagerStart?: boolean;
  /** @default "public" */
  readonly reasoningVisibility?: Visibility;
  /** What `session.started` says besides the protocol. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}
