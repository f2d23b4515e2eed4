import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readManifest } from "./manifest.ts";
import { run, tail } from "./run.ts";
import { tempFolder } from "./temp-folder.ts";

/** Packs the package as it would be published, without building it again, and returns the tarball's path. */
export async function pack(root: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const result = await run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], {
    cwd: root,
  });
  const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz"));
  if (!result.ok || tarball === undefined)
    throw new Error(`npm pack failed (${result.ending}):\n${tail(result)}`);
  return join(folder, tarball);
}

/**
 * Installs packages in an empty project at `folder`, from npm's cache where it can. Nothing that they bring
 * may run code, but for the packages named in `mayRunScripts`.
 */
export async function install(
  folder: string,
  packages: readonly string[],
  mayRunScripts: readonly string[] = [],
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const project = {
    name: "consumer",
    private: true,
    type: "module",
    allowScripts: Object.fromEntries(mayRunScripts.map((name) => [name, true])),
  };
  await writeFile(join(folder, "package.json"), JSON.stringify(project));
  const options = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  if (mayRunScripts.length === 0) options.push("--ignore-scripts");
  const result = await run("npm", ["install", ...options, ...packages], { cwd: folder, timeout: 90_000 });
  if (!result.ok) {
    throw new Error(`npm install ${packages.join(" ")} failed (${result.ending}):\n${tail(result)}`);
  }
}

/** A user's project that has installed the package from its tarball, and nothing else. */
export interface Consumer extends AsyncDisposable {
  readonly folder: string;
  readonly tarball: string;
  /** The package as it was installed: what the tarball holds. */
  readonly installed: string;
}

/** Packs the package of `root` and installs it in an empty temporary project. */
export async function consumerOf(root: string, name: string): Promise<Consumer> {
  const folder = await tempFolder();
  try {
    const tarball = await pack(root, join(folder.path, "pack"));
    const { peerDependencies } = await readManifest(root);
    const peers = Object.entries(peerDependencies).map(([name, range]) => `${name}@${range}`);
    await install(folder.path, [tarball, ...peers]);
    return {
      folder: folder.path,
      tarball,
      installed: join(folder.path, "node_modules", name),
      [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
    };
  } catch (error) {
    await folder[Symbol.asyncDispose]();
    throw error;
  }
}
