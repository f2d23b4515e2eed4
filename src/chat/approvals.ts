// The grants of a chat: what the user has allowed beyond one call.
import type { Grant } from "../core/values.ts";

/** What the user has allowed beyond one call, of the client that the chat has now. It is never saved. */
export interface ChatGrant {
  /** Goes to `chat.revoke`. Unique over all chats. */
  readonly id: string;
  /** The name of the tool. */
  readonly tool: string;
  /** What it covers, in words. The words quote the agent: print them by `reveal`. */
  readonly grant: string;
  /** When it ends by itself. */
  readonly scope: "turn" | "session";
}

/** Nothing was allowed beyond its call. */
export const NO_APPROVALS: readonly ChatGrant[] = [];

/** The grants of a chat: the same list until the client's list changes. */
export class Approvals {
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
