import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";

/** What `exports` or `imports` says of one name: a file, nothing, or a choice by condition. */
export type Target = string | null | { readonly [condition: string]: Target };

const target: z.ZodMiniType<Target> = z.lazy(() =>
  z.union([z.string(), z.null(), z.record(z.string(), target)]),
);
const names = z._default(z.record(z.string(), z.string()), {});
const manifest = z.object({
  name: z.string(),
  version: z.string(),
  exports: z._default(z.record(z.string(), target), {}),
  imports: z._default(z.record(z.string(), target), {}),
  dependencies: names,
  devDependencies: names,
  peerDependencies: names,
  engines: z._default(z.object({ node: z.string() }), { node: "" }),
});

/** The parts of a `package.json` that the checks read. */
export type Manifest = z.infer<typeof manifest>;

export async function readManifest(folder: string): Promise<Manifest> {
  return manifest.parse(JSON.parse(await readFile(join(folder, "package.json"), "utf8")));
}

/** The file a resolver that has `conditions` takes: the first condition that matches wins, as in Node. */
export function resolveTarget(from: Target | undefined, conditions: ReadonlySet<string>): string | undefined {
  if (from === undefined || from === null) return undefined;
  if (typeof from === "string") return from;
  for (const [condition, next] of Object.entries(from)) {
    if (condition !== "default" && !conditions.has(condition)) continue;
    const file = resolveTarget(next, conditions);
    if (file !== undefined) return file;
  }
  return undefined;
}

/** `@scope/name` or `name` of an import that is neither relative nor private. */
export function packageName(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}
