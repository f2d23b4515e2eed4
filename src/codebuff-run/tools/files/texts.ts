import type { Door } from "../door/door.ts";
import { Refusal } from "../door/refusal.ts";
import { readExisting } from "./existing.ts";
import { MAX_READ } from "./read-files.ts";
import { readText } from "./text.ts";

/** Texts by path; `null` for a file that is not there, is no text, is too large, or must not be read. */
export async function textsOf(
  door: Door,
  paths: readonly string[],
): Promise<Readonly<Record<string, string | null>>> {
  const texts: [string, string | null][] = [];
  for (const path of paths) texts.push([path, await textOf(door, path)]); // one by one: a server may ask for many
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
