import { copyFile, cp, readdir, symlink, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { compile } from "../support/compile.ts";
import { listFiles } from "../support/list-files.ts";
import { AMBIENT, mayUseNode, needsBrowser, roomOf } from "../support/rooms.ts";
import { tempFolder } from "../support/temp-folder.ts";
import type { Check, Finding } from "./finding.ts";

const CONFIG = "tsconfig.neutral.json";
const PROBE = "neutral-probe.ts";

/** What a neutral room must not know, and a module that uses it. */
const FOREIGN: readonly string[] = ["Buffer", "process", "document"];
const PROBE_TEXT = `export const foreign = [${FOREIGN.join(", ")}];\n`;

/**
 * The rooms that run everywhere compile without the DOM library and without Node's types, and a use of
 * either there would be noticed: a probe that names both is planted in each of those rooms. Probes know nothing of each other,
 * so one compilation judges all of them.
 */
export const neutral: Check = async (root, note) => {
  const compiled = compile(join(root, CONFIG));
  const covered = new Set(
    compiled.files.map((file) => relative(join(root, "src"), file).split(sep).join("/")),
  );
  const modules = (await listFiles(join(root, "src"), (path) => /\.tsx?$/.test(path))).filter(isNeutral);
  const findings: Finding[] = compiled.errors.map(({ file, line, message }) => ({
    file: file === "" ? CONFIG : file,
    line,
    message,
  }));
  for (const module of modules) {
    if (covered.has(module)) continue;
    const message = `runs everywhere, but ${CONFIG} does not compile it: add its room to "include"`;
    findings.push({ file: `src/${module}`, message });
  }

  const rooms = [
    ...new Set(modules.flatMap((module) => (module.includes("/") ? (roomOf(module)?.name ?? []) : []))),
  ];
  findings.push(...(await probe(root, rooms)));
  if (rooms.length === 0) {
    findings.push({ file: "src", message: "has no room that runs everywhere: nothing to check" });
  }
  note(`${modules.length} modules, a probe in ${rooms.join(", ")}`);
  return findings;
};

function isNeutral(module: string): boolean {
  if (AMBIENT.has(module)) return false;
  return roomOf(module)?.room.neutral === true && !mayUseNode(module) && !needsBrowser(module);
}

/** Compiles a copy of the tree in which the rooms misbehave, and reports what went unnoticed. */
async function probe(root: string, rooms: readonly string[]): Promise<Finding[]> {
  await using copy = await tempFolder();
  await cp(join(root, "src"), join(copy.path, "src"), { recursive: true });
  for (const name of await readdir(root)) {
    if (/^tsconfig.*\.json$/.test(name)) await copyFile(join(root, name), join(copy.path, name));
  }
  await symlink(join(root, "node_modules"), join(copy.path, "node_modules"), "junction");
  const files = rooms.map((room) => `src/${room}/${PROBE}`);
  for (const file of files) await writeFile(join(copy.path, file), PROBE_TEXT);

  const { errors } = compile(join(copy.path, CONFIG));
  const isNoticed = (file: string, name: string): boolean =>
    errors.some((error) => error.file === file && error.message.includes(`Cannot find name '${name}'`));
  return files.flatMap((file) =>
    FOREIGN.filter((name) => !isNoticed(file, name)).map((name) => ({
      file,
      message: `compiles although it uses ${name}: ${CONFIG} lets Node's or the DOM's types in, or leaves the room out`,
    })),
  );
}
