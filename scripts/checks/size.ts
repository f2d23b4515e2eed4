import { gzipSync } from "node:zlib";
import { bundle } from "../support/bundle.ts";
import { browserEntries, specifierOf } from "../support/entries.ts";
import { readManifest } from "../support/manifest.ts";
import type { Check, Finding } from "./finding.ts";

/**
 * Bytes that a browser downloads for one protocol with everything in it, minified and gzipped. The bar is
 * 22 000 and is not reached yet; this keeps the way there from getting longer.
 */
export const LIMIT = 37_500;

/** What a browser downloads for each entry, all of it used. The front door holds every protocol: no limit. */
export const size: Check = async (root, note) => {
  const manifest = await readManifest(root);
  const findings: Finding[] = [];
  const entries = browserEntries(manifest);
  note(row("entry", "minified", "gzip -9", "limit"));
  for (const subpath of entries) {
    const specifier = specifierOf(manifest, subpath);
    const bundled = await bundle(root, `export * from ${JSON.stringify(specifier)};`, {
      minify: true,
    });
    for (const error of bundled.errors)
      findings.push({ check: "size", file: "package.json", message: error });
    const minified = Buffer.byteLength(bundled.code);
    const gzipped = gzipSync(bundled.code, { level: 9 }).byteLength;
    const limit = subpath === "." ? undefined : LIMIT;
    note(row(specifier, grouped(minified), grouped(gzipped), limit === undefined ? "" : grouped(limit)));
    if (limit !== undefined && gzipped > limit) {
      const message = `${specifier} is ${grouped(gzipped)} bytes in a browser, over its ${grouped(limit)}: bundle its src/ with esbuild --analyze to see what grew`;
      findings.push({ check: "size", file: "package.json", message });
    }
  }
  if (entries.length === 0) {
    findings.push({ check: "size", file: "package.json", message: "exports nothing for browsers" });
  }
  return findings;
};

function row(entry: string, ...columns: readonly string[]): string {
  return entry.padEnd(20) + columns.map((column) => column.padStart(10)).join("");
}

function grouped(bytes: number): string {
  return bytes.toString().replace(/\B(?=(\d{3})+$)/g, " ");
}
