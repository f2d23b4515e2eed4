// Which paths are blocked by name: the caller's filter, secret files, `.git`.

export type Status = "allow" | "blocked" | "allow-example";

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

/** Characters that some file systems ignore: there, `.g\u200cit` opens `.git`. */
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;
/** `.env`, `.env.local`, direnv's `.envrc`, and editors' copies: `.env~`, `#.env#`, `.#.env`. */
const SECRET = /^(?:\.?#)?\.env(?:rc)?(?:$|[.~#])/;
const TEMPLATE = /\.(?:example|sample|template)$/;

/** Whether a path is `.git` or inside of it. Git's configuration may hold credentials; hooks are programs. */
export function isGit(path: string): boolean {
  return /(?:^|\/)(?:\.git|git~1)(?:\/|$)/.test(plain(path));
}

/** Whether a path is an ignore file. Includes the short names of Windows. */
export function isIgnoreFile(path: string): boolean {
  return /(?:^|\/)(?:\.gitignore|\.codebuffignore|(?:gitign|codebu)~\d)$/.test(plain(path));
}

/** Whether a file's name marks a secret file, or a template of one. */
function secrecy(path: string): "secret" | "template" | "none" {
  const name = plain(path.slice(path.lastIndexOf("/") + 1));
  if (!SECRET.test(name)) return "none";
  return TEMPLATE.test(name) ? "template" : "secret";
}

/** Normalises a path like the most lenient file system. */
function plain(path: string): string {
  return path.replace(UNSEEN, "").toLowerCase();
}
