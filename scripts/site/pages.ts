import { posix } from "node:path";
import { SHOWN } from "../support/fences.ts";
import { type Page, readPages, readSources, type Source } from "../support/snippets.ts";

/** The pages of the repository that are no page of docs/, and their names on the site. */
const OTHERS: ReadonlyMap<string, string> = new Map([
  ["README.md", "index.md"],
  ["CHANGELOG.md", "changelog.md"],
  ["SECURITY.md", "security.md"],
  ["examples/README.md", "examples.md"],
]);

/** The Markdown of the site, by path: the pages of the tree under `root`, with links and code as the site has them. */
export async function sitePages(root: string): Promise<ReadonlyMap<string, string>> {
  const pages = await readPages(root);
  const names = new Map<string, string>();
  for (const { file } of pages) {
    const name = file.startsWith("docs/") ? posix.basename(file) : OTHERS.get(file);
    if (name !== undefined) names.set(file, name);
  }
  const codes = codesOf(await readSources(root));
  return new Map(
    pages.flatMap((page) => {
      const name = names.get(page.file);
      return name === undefined ? [] : [[name, textOf(page, names, codes)] as const];
    }),
  );
}

/**
 * One page: markers go, links lead to pages of the site, and the first code carries the file that it stands in, for the types under
 * the pointer. Each code with types is compiled for itself, which takes about a second.
 */
function textOf(page: Page, names: ReadonlyMap<string, string>, codes: ReadonlyMap<string, string>): string {
  const lines = page.text.split("\n");
  const first = page.fences.find(({ language, indented }) => SHOWN.includes(language) && !indented);
  const whole = codes.get(first?.snippet ?? "");
  if (first && whole !== undefined) {
    lines.splice(
      first.line - 1,
      first.code.split("\n").length + 1,
      `\`\`\`${first.language} twoslash`,
      whole,
    );
  }
  return outsideOfFences(lines.join("\n"), (prose) =>
    prose
      .replace(/^<!--[\s\S]*?-->\n?/gm, "")
      .replace(
        /(!?)\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g,
        (whole, image: string, text: string, target: string) => {
          if (/^[a-z]+:|^#/.test(target)) return whole;
          if (image !== "") return `![${text}](./images/${posix.basename(target)})`;
          const [path = "", anchor] = target.split("#");
          const name = names.get(posix.join(posix.dirname(page.file), path));
          if (name === undefined) return text; // a file of the repository
          return `[${text}](./${name}${anchor === undefined ? "" : `#${anchor}`})`;
        },
      ),
  );
}

function outsideOfFences(markdown: string, change: (prose: string) => string): string {
  return markdown
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join("");
}

/** The code of each region by its name, in its whole file: what is not shown stands outside of cuts. */
function codesOf(sources: readonly Source[]): ReadonlyMap<string, string> {
  const codes = new Map<string, string>();
  for (const { text, regions } of sources) {
    const lines = text.split("\n");
    for (const { name, code, line } of regions) {
      const end = lines.findIndex((content, index) => index >= line && /^\s*\/\/ *#endregion/.test(content));
      const before = lines.slice(0, line - 1).filter(isNoMarker);
      const after = lines.slice(end + 1).filter(isNoMarker);
      codes.set(name, [...before, "// ---cut-before---", code, "// ---cut-after---", ...after].join("\n"));
    }
  }
  return codes;
}

function isNoMarker(line: string): boolean {
  return !/^\s*\/\/ *#(?:end)?region/.test(line);
}
