import type { Manifest } from "./manifest.ts";
import { FRONT_DOOR, ROOMS } from "./rooms.ts";

/** The subpaths of `exports` that a browser may import: `.`, `./codebuff`, as `support/rooms.ts` has them. */
export function browserEntries(manifest: Manifest): readonly string[] {
  return Object.keys(manifest.exports).filter((subpath) => {
    const room = subpath === "." ? FRONT_DOOR : subpath.slice("./".length);
    const { neutral = false, elsewhere } = ROOMS.get(room) ?? {};
    return neutral || elsewhere !== undefined;
  });
}

/** The packages that the entry of a subpath takes from the user. */
export function peersOf(subpath: string): readonly string[] {
  return ROOMS.get(subpath.slice("./".length))?.peers ?? [];
}

/** What a user writes to import a subpath: `agentwire/codebuff` for `./codebuff`. */
export function specifierOf(manifest: Manifest, subpath: string): string {
  return manifest.name + subpath.slice(".".length);
}

/** Peers that an app builds its pages with. zod is no framework: the schemas bring it to an app that has none. */
export const FRAMEWORKS: readonly string[] = ["@ag-ui/core", "@opentelemetry/api", "ai", "ink", "react"];

/** The frameworks that the entry of a subpath takes from the user. */
export function frameworksOf(subpath: string): readonly string[] {
  return peersOf(subpath).filter((peer) => FRAMEWORKS.includes(peer));
}
