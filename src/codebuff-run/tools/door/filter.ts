// Which paths are blocked by their names: the caller's filter, secrets, ignore files.
import type { Status } from "./door.ts";
import { isGit, secrecy } from "./special-names.ts";

/** The caller's own rule for paths relative to the root. What it throws blocks the path. */
export type FileFilter = (path: string) => { readonly status: Status } | Promise<{ readonly status: Status }>;

export interface FilterOptions {
  /** Asked about each path before its use, and again about the path without links. */
  readonly fileFilter?: FileFilter | undefined;
  /**
   * Whether tools may read and write files of secrets: `.env`, `.env.*`, `.envrc` and the copies that editors leave of them (`.env~`, `#.env#`),
   * but for `*.example`, `*.sample` and `*.template`.
   * @default false
   */
  readonly allowEnvFiles?: boolean | undefined;
}

/** What names say about a path. It looks at no file. */
export class Filter {
  readonly #ask: FileFilter | undefined;
  readonly #allowsEnvFiles: boolean;

  constructor({ fileFilter, allowEnvFiles = false }: FilterOptions) {
    this.#ask = fileFilter;
    this.#allowsEnvFiles = allowEnvFiles;
  }

  /** What the caller says. The root is not asked about. */
  async own(path: string): Promise<Status> {
    if (this.#ask === undefined || path === "") return "allow";
    try {
      const { status } = await this.#ask(path);
      return status === "allow" || status === "allow-example" ? status : "blocked";
    } catch {
      return "blocked";
    }
  }

  async status(path: string, kind: "file" | "folder"): Promise<Status> {
    const own = await this.own(path);
    if (own === "blocked" || isGit(path)) return "blocked";
    const kindOfSecret = kind === "file" ? secrecy(path) : "none";
    if (kindOfSecret === "template") return "allow-example";
    return kindOfSecret === "secret" && !this.#allowsEnvFiles ? "blocked" : own;
  }
}
