// `loadAgents`: reads agents from a folder. Runs code only if the caller allows it.
import { constants, type Dirent } from "node:fs";
import { type FileHandle, lstat, open, readdir, realpath } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, extname, join, relative } from "node:path";
import { type Checks, checkFields, checks, describe, fieldsOf, isObject } from "../../core/checks.ts";
import { InvalidInputError, said } from "../../core/errors.ts";
import { isTooDeep, TOO_DEEP } from "../../core/text.ts";
import { type AgentDefinition, definitionProblem, problemOfForeign } from "../agents/agents.ts";
import { codeOf } from "./door/refusal.ts";

export interface LoadAgentsOptions {
  /**
   * Whether to load code files (`.ts`, `.mts`, `.js`, `.mjs`, `.cjs`). **That runs them, with your rights.** `.ts`
   * needs Node 22.18 or later.
   * @default false
   */
  readonly allowCode?: boolean;
}

/** A file without an agent, or with ignored parts. */
interface AgentProblem {
  /** Relative to the folder, with `/` as separator. */
  readonly file: string;
  /**
   * - `skipped`: a code file, and `allowCode` is not set
   * - `refused`: a link, a file that is too large, or too many files
   * - `invalid`: the definition is invalid, two have one `id`, or the code failed
   * - `ignored`: code without a default export, or the `mcpServers` of a loaded agent
   */
  readonly kind: "skipped" | "refused" | "invalid" | "ignored";
  readonly message: string;
}

export interface LoadedAgents {
  /** For `agentDefinitions`. In the order of their files. */
  readonly agents: readonly AgentDefinition[];
  readonly problems: readonly AgentProblem[];
}

/** Files in the folder and its subfolders. */
const MAX_FILES = 500;

/** Levels of subfolders. */
const MAX_DEPTH = 5;

/** Bytes of a file. */
const MAX_BYTES = 1_048_576;

const CODE: ReadonlySet<string> = new Set([".ts", ".mts", ".js", ".mjs", ".cjs"]);

const CHECKS: Checks<LoadAgentsOptions> = { allowCode: checks.boolean };

/**
 * Reads agents from a folder such as `.agents`, and the folders in it: JSON files, and code files with `allowCode`. A
 * missing folder has no agents. Files without an agent are in `problems`. Hidden ones, `node_modules`, `.d.ts`, tests
 * (`.test.`, `.spec.`) and other files are passed over. Limits: 1 MiB a file, 500 files, 5 levels of folders.
 *
 * @example
 * const { agents, problems } = await loadAgents(".agents");
 * @throws InvalidInputError if the path is not a folder, and for invalid options
 */
export async function loadAgents(dir: string, options: LoadAgentsOptions = {}): Promise<LoadedAgents> {
  if (!isObject(options as unknown))
    throw new InvalidInputError("the options are no object.", "Pass an object, or nothing.");
  checkFields(options, CHECKS, "option");
  const root = await rootOf(dir);
  const loader = new Loader(root, options.allowCode ?? false);
  if (root !== undefined) await loader.folder(root, 0);
  return { agents: loader.agents, problems: loader.problems };
}

/** Resolves the folder; the folder itself may be a link. `undefined`: it does not exist. */
async function rootOf(dir: string): Promise<string | undefined> {
  const how = 'Pass the path of a folder, such as ".agents".';
  if (typeof (dir as unknown) !== "string" || dir === "" || dir.includes("\0"))
    throw new InvalidInputError("`dir` is no path.", how);
  try {
    const root = await realpath(dir);
    if ((await lstat(root)).isDirectory()) return root;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new InvalidInputError(`\`dir\` cannot be read: ${codeOf(error) ?? said(error)}.`, how, {
      cause: error,
    });
  }
  throw new InvalidInputError("`dir` is no folder.", how);
}

class Loader {
  readonly agents: AgentDefinition[] = [];
  readonly problems: AgentProblem[] = [];
  readonly #root: string;
  readonly #allowCode: boolean;
  readonly #files = new Map<string, string>();
  #count = 0;

  constructor(root: string | undefined, allowCode: boolean) {
    this.#root = root ?? "";
    this.#allowCode = allowCode;
  }

  async folder(path: string, depth: number): Promise<void> {
    if (depth > MAX_DEPTH) return this.#report(path, "refused", `folders are read ${MAX_DEPTH} levels deep`);
    const entries = await this.#entries(path);
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      const inside = join(path, entry.name);
      if (this.#count === MAX_FILES)
        return this.#report(inside, "refused", `${MAX_FILES} files are read at most`);
      if (entry.isDirectory()) {
        if (entry.name !== "node_modules" && !entry.name.startsWith("."))
          await this.folder(inside, depth + 1);
      } else if (entry.isSymbolicLink() || isOfAgents(entry.name)) {
        this.#count++;
        await this.#file(inside, entry.isFile());
      }
    }
  }

