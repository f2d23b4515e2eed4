// A tool's code: what it gets for one call, and the check of its input.
import { describe, isObject } from "../../core/checks.ts";
import { HANDLED } from "../calls/builtins.ts";
import { issuesText, schemaOf } from "../calls/tool-schema.ts";
import type { Door, FileRead } from "./door/door.ts";
import type { Stamp } from "./door/stamp.ts";
import type { Shown } from "./files/previews.ts";

/** The files that a run's tools have read and written. Paths are relative to the root, without links. */
export interface Changes {
  /**
   * Reports one finished write or delete. The agent then knows the new content.
   * @param before `"link"`: a link was deleted; `undefined`: there was no file
   * @param after `undefined`: the file was deleted
   * @param madeFolders folders that the write created
   */
  note(
    path: string,
    before: FileRead | "link" | undefined,
    after: FileRead | undefined,
    madeFolders?: readonly string[],
  ): void;
  /** Reports the version that the agent has seen; `undefined`: no file. */
  saw(path: string, stamp: Stamp | undefined): void;
  /** Whether a file has changed since the agent last saw it. `false` if the agent never saw it. */
  isStale(path: string, stamp: Stamp | undefined): boolean;
}

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

type HandledName = keyof typeof HANDLED;

type Checked<Input> = { readonly input: Input } | { readonly errorMessage: string };

/** Makes a check for one tool. Needed for inputs from a server, which nothing has checked. */
export function checkOf<Input>(name: HandledName): (given: unknown) => Promise<Checked<Input>> {
  const schema = schemaOf(HANDLED[name].parameters, name);
  return async (given) => {
    if (!isObject(given))
      return { errorMessage: `Invalid parameters for ${name}: the input is ${describe(given)}.` };
    const checked = await schema.check(given);
    return "issues" in checked
      ? { errorMessage: issuesText(name, checked) }
      : { input: checked.input as Input }; // the schema has checked it
  };
}

export function checkedTool<Input>(name: HandledName, run: LocalTool<Input>): CheckedTool {
  const check = checkOf<Input>(name);
  return async (given, job) => {
    const checked = await check(given);
    return "errorMessage" in checked ? checked : run(checked.input, job);
  };
}
