import { join } from "node:path";
import { install, pack } from "./pack.ts";
import { tempFolder } from "./temp-folder.ts";

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
    await install(folder.path, [tarball]);
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
