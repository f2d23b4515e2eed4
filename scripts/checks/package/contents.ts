import { posix } from "node:path";
import { linksOf } from "../../support/fences.ts";

/** What is published besides `dist/`, all of it required. */
const DOCUMENTS: readonly string[] = [
  "CHANGELOG.md",
  "LICENSE",
  "NOTICE",
  "README.md",
  "SECURITY.md",
  "docs/start.md",
  "docs/turns.md",
  "docs/errors.md",
  "docs/backends.md",
  "docs/codebuff.md",
  "docs/codey.md",
  "docs/cass.md",
  "docs/codebuff-cli.md",
  "docs/acp.md",
  "docs/codebuff-run.md",
  "docs/tools.md",
  "docs/universal.md",
  "docs/ui.md",
  "docs/react.md",
  "docs/tui.md",
  "docs/frameworks.md",
  "docs/ai-sdk.md",
  "docs/ag-ui.md",
  "docs/acp-agent.md",
  "docs/otel.md",
  "docs/sessions.md",
  "docs/testing.md",
  "docs/program.md",
  "docs/runtimes.md",
  "package.json",
];
const BUILT = /^dist\/[\w.-]+\.(?:d\.ts|d\.cts|js|cjs|css)$/;

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

/**
 * The links of a published page, at `page`, that lead to none of the published `files`. Links to the web are not judged, nor are
 * pictures: they stay in the repository, for their size.
 */
export function deadLinks(page: string, text: string, files: readonly string[]): readonly string[] {
  const held = new Set(files);
  return linksOf(text).filter((target) => {
    const [path = ""] = target.split("#");
    return path !== "" && !path.endsWith(".png") && !held.has(posix.join(posix.dirname(page), path));
  });
}

/** The source map that a built file names; none is published. */
export function namedMap(code: string): string | undefined {
  return /^\/\/# sourceMappingURL=(.*)$/m.exec(code)?.[1];
}
