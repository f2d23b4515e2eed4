// The grants of a chat: the tool calls that the user has allowed in advance.
import type { Grant } from "../core/values.ts";

/** A grant: later calls that the user has allowed. Belongs to the current client, and is never saved. */
export interface ChatGrant {
  /** The id for `chat.revoke`. Unique across all chats. */
  readonly id: string;
  /** The name of the tool. */
  readonly tool: string;
  /** What the grant covers, in words. The words quote the agent: print them with `reveal`. */
  readonly grant: string;
  /** When the grant ends. */
  readonly scope: "turn" | "session";
}

export const NO_APPROVALS: readonly ChatGrant[] = [];

/** Keeps the same list until the client's grants change. */
export class GrantList {
  #of: readonly Grant[] | undefined;
  #list = NO_APPROVALS;

  listFor(grants: readonly Grant[] = NO_APPROVALS): readonly ChatGrant[] {
    if (grants === this.#of) return this.#list;
    this.#of = grants;
    this.#list =
      grants.length === 0
        ? NO_APPROVALS
        : grants.map(({ id, tool, grant, scope }) => ({ id, tool, grant, scope }));
    return this.#list;
  }
}
