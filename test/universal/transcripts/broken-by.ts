import type { Invariant } from "../../../src/universal/check/session-check.ts";
import type { Line } from "../../helpers/every-type.ts";

/** A transcript with one mistake. */
export interface Broken {
  readonly name: string;
  readonly events: readonly Line[];
  /** The index of the event with the problem. */
  readonly index: number;
  readonly says: RegExp;
}

export type BrokenBy = { readonly [Each in Invariant]?: readonly Broken[] };