  async #entries(path: string): Promise<Dirent[]> {
    try {
      return await readdir(path, { withFileTypes: true });
    } catch (error) {
      this.#report(path, "refused", `it cannot be read: ${codeOf(error) ?? said(error)}`);
      return [];
    }
  }

  async #file(path: string, isFile: boolean): Promise<void> {
    if (!isFile) return this.#report(path, "refused", "it is a link, or no file");
    const isCode = extname(path) !== ".json";
    if (isCode && !this.#allowCode)
      return this.#report(path, "skipped", "it is code: pass `allowCode: true` if you trust it");
    try {
      const text = await readText(path);
      this.#add(path, isCode ? loadDefault(path) : parsed(text), isCode);
    } catch (error) {
      if (error instanceof Unusable) this.#report(path, error.kind, error.message);
      else this.#report(path, "invalid", wordsOf(error));
    }
  }

  #add(path: string, value: unknown, isCode: boolean): void {
    const { mcpServers, ...definition } = fieldsOf(value);
    const read = isCode ? definitionProblem : problemOfForeign; // code is trusted anyway
    const problem = isObject(value) ? read(definition) : `it is ${describe(value)}, not a definition`;
    const id = String(definition["id"]);
    const other = this.#files.get(id);
    const wrong = problem ?? (other === undefined ? undefined : `\`id\` is also the id of ${other}`);
    if (wrong !== undefined) {
      this.#report(path, "invalid", wrong);
      return;
    }
    this.#files.set(id, this.#nameOf(path));
    this.agents.push(definition as unknown as AgentDefinition);
    if (mcpServers != null && (!isObject(mcpServers) || Object.keys(mcpServers).length > 0))
      this.#report(
        path,
        "ignored",
        `\`mcpServers\` is ignored${isCode ? "" : " in a file"}: pass the servers to the client`,
      );
  }

  #report(path: string, kind: AgentProblem["kind"], message: string): void {
    this.problems.push({ file: this.#nameOf(path), kind, message });
  }

  #nameOf(path: string): string {
    return relative(this.#root, path).replaceAll("\\", "/");
  }
}

/** Skips type declarations, tests and hidden files. */
function isOfAgents(name: string): boolean {
  if (name.startsWith(".") || /\.(?:d|test|spec)\.[cm]?[jt]s$/.test(name)) return false;
  const ending = extname(basename(name));
  return ending === ".json" || CODE.has(ending);
}

class Unusable extends Error {
  readonly kind: AgentProblem["kind"];

  constructor(message: string, kind: AgentProblem["kind"] = "refused") {
    super(message);
    this.kind = kind;
  }
}

/** Reads a file. Follows no link, and does not block on a pipe. */
async function readText(path: string): Promise<string> {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  let file: FileHandle;
  try {
    file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    throw new Unusable(
      codeOf(error) === "ELOOP" ? "it is a link, or no file" : `it cannot be read: ${codeOf(error)}`,
    );
  }
  try {
    if (!(await file.stat()).isFile()) throw new Unusable("it is a link, or no file");
    const buffer = Buffer.alloc(MAX_BYTES + 1);
    let size = 0;
    for (let read = -1; read !== 0 && size <= MAX_BYTES; size += read)
      read = (await file.read(buffer, size, buffer.length - size)).bytesRead;
    if (size > MAX_BYTES) throw new Unusable(`it is larger than ${MAX_BYTES} bytes`);
    return buffer.toString("utf8", 0, size);
  } finally {
    await file.close();
  }
}

function parsed(text: string): unknown {
  if (isTooDeep(text)) throw new Error(TOO_DEEP);
  return JSON.parse(text.replace(/^\ufeff/, ""));
}

/** Uses `require`: it loads ES modules too, and the CommonJS build does not rewrite it. */
function loadDefault(path: string): unknown {
  const module: unknown = createRequire(path)(path);
  const exports = fieldsOf(module);
  const value = "default" in exports || !("id" in exports) ? exports["default"] : exports;
  if (value === undefined) throw new Unusable("it has no default export", "ignored");
  return value;
}

function wordsOf(error: unknown): string {
  const code = codeOf(error);
  if (code === "ERR_UNKNOWN_FILE_EXTENSION")
    return "this runtime cannot load TypeScript: compile it, or use Node 22.18 or later";
  return error instanceof Error ? error.message : said(error);
}
