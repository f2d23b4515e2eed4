// Knowledge files (`AGENTS.md`, `CLAUDE.md`, `knowledge.md`): of one folder, and beside the files that an agent reads.
import { fieldsOf } from "../../../core/checks.ts";
import { KNOWLEDGE_FILES } from "../../project.ts";
import type { Door } from "../door/door.ts";
import { joinPath } from "../door/paths.ts";
import { Refusal } from "../door/refusal.ts";
import { readableText } from "../files/read-files.ts";

/** Bytes of one knowledge file. A larger one is no instruction. */
const MAX_KNOWLEDGE = 262_144;
/** Entries of a folder. A larger folder is not searched. */
const MAX_ENTRIES = 10_000;

/** The knowledge files of a folder, by path. Empty if it cannot be read. */
export async function knowledgeIn(door: Door, folder: string): Promise<Readonly<Record<string, string>>> {
  try {
    const entries = await door.readFolder(folder, { maxEntries: MAX_ENTRIES });
    const paths = entries
      .filter(({ name, kind }) => kind === "file" && KNOWLEDGE_FILES.has(name.toLowerCase()))
      .map(({ name }) => joinPath(folder, name));
    const found = await Promise.all(
      paths.map(async (path) => [path, await readableText(door, path, MAX_KNOWLEDGE)] as const),
    );
    return Object.fromEntries(found.flatMap(([path, text]) => (text === null ? [] : [[path, text]])));
  } catch (error) {
    if (error instanceof Refusal) return {};
    throw error;
  }
}

/** What an agent reads beside a knowledge file. */
const NOTE = "Text of the project about the files beside it.";

/** Tells the knowledge files above the files that an agent reads, each folder once. The root's are in the prompt. */
export class BesideFiles {
  readonly #told = new Set<string>([""]);

  /** Adds what was not told yet to a result of `read_files`. */
  async addTo(result: object, door: Door): Promise<object> {
    const files: readonly unknown[] = Array.isArray(result) ? result : [];
    const paths = files.flatMap((file) => {
      const { path, content } = fieldsOf(file);
      return typeof path === "string" && typeof content === "string" ? resolved(door, path) : [];
    });
    const folders = new Set(paths.flatMap(foldersOf).filter((folder) => !this.#told.has(folder)));
    const more: object[] = [];
    for (const folder of folders) {
      this.#told.add(folder);
      for (const [path, content] of Object.entries(await knowledgeIn(door, folder)))
        if (!paths.includes(path)) more.push({ path, content, note: NOTE });
    }
    return more.length === 0 ? result : [...files, ...more];
  }
}

function resolved(door: Door, path: string): readonly string[] {
  try {
    return [door.resolve(path, "read")];
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}

/** `a/b` and `a` of `a/b/c.ts`, the outermost first. */
function foldersOf(path: string): readonly string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}
