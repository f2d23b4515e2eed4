import { describe } from "../checks.ts";
import { InvalidInputError } from "../errors.ts";

/** Characters of an unknown id that an error quotes: real ones are shorter. */
const QUOTED = 100;

function quoted(id: unknown): string {
  return typeof id === "string" ? JSON.stringify(id.slice(0, QUOTED)) : describe(id);
}

/** A question is no tool call, and a tool call no question. */
export function askedOtherwise(id: string, what: "a question" | "a tool call"): InvalidInputError {
  const takes = what === "a question" ? "client.answer" : "client.decide";
  return new InvalidInputError(`the id ${quoted(id)} names ${what}.`, `Pass it to \`${takes}\`.`);
}

/** A reply to what was never asked. */
export function neverAsked(id: unknown): InvalidInputError {
  return new InvalidInputError(
    `nothing was asked with the id ${quoted(id)}.`,
    "Pass the `id` of a call or question from `client.pending` or an event.",
  );
}
