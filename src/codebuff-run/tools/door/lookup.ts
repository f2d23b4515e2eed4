// Resolves a path to its open folder. Checks each link's target like the path itself.
import { type BigIntStats, statfsSync, statSync } from "node:fs";
import { statAt } from "./file-write.ts";
import { type Filter, isGit, isIgnoreFile, type Status } from "./filter.ts";
import type { IgnoreFiles, IgnoreWay } from "./ignore-files.ts";
import { joinPath, type Use } from "./paths.ts";
import { type Refusal, refusalOf, refuse } from "./refusal.ts";
import { type FolderHandle, MAX_LINKS, type Walker } from "./walker.ts";

/** Kernel file systems, by magic number (`linux/magic.h`). `/proc/self/environ` holds keys. */
const KERNEL = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x64626720, // debugfs
  0x74726163, // tracefs
  0x73636673, // securityfs
  0xf97cff8c, // selinuxfs
  0x62656570, // configfs
  0x27e0eb, // cgroup
  0x63677270, // cgroup2
  0xcafe4a11, // bpf
  0xde5e81e4, // efivarfs
  0x6165676c, // pstore
  0x19800202, // mqueue
  0x1cd1, // devpts
  0x42494e4d, // binfmt_misc
  0x6e736673, // nsfs
]);

export interface LookupSetup {
  readonly root: string;
  readonly walker: Walker;
  readonly filter: Filter;
  /** `undefined`: ignore files do not apply. */
  readonly ignoreFiles: IgnoreFiles | undefined;
}

export interface Wish {
  /** `names`: without content. Allows the names of ignored and secret files. */
  readonly use: Use | "names";
  readonly follow: boolean;
  readonly kind: "file" | "folder";
}

export interface PathSpot {
  readonly place: FolderHandle;
  readonly missing: readonly string[];
  readonly name: string;
  readonly stats: BigIntStats | undefined;
  readonly status: Status;
}

export class Lookup {
  readonly #setup: LookupSetup;
  readonly #rootDevice: bigint;

  constructor(setup: LookupSetup) {
    this.#setup = setup;
    this.#rootDevice = statSync(setup.root, { bigint: true }).dev;
  }

  async at<T>(asked: string, wish: Wish, act: (spot: PathSpot) => Promise<T>): Promise<T> {
    let path = asked;
    let status: Status = "allow";
    for (let links = 0; links <= MAX_LINKS; links++) {
      if (path === "") throw refuse("not-a-file", asked, "is the project directory");
      status = stricter(status, await this.#check(path, wish, asked));
      try {
        const rules = this.#rules(wish.use);
        const name = path.slice(path.lastIndexOf("/") + 1);
        const { place, missing } = this.#setup.walker.walk(path.slice(0, -name.length - 1), rules?.onFolder);
        using _place = place;
        const real = joinPath(place.path, ...missing, name);
        if (real !== path) status = stricter(status, await this.#check(real, wish, asked));
        if (rules?.ignores(real, wish.kind)) throw blocked(asked);
        this.#refuseKernel(place, asked);
        const stats = missing.length > 0 ? undefined : statAt(place, name);
        if (!wish.follow || !stats?.isSymbolicLink())
          return await act({ place, missing, name, stats, status });
        path = place.target(name);
      } catch (error) {
        throw refusalOf(error, asked);
      }
    }
    throw refuse("link", asked, "has too many links");
  }

  async in<T>(asked: string, use: Wish["use"], act: (place: FolderHandle) => Promise<T>): Promise<T> {
    const wish = { use, follow: true, kind: "folder" } as const;
    await this.#check(asked, wish, asked);
    try {
      const rules = this.#rules(use);
      const { place, missing } = this.#setup.walker.walk(asked, rules?.onFolder);
      using _place = place;
      if (missing.length > 0) throw refuse("missing", asked, "does not exist");
      if (place.path !== asked) await this.#check(place.path, wish, asked);
      if (place.path !== "" && rules?.ignores(place.path, "folder")) throw blocked(asked);
      this.#refuseKernel(place, asked);
      return await act(place);
    } catch (error) {
      throw refusalOf(error, asked);
    }
  }

  #rules(use: Wish["use"]): IgnoreWay | undefined {
    return use === "names" ? undefined : this.#setup.ignoreFiles?.way();
  }

  async #check(path: string, { use, kind }: Wish, asked: string): Promise<Status> {
    const { filter } = this.#setup;
    if (use === "write" && isGit(path))
      throw refuse("protected", asked, "is inside .git, where tools do not write");
    if (use === "write" && kind === "file" && this.#setup.ignoreFiles && isIgnoreFile(path))
      throw refuse("protected", asked, "is an ignore file, which tools do not write");
    const status = await (use === "names" ? filter.own(path) : filter.status(path, kind));
    if (status === "blocked") throw blocked(asked);
    return status;
  }

  /** Refuses kernel file systems. Other mounts below the root are allowed: containers use them. */
  #refuseKernel({ at }: FolderHandle, asked: string): void {
    if (process.platform !== "linux" || statSync(at, { bigint: true }).dev === this.#rootDevice) return;
    // Some platforms return a signed number.
    if (KERNEL.has(statfsSync(at).type >>> 0))
      throw refuse("not-a-file", asked, "is on a file system of the kernel");
  }
}

function blocked(path: string): Refusal {
  return refuse("blocked", path, "is blocked: it is ignored, or may hold secrets");
}

function stricter(a: Status, b: Status): Status {
  return a === "allow" ? b : a;
}
