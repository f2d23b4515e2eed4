// The input of a tool's code for one call, as types.
import type { Changes } from "./changes/changes.ts";
import type { Door } from "./door/door.ts";
import type { Shown } from "./files/shown.ts";

export interface ToolJob {
  readonly door: Door;
  /** The run's changes so far, for undo. */
  readonly changes: Changes;
  /** What the call's preview found. If the file differs, the edit is refused. */
  readonly shown?: Shown | undefined;
  /** Aborted when the result is not needed any more. The tool then stops its work and settles. */
  readonly signal: AbortSignal;
  readonly onProgress: (output: string) => void;
}

/** Returns the result's `value`, or `{ errorMessage }` for the agent. A throw is a bug of this library. */
export type LocalTool<Input> = (input: Input, job: ToolJob) => Promise<object>;

/** A tool that checks its input itself. */
export type CheckedTool = LocalTool<unknown>;
