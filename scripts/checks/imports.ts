import { readFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join, posix } from "node:path";
import { FRAMEWORKS } from "../support/entries.ts";
import { listFiles } from "../support/list-files.ts";
import { type Manifest, packageName, readManifest } from "../support/manifest.ts";
import { type ImportRecord, readImports } from "../support/read-imports.ts";
import { AMBIENT, floorOf, mayUseNode, type Room, roomOf } from "../support/rooms.ts";
import type { Check, Finding } from "./finding.ts";

/** `node` is what `/// <reference types="node" />` names. */
const NODE_PACKAGES: ReadonlySet<string> = new Set([
  "ws",
  "isomorphic-ws",
  "node",
  "@types/node",
  "@types/ws",
]);

/** Every import of `src/` goes in a direction that `support/rooms.ts` allows. */
export const imports: Check = async (root, note) => {
  const manifest = await readManifest(root);
  const modules = (await listFiles(join(root, "src"), (path) => /\.tsx?$/.test(path))).filter(
    (path) => !AMBIENT.has(path),
  );
  const findings: Finding[] = [];
  let count = 0;
  for (const module of modules) {
    const file = `src/${module}`;
    const found = roomOf(module);
    if (found === undefined) {
      const message = "no room of this name: say in scripts/support/rooms.ts what it may import";
      findings.push({ file, message });
      continue;
    }
    if (floorOf(module, found.name, found.room) === -1) {
      findings.push({
        file,
        message: `its folder is not in the order of ${found.name}: add it in scripts/support/rooms.ts`,
      });
    }
    for (const record of readImports(file, await readFile(join(root, file), "utf8"))) {
      count++;
      const message = judge(module, found.name, found.room, record, manifest);
      if (message !== undefined) findings.push({ file, line: record.line, message });
    }
  }
  if (modules.length === 0) {
    findings.push({ file: "src", message: "holds no module: there is nothing to check" });
  }
  note(`${count} imports in ${modules.length} modules`);
  return findings;
};

/** What is wrong with one import, or `undefined`. */
function judge(
  module: string,
  name: string,
  room: Room,
  record: ImportRecord,
  manifest: Manifest,
): string | undefined {
  const { specifier, typeOnly } = record;
  if (specifier === undefined) {
    return "imports a computed name: write it as a literal, so that bundlers and this check can follow it";
  }
  if (specifier.startsWith(".")) {
    return judgeOwn(module, name, room, posix.join(posix.dirname(module), specifier), typeOnly);
  }
  if (specifier.startsWith("#")) {
    if (Object.hasOwn(manifest.imports, specifier)) return undefined;
    return `"${specifier}" is not under "imports" in package.json`;
  }
  return judgePackage(module, room, specifier, manifest);
}

function judgeOwn(
  module: string,
  name: string,
  room: Room,
  target: string,
  typeOnly: boolean,
): string | undefined {
  if (target.startsWith("../")) return "reaches out of src/, which is all that is built";
  const wanted = roomOf(target);
  if (wanted === undefined) return `imports ${target}, which is in no room of scripts/support/rooms.ts`;
  if (!typeOnly && mayUseNode(target) && !mayUseNode(module)) {
    return `imports ${target}, which is for Node only: go through "#socket", or a factory that the user passes in`;
  }
  const { flat } = room;
  const isInFlat = (path: string) => flat !== undefined && path.startsWith(`${name}/${flat.folder}/`);
  if (wanted.name === name) {
    const from = floorOf(module, name, room);
    const to = floorOf(target, name, room);
    if (from !== undefined && to !== undefined && to > from) {
      return `imports ${target}, which stands above it: the order of ${name} is ${room.order?.join(" < ")}`;
    }
    if (!isInFlat(target) || isInFlat(module) || module === `${name}/index.ts`) return undefined;
    return `imports ${target}, which is made of ${flat?.imports.join(", ")}: only ${name}/index.ts imports it`;
  }

  const isListed = (list: readonly string[] = []) =>
    list.some((item) => item === wanted.name || item === target);
  if (isListed(room.imports)) return undefined;
  if (isInFlat(module) && isListed(flat?.imports)) return undefined;
  if (posix.basename(module) === "universal.ts" && isListed(room.universal)) return undefined;
  if (isListed(room.types)) {
    return typeOnly ? undefined : `${name} may take only types of ${wanted.name}: write "import type"`;
  }
  const allowed = [...room.imports, ...(room.types ?? []).map((other) => `types of ${other}`)];
  return `${name} may not import ${target}; allowed: ${allowed.join(", ") || "nothing of ours"}`;
}

function judgePackage(module: string, room: Room, specifier: string, manifest: Manifest): string | undefined {
  const name = packageName(specifier);
  if (isBuiltin(specifier) || NODE_PACKAGES.has(name)) {
    if (mayUseNode(module)) return undefined;
    return `"${specifier}" exists on Node only: it may be named in *.node.ts, testing, codebuff-cli, acp and codebuff-run/tools`;
  }
  if (name === "zod" && specifier !== "zod/mini") {
    return `"${specifier}" costs a browser 90 kB: import * as z from "zod/mini"`;
  }
  if (FRAMEWORKS.includes(name) && !room.peers?.includes(name)) {
    return `"${specifier}" is a framework: only a room with the peer ${name} in scripts/support/rooms.ts imports it`;
  }
  if (name === manifest.name) return `"${specifier}" is this package: use a relative path`;
  // The build bundles what is in "devDependencies".
  const { dependencies, peerDependencies, devDependencies } = manifest;
  if ([dependencies, peerDependencies, devDependencies].some((list) => Object.hasOwn(list, name)))
    return undefined;
  return `"${specifier}" is not a dependency of the package: name it in package.json`;
}
