import { join } from "node:path";
import { measureSizes } from "../../scripts/support/sizes.ts";
import type { Case } from "./figure.ts";

export const size: Case = {
  name: "size",
  about: "what a browser downloads",
  async measure(_effort, progress) {
    progress("bundling each entry for a browser");
    const { sizes, errors } = await measureSizes(join(import.meta.dirname, "../.."));
    if (errors.length > 0) throw new Error(errors.join("\n"));
    return [
      {
        name: "size-codebuff",
        about: "browser bundle of the client in `agentwire/codebuff`, minified and gzipped",
        unit: "kB",
        bar: 40,
        aim: 36,
        measured: (sizes["agentwire/codebuff, its client"]?.gzip ?? Number.NaN) / 1_000,
      },
      {
        name: "size-codey",
        about: "browser bundle of the client in `agentwire/codey`, minified and gzipped",
        unit: "kB",
        bar: 30,
        aim: 27,
        measured: (sizes["agentwire/codey, its client"]?.gzip ?? Number.NaN) / 1_000,
      },
      {
        name: "size-cass",
        about: "browser bundle of the client in `agentwire/cass`, minified and gzipped",
        unit: "kB",
        bar: 42,
        aim: 38,
        measured: (sizes["agentwire/cass, its client"]?.gzip ?? Number.NaN) / 1_000,
      },
    ];
  },
};
