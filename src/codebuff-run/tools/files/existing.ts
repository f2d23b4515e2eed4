// Reads the file before an edit, or finds that there is none.
import type { Door, FileRead } from "../door/door.ts";
import { Refusal } from "../door/refusal.ts";

/** Reads a file; `undefined`: there is none. @throws Refusal for all else */
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
