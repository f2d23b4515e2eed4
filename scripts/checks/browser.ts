import { isBuiltin } from "node:module";
import { posix } from "node:path";
import { bundle } from "../support/bundle.ts";
import { browserEntries, peersOf, specifierOf } from "../support/entries.ts";
import { type Manifest, packageName, readManifest, resolveTarget } from "../support/manifest.ts";
import { type Edge, walkChunks } from "../support/walk-chunks.ts";
import type { Check, Finding } from "./finding.ts";

const FORMATS = ["import", "require"] as const;
const NODE_SOCKETS: ReadonlySet<string> = new Set(["ws", "isomorphic-ws"]);

/** No file that a browser can reach from a browser-safe entry names Node, `ws`, or a Node-only file. */
export const browser: Check = async (root, note) => {
  const manifest = await readManifest(root);
  const entries = browserEntries(manifest);
  const nodeFiles = filesForNodeOnly(manifest);
  const findings: Finding[] = [];
  const report = (file: string, message: string, line?: number) => {
    findings.push({ file, message, line });
  };
  const reachedPrivate = new Set<string>();
  let count = 0;

  for (const subpath of entries) {
    const specifier = specifierOf(manifest, subpath);
    for (const format of FORMATS) {
      const conditions = new Set(["browser", format]);
      const entry = resolveTarget(manifest.exports[subpath], conditions);
      if (entry === undefined) {
        report("package.json", `"${specifier}" has no file for a browser that uses ${format}`);
        continue;
      }
      const edges = await walkChunks(root, manifest, posix.normalize(entry), conditions);
      count += edges.length;
      for (const edge of edges) {
        if (edge.specifier?.startsWith("#")) reachedPrivate.add(edge.specifier);
        const name = edge.specifier === undefined ? undefined : packageName(edge.specifier);
        if (name !== undefined && peersOf(subpath).includes(name)) continue;
        const wrong = judge(edge, nodeFiles);
        if (wrong === undefined) continue;
        report(edge.file, `reached from ${specifier} (${format}): ${wrong}`, edge.line);
      }
    }

    // The second opinion: a real bundler, which also knows what this walk does not.
    const bundled = await bundle(root, `export * from ${JSON.stringify(specifier)};`);
    for (const error of bundled.errors) {
      report("package.json", `esbuild cannot bundle ${specifier}: ${error}`);
    }
    for (const input of bundled.inputs) {
      const name = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
      if (nodeFiles.has(input)) report(input, `is for Node only, and esbuild bundles it with ${specifier}`);
      if (name !== undefined && NODE_SOCKETS.has(name)) {
        report(input, `esbuild bundles ${name} with ${specifier}: it is for Node only`);
      }
    }
  }

  if (entries.length === 0) report("package.json", "exports nothing for browsers: there is nothing to check");
  for (const specifier of Object.keys(manifest.imports)) {
    if (entries.length === 0 || reachedPrivate.has(specifier)) continue;
    const message = `no entry reaches "${specifier}": keep it external in tsup.config.ts, or the build picks the platform`;
    report("package.json", message);
  }
  note(`${entries.length} entries in ${FORMATS.length} formats, ${count} imports walked`);
  return findings;
};

/** The files that a private import gives Node and nobody else. */
function filesForNodeOnly(manifest: Manifest): ReadonlySet<string> {
  const forNode = new Set<string>();
  const forOthers = new Set<string>();
  for (const target of Object.values(manifest.imports)) {
    for (const format of FORMATS) {
      const node = resolveTarget(target, new Set(["node", format]));
      const other = resolveTarget(target, new Set([format]));
      if (node !== undefined) forNode.add(posix.normalize(node));
      if (other !== undefined) forOthers.add(posix.normalize(other));
    }
  }
  return new Set([...forNode].filter((file) => !forOthers.has(file)));
}

function judge(edge: Edge, nodeFiles: ReadonlySet<string>): string | undefined {
  const { specifier, target } = edge;
  if (specifier === undefined) return "imports a computed name, which no bundler can follow";
  if (target !== undefined) {
    if (nodeFiles.has(target)) return `"${specifier}" leads to ${target}, which is for Node only`;
    return edge.exists ? undefined : `"${specifier}" leads to ${target}, which is not there: npm run build`;
  }
  if (isBuiltin(specifier)) return `"${specifier}" is a Node builtin`;
  if (NODE_SOCKETS.has(packageName(specifier))) return `"${specifier}" is for Node only`;
  if (specifier.startsWith("#")) return `"${specifier}" has no target for browsers in package.json`;
  return `"${specifier}" is not bundled: see external and noExternal in tsup.config.ts`;
}
