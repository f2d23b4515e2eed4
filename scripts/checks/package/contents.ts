import { posix } from "node:path";
import * as z from "zod/mini";
import { linksOf } from "../../support/fences.ts";

/** What is published besides `dist/`, all of it required. */
const DOCUMENTS: readonly string[] = [
  "CHANGELOG.md",
  "LICENSE",
  "NOTICE",
  "README.md",
  "docs/codebuff.md",
  "docs/codey.md",
  "docs/cass.md",
  "docs/codebuff-cli.md",
  "docs/testing.md",
  "package.json",
];
const BUILT = /^dist\/[\w.-]+\.(?:d\.ts|d\.cts|js|cjs|js\.map|cjs\.map)$/;

/** What the files of a package say against publishing it. */
export function judgeContents(
  files: readonly string[],
): readonly { readonly file: string; readonly message: string }[] {
  const held = new Set(files);
  return [
    ...files
      .filter((file) => !DOCUMENTS.includes(file) && !BUILT.test(file))
      .map((file) => ({
        file,
        message: 'is published, and is no part of the package: see "files" in package.json',
      })),
    ...DOCUMENTS.filter((file) => !held.has(file)).map((file) => ({
      file,
      message: "is missing from the package",
    })),
    ...(files.some((file) => BUILT.test(file)) ? [] : [{ file: "dist", message: "is empty: npm run build" }]),
  ];
}

/** The links of a published page, at `page`, that lead to none of the published `files`. Links to the web are not judged. */
export function deadLinks(page: string, text: string, files: readonly string[]): readonly string[] {
  const held = new Set(files);
  return linksOf(text).filter((target) => {
    const [path = ""] = target.split("#");
    return path !== "" && !held.has(posix.join(posix.dirname(page), path));
  });
}

const sourceMap = z.object({ sources: z.array(z.nullable(z.string())) });

/** The sources of a map that lead to one machine instead of to the repository. */
export function judgeMap(json: string): readonly string[] {
  const { sources } = sourceMap.parse(JSON.parse(json));
  return sources
    .filter((source) => source !== null && (posix.isAbsolute(source) || /^[a-z]+:/i.test(source)))
    .map((source) => `maps to ${source}: a published map leads to src/ by a relative path`);
}
