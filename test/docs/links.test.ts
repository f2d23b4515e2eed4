import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { linksOf } from "../../scripts/support/fences.ts";
import { readPages } from "../../scripts/support/snippets.ts";

const ROOT = new URL("../../", import.meta.url);
const pages = await readPages(fileURLToPath(ROOT));

/** What a heading can be linked by. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) => title);
  return new Set(
    headings.map((title) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

test("there are pages with links", () => {
  expect(pages.flatMap(({ text }) => linksOf(text)).length).toBeGreaterThan(20);
});

test.each(pages)("each link of $file leads to an existing file and heading", ({ file, text }) => {
  const dead = linksOf(text).filter((target) => {
    const url = new URL(target, new URL(file, ROOT));
    const anchor = decodeURIComponent(url.hash.slice(1));
    url.hash = "";
    if (!existsSync(url)) return true;
    return anchor !== "" && !anchorsOf(readFileSync(url, "utf8")).has(anchor);
  });
  expect(dead).toEqual([]);
});
