// Which paths are blocked by name: the caller's filter, secret files, `.git`.
import type { Status } from "./door.ts";
import { isGit, secrecy } from "./special-names.ts";

/** The caller's rule for a path relative to the root. If it throws, the path is blocked. */
export type FileFilter = (path: string) => { readonly status: Status } | Promise<{ readonly status: Status }>;

export interface FilterOptions {
  /** Called for each path, and again for the path without links. */
  readonly fileFilter?: FileFilter | undefined;
  /** Allows secret files such as `.env` and editors' copies. Templates are always allowed. @default false */
  readonly allowEnvFiles?: boolean | undefined;
}

/** Checks paths by name, without disk access. */
export class Filter {
  readonly #ask: FileFilter | undefined;
  readonly #allowsEnvFiles: boolean;

  constructor({ fileFilter, allowEnvFiles = false }: FilterOptions) {
    this.#ask = fileFilter;
    this.#allowsEnvFiles = allowEnvFiles;
  }

  /** The caller's rule. Not called for the root. */
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
