// Opens the folder for a search.
import type { Door, OpenFolder } from "../door/door.ts";
import { Refusal } from "../door/refusal.ts";

export type SearchFolder =
  | { readonly folder: OpenFolder; readonly problem?: undefined }
  | { readonly folder?: undefined; readonly problem: string };

export async function openSearchFolder(door: Door, cwd: string | undefined): Promise<SearchFolder> {
  try {
    return {
      folder: await door.openFolder(door.resolve(cwd === undefined || cwd === "" ? "." : cwd, "read")),
    };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const isOutside = error.reason === "outside";
    return { problem: isOutside ? `Path '${cwd}' is outside the project directory.` : error.message };
  }
}
