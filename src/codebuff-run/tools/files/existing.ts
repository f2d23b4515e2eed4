// Reads a file before an edit, if it exists.
import type { Door, FileRead } from "../door/door.ts";
import { Refusal } from "../door/refusal.ts";

/** Reads a file; `undefined` if it does not exist. @throws Refusal for everything else */
export async function readExisting(
  door: Door,
  path: string,
  maxBytes: number,
): Promise<FileRead | undefined> {
  try {
    return await door.readFile(path, { maxBytes });
  } catch (error) {
    if (error instanceof Refusal && error.reason === "missing") return undefined;
    throw error;
  }
}
