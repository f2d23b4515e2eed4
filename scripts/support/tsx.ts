// For programs with JSX, whose types Node cannot strip by itself: `node --import <this file> program.tsx`.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";

registerHooks({
  load(url, context, next) {
    if (!url.endsWith(".tsx")) return next(url, context);
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
