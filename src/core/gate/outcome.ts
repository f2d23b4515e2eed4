// What a decision means for a call, the text of a denial (`denialOf`), and what a client without requests needs.
import { describe } from "../checks.ts";
import { InvalidInputError } from "../errors.ts";
import type { DecidedBy, Grant, Ruling, TurnToolCall } from "../values.ts";

/** The grants of a client that was not asked for anything. */
export const NO_GRANTS: readonly Grant[] = [];

/** Applies a decision to the waiting call. */
export function decideCall(call: TurnToolCall, { decision, by, reason }: Ruling): TurnToolCall {
  if (decision !== "reject") return { ...call, state: "approved" };
  const deniedBy = isUsersWord(by) ? "user" : "policy";
  return { ...call, state: "denied", deniedBy, ...(reason === undefined ? {} : { reason }) };
}

/** Marks an approved call as running, for servers that do not report the start. */
export function inferStart(call: TurnToolCall): TurnToolCall {
  return { ...call, state: "running", startInferred: true };
}

/** Whether the user made the decision, now or by a grant. */
export function isUsersWord(by: DecidedBy): boolean {
  return by === "callback" || by === "reply" || by === "session";
}

/** How many settled requests a second reply can find. Older ids are unknown, and never reused. */
export const REMEMBERED = 256;

/** The maximum length of a quoted unknown id. Real ids are shorter. */
const QUOTED = 100;

/** An id in an error. */
export function quotedId(id: unknown): string {
  return typeof id === "string" ? JSON.stringify(id.slice(0, QUOTED)) : describe(id);
}

/** The error for an unknown id: it names no request, or one that was settled too long ago. */
export function neverAsked(id: unknown): InvalidInputError {
  return new InvalidInputError(
    `nothing was asked with the id ${quotedId(id)}.`,
    `Pass the \`id\` of a call or question from \`client.pending\` or an event. A client remembers its last ${REMEMBERED} outcomes.`,
  );
}

/** The text of a denial, for the agent. */
export function denialOf(isUsers: boolean, why: string | undefined): string {
  const denied = isUsers ? "denied by the user" : "denied";
  if (why === undefined) return denied;
  return /^denied\b/i.test(why) ? why : `${denied}: ${why}`;
}
