import type { AgentSource } from "agentwire/universal";

/** Somebody behind the entrance. */
export interface Session {
  /** The name of the backend. */
  readonly backend: string;
  sourceOf(chat: string): AgentSource;
  /** The email of the account. Absent without one. */
  readonly user?: string;
}
