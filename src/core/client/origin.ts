import type { AnyAgentClient } from "./any-client.ts";

/** The key under which a turn or a conversation keeps its origin, for layers above the clients. A symbol: users do not see it. */
export const ORIGIN: unique symbol = Symbol.for("agentwire.origin");

/** The part of a client that layers above it listen to. */
export type OriginClient = Pick<AnyAgentClient, "status" | "capabilities" | "closedBy" | "on">;

/** Where a turn or a conversation comes from. */
export interface Origin {
  readonly client: OriginClient;
}

export interface TurnOrigin extends Origin {
  /** The caller's input. */
  readonly input: unknown;
  /** The conversation that made the turn. */
  readonly conversation: object | undefined;
}
