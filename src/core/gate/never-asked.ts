import { describe } from "../checks.ts";
import { InvalidInputError } from "../errors.ts";

/** Characters of an unknown id that an error quotes: real ones are shorter. */
const QUOTED = 100;

/** A reply to what was never asked. */
export function neverAsked(id: unknown): InvalidInputError {
  const asked = typeof id === "string" ? JSON.stringify(id.slice(0, QUOTED)) : describe(id);
  return new InvalidInputError(
    `nothing was asked with the id ${asked}.`,
    "Pass the `id` of a call or question from `client.pending` or an event.",
  );
}
