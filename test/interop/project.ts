import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { TempFolder } from "../../scripts/support/temp-folder.ts";
import { tree } from "../checks/tree.ts";
import type { Scenario } from "./scenario.ts";

/** Projects in one temporary folder, each in a folder of its own with room beside it. */
export interface Projects extends AsyncDisposable {
  readonly path: string;
  /** The project of a scenario, by the scenario's place. */
  readonly cwd: (place: number) => string;
  /** The files in a project and beside it, by path from the project. */
  readonly files: (place: number) => Promise<Readonly<Record<string, string>>>;
}

const FILES = { "a.txt": "hello\n" };

/** Makes the projects of some scenarios. @param more other files, by path from the folder */
export async function projectsOf(
  scenarios: readonly Scenario[],
  more: Readonly<Record<string, string>> = {},
): Promise<Projects> {
  const inFolder = (place: number) => join(`${place}`, "project");
  const folder: TempFolder = await tree({
    ...more,
    ...Object.fromEntries(
      scenarios.flatMap(({ files = FILES }, place) =>
        Object.entries(files).map(([path, text]) => [join(inFolder(place), path), text]),
      ),
    ),
  });
  const cwd = (place: number) => join(folder.path, inFolder(place));
  for (const [place, { links = {} }] of scenarios.entries())
    for (const [path, target] of Object.entries(links)) {
      await mkdir(dirname(join(cwd(place), path)), { recursive: true });
      await symlink(target, join(cwd(place), path));
    }
  return {
    path: folder.path,
    cwd,
    files: (place) => filesAround(cwd(place)),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

async function filesAround(project: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(dirname(project), { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [relative(project, path), await readFile(path, "utf8")])),
  );
}
