// The messages between main thread and worker, as types.
import type { LineRange } from "../hits.ts";
import type { TypeGlobs } from "./path-filter.ts";
import type { PatternSource } from "./pattern.ts";

export type WorkerSetup =
  | { readonly kind: "glob"; readonly pattern: string; readonly folder: string }
  | {
      readonly kind: "search";
      readonly pattern: PatternSource;
      readonly multiline: boolean;
      readonly maxPerFile: number;
      readonly globs: readonly string[];
      readonly types: readonly TypeGlobs[];
    };

export interface PathToMatch {
  readonly path: string;
  readonly isFolder: boolean;
}

export type WorkerRequest =
  | { readonly kind: "paths"; readonly paths: readonly PathToMatch[] }
  | { readonly kind: "files"; readonly files: readonly Uint8Array[] };

/** One item per path or file, in order. */
export type WorkerReply =
  | { readonly kind: "paths"; readonly wanted: readonly boolean[] }
  | { readonly kind: "files"; readonly ranges: readonly (readonly LineRange[])[] }
  | { readonly kind: "failed"; readonly message: string };
