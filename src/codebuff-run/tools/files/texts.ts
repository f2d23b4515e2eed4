// Texts by path, for a server that requests files.
import type { Door } from "../door/door.ts";
import { Refusal } from "../door/refusal.ts";
import { readExisting } from "./existing.ts";
import { MAX_READ, MAX_TOTAL } from "./read-files.ts";
import { readText } from "./text.ts";

/** Reads each file once. `null`: missing, not text, over the limit of all files, or blocked. */
export async function textsOf(
  door: Door,
  paths: readonly string[],
): Promise<Readonly<Record<string, string | null>>> {
  const texts = new Map<string, string | null>();
  let left = MAX_TOTAL;
  // One by one: a server may request many.
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
