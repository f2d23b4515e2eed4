// Checks the text of a path, without disk access.
import { posix, win32 } from "node:path";
import { Refusal, refuse, shown } from "./refusal.ts";

export type Use = "read" | "write";

/** Bytes of a path: the limit of Linux. */
const MAX_PATH_BYTES = 4_096;
/** Bytes of a name: the limit of common file systems. */
const MAX_NAME_BYTES = 255;

export interface PathsSetup {
  /** The root's real path, then the caller's path. Agents use both. */
  readonly roots: readonly [string, ...string[]];
  readonly platform: NodeJS.Platform;
}

export class Paths {
  readonly #root: string;
  readonly #roots: readonly (readonly string[])[];
  readonly #platform: NodeJS.Platform;
  readonly #rules: typeof posix;

  constructor({ roots, platform }: PathsSetup) {
    this.#root = roots[0];
    this.#platform = platform;
    this.#rules = platform === "win32" ? win32 : posix;
    this.#roots = roots.map((root) => this.#names(root));
  }

  /** Resolves a path to names below the root, joined by `/`. @throws Refusal `outside`, `invalid` */
  resolve(path: unknown, use: Use): string {
    if (typeof path !== "string") throw new Refusal("invalid", "", "A path must be a string.");
    const fault = this.#fault(path);
    if (fault !== undefined) throw new Refusal("invalid", path, `The path ${shown(path)} ${fault}.`);
    const inside = this.inside(path);
    if (inside === undefined) throw outside(path);
    if (use === "write") this.#checkTarget(path);
    return inside;
  }

  /** A path relative to `from`, as a path relative to the root; `undefined` if it is outside. */
  inside(path: string, from = ""): string | undefined {
    const names = this.#names(this.#rules.resolve(this.#root, from, path));
    const isSame = this.#isCaseless
      ? (a: string, b: string | undefined) => a.toLowerCase() === b?.toLowerCase()
      : (a: string, b: string | undefined) => a === b;
    // Compares whole names. A prefix test would accept `../proj-evil`.
    const root = this.#roots.find((root) => root.every((name, index) => isSame(name, names[index])));
    return root && names.slice(root.length).join("/");
  }

  get #isCaseless(): boolean {
    return this.#platform === "win32" || this.#platform === "darwin";
  }

  #fault(path: string): string | undefined {
    if (path.includes("\0")) return "must not have a NUL character";
    // Lone surrogates have no UTF-8 bytes: the system would get another name.
    if (/\p{Cs}/u.test(path)) return "must be well-formed text";
    if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `must have at most ${MAX_PATH_BYTES} bytes`;
    if (this.#names(path).some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES))
      return `has a name of more than ${MAX_NAME_BYTES} bytes`;
    return this.#platform === "win32" ? windowsFault(path) : undefined;
  }

  #checkTarget(path: string): void {
    if (this.#rules.isAbsolute(path))
      throw new Refusal("invalid", path, "A path to write must be relative to the project directory.");
    const last = this.#split(path).at(-1);
    if (last === "" || last === "." || last === "..")
      throw new Refusal("invalid", path, `The path ${shown(path)} names a directory, not a file.`);
  }

  #split(path: string): readonly string[] {
    return path.split(this.#platform === "win32" ? /[\\/]/ : "/");
  }

  #names(path: string): readonly string[] {
    return this.#split(path).filter((name) => name !== "");
  }
}

export function outside(path: string): Refusal {
  return refuse("outside", path, "is outside the project directory");
}

/** Device names. They work in any folder and with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])$/i;
const FORBIDDEN = /[<>"|?*\p{Cc}]/u;
const DRIVE = /^[a-z]:/i;

/** Why Windows forbids a path, as the end of "The path ..."; `undefined` if it does not. */
function windowsFault(path: string): string | undefined {
  if (/^[\\/]{2}|^[\\/]\?\?/.test(path)) return "must not begin with a server or a device";
  const drive = DRIVE.exec(path)?.[0] ?? "";
  const rest = path.slice(drive.length);
  if (drive !== "" && !/^[\\/]/.test(rest)) return "must not be relative to a drive";
  if (rest.includes(":")) return "must not have a colon after the drive";
  if (FORBIDDEN.test(rest)) return "has a character that Windows forbids";
  for (const name of rest.split(/[\\/]/)) {
    if (name === "." || name === "..") continue;
    if (/[. ]$/.test(name)) return "has a name that ends with a dot or a space";
    const [base = ""] = name.split(".");
    if (DEVICE.test(base.trimEnd())) return "has the name of a device";
  }
  return undefined;
}

export function joinPath(...names: readonly string[]): string {
  return names.filter((name) => name !== "").join("/");
}
