import type { ToolOutput } from "../../codebuff-events/print-mode.ts";
import { describe, isObject } from "../../core/checks.ts";
import { ClosedError, InvalidInputError } from "../../core/errors.ts";
import type { ToolCall } from "../../core/values.ts";
import { handledBuiltIn } from "../builtins.ts";
import { schemaOf, type ToolSchema } from "../tool-schema.ts";
import { failure, json } from "../toolbox.ts";
import { RunChanges } from "./changes/run-changes.ts";
import type { Door } from "./door/door.ts";
import { openDoor } from "./door/open-door.ts";
import { Refusal } from "./door/refusal.ts";
import type { LocalTool, ToolJob } from "./job.ts";
import { checkOptions, type NodeToolsOptions } from "./options.ts";
import { serverEdit } from "./server-edit.ts";
import { previewOf } from "./files/preview.ts";
import { textsOf } from "./files/texts.ts";
import { toolsOf } from "./tools-of.ts";

/** A call of a tool, of `CodebuffRun` or `CodebuffClient`. */
export type NodeToolCall = Pick<ToolCall, "name" | "input" | "turnId">;

/** Runs one tool. It is a handler for `overrideTools` of `CodebuffRun` and for `tools` of `CodebuffClient`. */
export type NodeToolHandler = (
  call: NodeToolCall,
  context: { readonly signal: AbortSignal; readonly onProgress?: (output: string) => void },
) => Promise<readonly ToolOutput[]>;

/** Tools that work in one folder of this machine. */
export interface NodeTools {
  /** For `overrideTools` of `CodebuffRun`, and for `tools` of `CodebuffClient`. */
  readonly handlers: Readonly<Record<string, NodeToolHandler>>;
  /** The names of the tools, for `toolNames` of an agent. */
  readonly names: readonly string[];
  /** For `onReadFiles` of `CodebuffClient`: texts by path; `null` for what cannot be read or must not be sent. */
  readonly readFiles: (paths: readonly string[]) => Promise<Readonly<Record<string, string | null>>>;
  /** What a call would change, as a unified diff, or why it would fail; `undefined` for a call that changes no file by itself. Writes nothing. */
  preview(call: Pick<NodeToolCall, "name" | "input">): Promise<string | undefined>;
  /** What the tools have changed in a turn, with its sub-agents. Kept for the last 100 turns. @param turn the turn, or its id */
  changes(turn: string | { readonly id: string }): RunChanges;
  /** Closes the folder. Calls that come later fail. */
  close(): Promise<void>;
}

/** Turns whose changes are kept: a user undoes one of the last. Each holds the files as they were. */
const MAX_TURNS = 100;

/**
 * Makes the tools `read_files`, `list_directory`, `glob`, `code_search`, `write_file`, `str_replace` and `apply_patch`, and with `terminal`
 * also `run_terminal_command`, for one folder. The folder is opened at the first call.
 * @throws InvalidInputError for wrong options
 */
export function nodeTools(options: NodeToolsOptions): NodeTools {
  checkOptions(options);
  return new FolderTools(options);
}
