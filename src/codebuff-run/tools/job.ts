// What the code of a tool gets for one call, as types.
import type { Changes } from "./changes/changes.ts";
import type { Door } from "./door/door.ts";
import type { Shown } from "./files/shown.ts";

/** One call of a tool, for the code of the tool. */
export interface ToolJob {
  readonly door: Door;
  /** What the run of this call has written so far, for undo. */
  readonly changes: Changes;
  /** What a preview of this call found. The edit is refused if it finds anything else. */
  readonly shown?: Shown | undefined;
  /** Aborted when the result is not wanted any more. The tool ends what it has started, then settles. */
  readonly signal: AbortSignal;
  /** Tells output while the tool works. */
  readonly onProgress: (output: string) => void;
}

/**
 * A tool: its input fits the parameters in `builtins.ts`. What it returns is the `value` of the result. A failure that the agent is to see is
 * returned too, as `{ errorMessage }`; what is thrown is a mistake of this library.
 */
export type LocalTool<Input> = (input: Input, job: ToolJob) => Promise<object>;

/** A tool that checks its input first. */
export type Tool = LocalTool<unknown>;
