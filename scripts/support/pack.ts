import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
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

/** What installs packages. pnpm comes from npm's cache or its registry. */
export type Manager = "npm" | "pnpm";

export interface InstallOptions {
  /** Packages that may run code while they are installed. @default none */
  readonly mayRunScripts?: readonly string[];
  /** @default "npm" */
  readonly manager?: Manager;
}

/** Installs packages in an empty project at `folder`, from npm's cache where it can. */
export async function install(
  folder: string,
  packages: readonly string[],
  { mayRunScripts = [], manager = "npm" }: InstallOptions = {},
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const project = {
    name: "consumer",
    private: true,
    type: "module",
    allowScripts: Object.fromEntries(mayRunScripts.map((name) => [name, true])),
  };
  await writeFile(join(folder, "package.json"), JSON.stringify(project));
  const options = mayRunScripts.length === 0 ? ["--ignore-scripts"] : [];
  const command = {
    npm: ["install", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"],
    pnpm: [...PNPM, "add", "--prefer-offline", "--store-dir", join(dirname(folder), "pnpm-store")],
  }[manager];
  const result = await run("npm", [...command, ...options, ...packages], { cwd: folder, timeout: 90_000 });
  if (!result.ok || `${result.stdout}${result.stderr}`.includes(UNFIT_PEERS)) {
    throw new Error(`${manager} cannot install ${packages.join(" ")} (${result.ending}):\n${tail(result)}`);
  }
}

const PNPM = ["exec", "--yes", "--prefer-offline", "--package=pnpm@10", "--", "pnpm"];

/** What pnpm says of peers that do not fit. It installs them all the same; npm fails. */
const UNFIT_PEERS = "Issues with peer dependencies found";

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
    const { peerDependencies, devDependencies } = await readManifest(root);
    const peers = Object.keys(peerDependencies).map((name) => `${name}@${devDependencies[name] ?? "*"}`);
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
