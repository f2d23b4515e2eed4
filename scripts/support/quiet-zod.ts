import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

/** What zod keeps on `globalThis`, for all copies of it to share; and what is in its place in ours, which shares nothing. */
const REPLACED: readonly (readonly [from: string, to: string])[] = [
  ["(_a = globalThis).__zod_globalConfig ?? (_a.__zod_globalConfig = {});", ""],
  ["export const globalConfig = globalThis.__zod_globalConfig;", "export const globalConfig = {};"],
  ["globalThis.__zod_globalConfig?.postProcessor", "globalConfig.postProcessor"],
];

/**
 * The code of zod's `core.js` without the global that it sets when it is loaded: importing this package changes nothing.
 * @throws Error when the code is not what it was: look at what the new version does, and change `REPLACED`
 */
export function withoutGlobals(code: string): string {
  let quiet = code;
  for (const [from, to] of REPLACED) {
    if (quiet.split(from).length !== 2) throw new Error(`zod does not have this once any more: ${from}`);
    quiet = quiet.replace(from, () => to);
  }
  if (quiet.includes("globalThis")) throw new Error("zod uses `globalThis` in another way than it did");
  return quiet;
}

/** Takes the global out of the zod that is bundled. */
export const quietZod: Plugin = {
  name: "quiet-zod",
  setup(build) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]core[\\/]core\.js$/ }, async ({ path }) => ({
      contents: withoutGlobals(await readFile(path, "utf8")),
      loader: "js",
    }));
  },
};
