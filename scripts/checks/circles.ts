import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { listFiles } from "../support/list-files.ts";
import { type Manifest, readManifest, type Target } from "../support/manifest.ts";
import { readImports } from "../support/read-imports.ts";
import type { Check, Finding } from "./finding.ts";

/** What each module imports, and on which line. */
type Graph = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** No module of `src/` leads back to itself, not even over imports of types. */
export const circles: Check = async (root, note) => {
  const manifest = await readManifest(root);
  const modules = await listFiles(join(root, "src"), (path) => /\.tsx?$/.test(path));
  const findings: Finding[] = [];
  const graph = new Map<string, Map<string, number>>();
  let count = 0;
  for (const module of modules) {
    const targets = new Map<string, number>();
    graph.set(module, targets);
    for (const { specifier, line } of readImports(
      module,
      await readFile(join(root, "src", module), "utf8"),
    )) {
      if (specifier === undefined || !/^[.#]/.test(specifier)) continue;
      count++;
      const found = targetsOf(module, specifier, modules, manifest);
      for (const target of found) if (!targets.has(target)) targets.set(target, line);
      if (found.length > 0) continue;
      const message = `"${specifier}" names no module of src/, so no circle over it can be seen: write the file's whole name`;
      findings.push({ file: `src/${module}`, line, message });
    }
  }
  for (const circle of circlesOf(graph)) findings.push(describe(circle, graph));
  if (modules.length === 0) {
    findings.push({ file: "src", message: "holds no module: there is nothing to check" });
  }
  note(`${count} imports between ${modules.length} modules`);
  return findings;
};

/** The modules that an import may lead to: for a name under "imports" in package.json one for each condition. */
function targetsOf(
  module: string,
  specifier: string,
  modules: readonly string[],
  manifest: Manifest,
): readonly string[] {
  if (specifier.startsWith(".")) {
    const target = posix.join(posix.dirname(module), specifier);
    return modules.filter((each) => each === target);
  }
  // The build puts `core/socket.node.ts` at `dist/socket.node.js`.
  const built = filesOf(manifest.imports[specifier] ?? null).map((file) => posix.parse(file).name);
  return modules.filter((each) => built.includes(posix.basename(each, ".ts")));
}

function filesOf(target: Target): readonly string[] {
  if (typeof target === "string") return [target];
  return Object.values(target ?? {}).flatMap(filesOf);
}

/** For every module in a circle the shortest one through it. */
function circlesOf(graph: Graph): readonly (readonly string[])[] {
  const found = new Map<string, readonly string[]>();
  for (const module of graph.keys()) {
    const circle = shortestCircle(module, graph);
    if (circle === undefined) continue;
    // Each circle is found from several of its modules: it begins with the first by name.
    const first = circle.indexOf(circle.toSorted()[0] ?? module);
    const turned = [...circle.slice(first), ...circle.slice(0, first)];
    found.set(turned.join(), turned);
  }
  return [...found.values()];
}

/** The modules from `start` to the one that imports `start` again; `undefined` where none does. */
function shortestCircle(start: string, graph: Graph): readonly string[] | undefined {
  const seen = new Set<string>();
  let paths: readonly (readonly string[])[] = [[start]];
  while (paths.length > 0) {
    const longer: (readonly string[])[] = [];
    for (const path of paths) {
      for (const target of graph.get(path.at(-1) ?? start)?.keys() ?? []) {
        if (target === start) return path;
        if (seen.has(target)) continue;
        seen.add(target);
        longer.push([...path, target]);
      }
    }
    paths = longer;
  }
  return undefined;
}

function describe(circle: readonly string[], graph: Graph): Finding {
  const [first = "", second = first] = circle;
  const way = [...circle, first].join(" -> ");
  const message = `is in a circle of imports: ${way}. Move what they share into the module that it belongs to`;
  return { file: `src/${first}`, line: graph.get(first)?.get(second), message };
}
