import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";

/** The files of an app that imports this entry. */
async function filesOf(entry: string): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [fileURLToPath(new URL(`../../src/react/${entry}`, import.meta.url))],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    jsx: "automatic",
    external: ["react"],
  });
  return Object.keys(metafile.inputs);
}

test("an app that imports the hooks alone gets nothing of the page", async () => {
  const isOfPage = (file: string) => /src\/(?:react\/ui|screens)\//.test(file);
  expect((await filesOf("index.ts")).filter(isOfPage)).toEqual([]);
  expect((await filesOf("ui/index.ts")).filter(isOfPage).length).toBeGreaterThan(20);
});
