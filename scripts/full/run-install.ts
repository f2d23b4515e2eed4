/** Installs packages for the suite `run` into `.tmp/full-run`, once. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { access, mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const CACHE = path.resolve(".tmp/full-run");

export interface Installed {
  readonly folder: string;
  load<T>(name: string): Promise<T>;
}

/** Installs npm packages into a folder of their own. Does nothing if they are there. */
export async function installed(name: string, packages: readonly string[]): Promise<Installed> {
  const folder = path.join(CACHE, name);
  const list = path.join(folder, "package.json");
  if (!(await exists(path.join(folder, "node_modules")))) {
    await mkdir(folder, { recursive: true });
    await writeFile(list, '{ "private": true }\n');
    await ran("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...packages], folder);
  }
  const require = createRequire(list);
  return {
    folder,
    load: (wanted) => import(pathToFileURL(require.resolve(wanted)).href),
  };
}

export function versionOf({ folder }: Installed, name: string): string {
  const text = readFileSync(path.join(folder, "node_modules", name, "package.json"), "utf8");
  return String(JSON.parse(text).version);
}

/** Installs a Python package into a virtual environment. Returns its folder of programs. */
export async function installedPython(name: string, wanted: string): Promise<string> {
  const folder = path.join(CACHE, name);
  const programs = path.join(folder, "bin");
  if (await exists(path.join(folder, "installed"))) return programs;
  await mkdir(CACHE, { recursive: true });
  await ran("python3", ["-m", "venv", folder], CACHE);
  await ran(path.join(programs, "pip"), ["install", "--quiet", wanted], CACHE);
  await writeFile(path.join(folder, "installed"), `${wanted}\n`);
  return programs;
}

/** A folder for files of one run. */
export async function cacheFile(name: string, text: string): Promise<string> {
  await mkdir(CACHE, { recursive: true });
  const file = path.join(CACHE, name);
  await writeFile(file, text);
  return file;
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** @throws Error if the program fails */
async function ran(program: string, args: readonly string[], cwd: string): Promise<void> {
  process.stdout.write(`${path.basename(program)} ${args.join(" ")}\n`);
  const child = spawn(program, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${path.basename(program)} ended with ${code}`);
}
