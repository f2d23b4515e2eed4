import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { listFiles } from "../support/list-files.ts";

/** A link of a page that leads to no page of the site, or to no heading. */
export interface DeadLink {
  readonly page: string;
  readonly link: string;
}

/** The dead links of the built site in `folder`. VitePress looks for pages alone, and not for headings. */
export async function deadAnchors(folder: string): Promise<readonly DeadLink[]> {
  const pages = new Map<string, { readonly ids: ReadonlySet<string>; readonly links: readonly string[] }>();
  for (const file of await listFiles(folder, (path) => path.endsWith(".html"))) {
    const html = await readFile(join(folder, file), "utf8");
    pages.set(file, {
      ids: new Set(all(html, / id="([^"]*)"/g)),
      links: all(html, /<a [^>]*?href="([^"]*)"/g),
    });
  }
  return [...pages].flatMap(([page, { links }]) =>
    links.filter((link) => !isAlive(link, page, pages)).map((link) => ({ page, link })),
  );
}

function isAlive(
  link: string,
  page: string,
  pages: ReadonlyMap<string, { readonly ids: ReadonlySet<string> }>,
): boolean {
  if (/^[a-z]+:/.test(link)) return true;
  const [path = "", anchor] = link.split("#");
  const file = path === "" ? page : fileOf(posix.join("/", posix.dirname(page), path).slice(1), path, pages);
  const ids = file === undefined ? undefined : pages.get(file)?.ids;
  if (ids === undefined) return false;
  return anchor === undefined || anchor === "" || ids.has(decodeURIComponent(anchor));
}

function fileOf(relative: string, path: string, pages: ReadonlyMap<string, unknown>): string | undefined {
  const at = path.startsWith("/") ? path.slice(1) : relative;
  return [at, `${at}.html`, posix.join(at, "index.html")].find((file) => pages.has(file));
}

function all(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found = ""]) => found);
}
