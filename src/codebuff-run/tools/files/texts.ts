// Texts by path for a server that asks for files.
import type { Door } from "../door/door.ts";
import { Refusal } from "../door/refusal.ts";
import { readExisting } from "./existing.ts";
import { MAX_READ, MAX_TOTAL } from "./read-files.ts";
import { readText } from "./text.ts";

/** Texts by path, each read once; `null` for a file that is not there, is no text, is too large beside those before it, or must not be read. */
export async function textsOf(
  door: Door,
  paths: readonly string[],
): Promise<Readonly<Record<string, string | null>>> {
  const texts = new Map<string, string | null>();
  let left = MAX_TOTAL;
  // One by one: a server may ask for many.
  for (const path of new Set(paths)) {
    const text = await textOf(door, path);
    const fits = text !== null && text.length <= left;
    if (fits) left -= text.length;
    texts.set(path, fits ? text : null);
  }
  return Object.fromEntries(texts);
}

async function textOf(door: Door, path: string): Promise<string | null> {
  try {
    const file = await readExisting(door, door.resolve(path, "read"), MAX_READ);
    return (file && readText(file.bytes)?.raw) ?? null;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}
