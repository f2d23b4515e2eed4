// For programs with JSX, whose types Node cannot strip by itself: `node --import <this file> program.tsx`.
import { readFileSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

const load = createRequire(import.meta.url);

registerHooks({
  load(url, context, next) {
    if (!url.endsWith(".tsx")) return next(url, context);
    const { transformSync }: typeof import("esbuild") = load("esbuild"); // only here: programs without JSX start faster
    const text = readFileSync(fileURLToPath(url), "utf8");
    const { code } = transformSync(text, {
      loader: "tsx",
      format: "esm",
      jsx: "automatic",
      sourcemap: "inline",
    });
    return { format: "module", source: code, shortCircuit: true };
  },
});
