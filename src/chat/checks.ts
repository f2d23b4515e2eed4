// Checks of what callers of a chat pass: ids of entries, and words.
import { describe } from "../core/checks.ts";
import { InvalidInputError } from "../core/errors.ts";

export function checkEntryId(id: unknown, list: "approvals" | "pending"): void {
  if (typeof id === "string") return;
  throw new InvalidInputError(`the id is ${describe(id)}.`, `Pass the id of an entry of \`${list}\`.`);
}

export function checkWord(word: unknown, ...words: readonly string[]): void {
  if (typeof word === "string" && words.includes(word)) return;
  const hint = `Pass one of ${words.map((known) => `"${known}"`).join(", ")}.`;
  throw new InvalidInputError(`the choice is ${describe(word)}.`, hint);
}
