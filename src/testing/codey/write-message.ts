// Writes a message in the server's JSON style.
import type { ServerMessage } from "./messages.ts";

/** A field that no published version of the protocol has. */
const EXTRA = '"x_later":{"added":"in a later version"}';

/** Writes a message as the server does: compact, the fields as they come, the keys within `params` in order. */
export function writeMessage(message: ServerMessage, extraFields: boolean): string {
  return write(message, extraFields ? EXTRA : "");
}

function write(value: unknown, extra: string): string {
  if (Array.isArray(value)) return `[${value.map((item) => write(item, extra)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => {
    const text = key === "params" ? writeSorted(member) : write(member, extra);
    return `${JSON.stringify(key)}:${text}`;
  });
  if (extra) members.push(extra);
  return `{${members.join(",")}}`;
}

/**
 * JSON with the keys of every object in the order of their code points. `JSON.stringify` alone cannot do it: it
 * writes keys that are numbers first.
 */
export function writeSorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeSorted).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [other]) => compareCodePoints(one, other))
    .map(([key, member]) => `${JSON.stringify(key)}:${writeSorted(member)}`);
  return `{${members.join(",")}}`;
}

/** Not `<` of strings, which compares halves of surrogate pairs. */
function compareCodePoints(one: string, other: string): number {
  const [ones, others] = [[...one], [...other]];
  for (const [index, character] of ones.entries()) {
    const rival = others[index];
    if (rival === undefined) return 1;
    if (character !== rival) return (character.codePointAt(0) ?? 0) - (rival.codePointAt(0) ?? 0);
  }
  return ones.length - others.length;
}
