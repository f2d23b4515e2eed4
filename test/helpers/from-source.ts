// For a program in a process of its own that is to run from the sources: `node --import <this file> program.ts`.
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import "../../scripts/support/tsx.ts";
import { BUILD, builtName, SOURCES } from "./sources.ts";

/** Set in the tests of Vitest: the sources as a few files, see `build.ts`. */
const build = process.env[BUILD];

registerHooks({
  resolve: (specifier, context, next) => {
    const source = Object.hasOwn(SOURCES, specifier) ? SOURCES[specifier] : undefined;
    if (source === undefined) return next(specifier, context);
    const file = build === undefined ? source : join(build, `${builtName(specifier)}.mjs`);
    return next(pathToFileURL(file).href, context);
  },
});
