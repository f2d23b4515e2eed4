import { readFile, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { listFiles } from "../support/list-files.ts";

/** What a link of a page can lead to. */
interface Targets {
  /** How many headings have a name, in lower case. */
  readonly headings: ReadonlyMap<string, number>;
  /** The ids of rows, by their names with dashes for underscores: as the links say them. */
  readonly rows: ReadonlyMap<string, string>;
}

/**
 * Mends links of the API reference in `folder`, as typedoc-plugin-markdown 4 writes them: to the second heading of a name that only one
 * has, and to rows whose names have an underscore.
 */
export async function mendApiLinks(folder: string): Promise<void> {
  const files = await listFiles(folder, (path) => path.endsWith(".md"));
  const texts = new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(join(folder, file), "utf8")] as const)),
  );
  const targets = new Map([...texts].map(([file, text]) => [file, targetsOf(text)]));
  for (const [file, text] of texts) {
    const mended = text.replace(/\]\(([\w./-]*)#([\w-]+)\)/g, (whole, path: string, anchor: string) => {
      const page = targets.get(path === "" ? file : posix.join(posix.dirname(file), path));
      const [, name = "", number = ""] = /^(.*)-(\d+)$/.exec(anchor) ?? [];
      const count = page?.headings.get(name) ?? 0;
      if (count > 0 && count <= Number(number)) return `](${path}#${name})`;
      const row = page?.rows.get(anchor);
      return row === undefined ? whole : `](${path}#${row})`;
    });
    if (mended !== text) await writeFile(join(folder, file), mended);
  }
}

function targetsOf(text: string): Targets {
  const headings = new Map<string, number>();
  for (const [, title = ""] of text.matchAll(/^#+ (\w+)(?:\(\))?$/gm)) {
    const name = title.toLowerCase();
    headings.set(name, (headings.get(name) ?? 0) + 1);
  }
  const ids = [...text.matchAll(/<a id="([\w-]+)">/g)].map(([, id = ""]) => id);
  return { headings, rows: new Map(ids.map((id) => [id.replaceAll("_", "-"), id])) };
}
