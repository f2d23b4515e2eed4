// Writes the declarations of CommonJS into dist/, from those of the ES modules.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exportedFiles } from "./support/commonjs.ts";
import { commonJsTypes } from "./support/commonjs-types.ts";

const ROOT = join(import.meta.dirname, "..");

const files = await exportedFiles(ROOT, ".d.cts");
const modules = files.map((file) => join(ROOT, file.replace(/\.d\.cts$/, ".d.ts")));
for (const [file, text] of commonJsTypes(modules)) await writeFile(file, text);
