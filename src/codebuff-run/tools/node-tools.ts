// `nodeTools`: the tools of one folder (files, search, terminal) as handlers by name.
import type { ToolOutput } from "../../codebuff-events/print-mode.ts";
import { describe, isObject } from "../../core/checks.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { Recent } from "../../core/recent.ts";
import type { ToolCall, ToolPreview } from "../../core/values.ts";
import { json } from "../calls/toolbox.ts";
import type { Reverted, RunChanges } from "./changes/run-changes.ts";
import type { Change } from "./changes/segment.ts";
import { checkedTool } from "./checked.ts";
import type { Door } from "./door/door.ts";
import { openDoor } from "./door/open-door.ts";
import { isEdit } from "./files/asked-edit.ts";
import type { Preview } from "./files/edit.ts";
import { fileRoom } from "./files/file-tools.ts";
import { Previews } from "./files/previews.ts";
import { textsOf } from "./files/texts.ts";
import type { Tool } from "./job.ts";
import { OpenCalls } from "./open-calls.ts";
import { checkOptions, type NodeToolsOptions } from "./options.ts";
import { codeSearch } from "./search/code-search.ts";
import { globFiles } from "./search/glob.ts";
import { runCommand } from "./terminal/run-command.ts";

/** A call of a tool, by `CodebuffRun` or `CodebuffClient`. */
export type NodeToolCall = Pick<ToolCall, "name" | "input" | "turnId"> & Partial<Pick<ToolCall, "id">>;

/** Runs one tool: a handler for `overrideTools` of `CodebuffRun` and for `tools` of `CodebuffClient`. */
export interface NodeToolHandler {
  (
    call: NodeToolCall,
    context: { readonly signal: AbortSignal; readonly onProgress?: (output: string) => void },
  ): Promise<readonly ToolOutput[]>;
  /** Of a tool that edits a file: what the call would change. The client asks this for the `preview` of an approval. */
  readonly preview?: (
    call: NodeToolCall,
    context: { readonly signal: AbortSignal },
  ) => Promise<readonly ToolPreview[] | undefined>;
}

/** What the tools have changed in one turn. */
export interface NodeToolChanges {
  /** Each file that was changed, the last one at the end, with a unified diff. */
  list(): readonly Change[];
  /** Puts the files back. One that somebody has changed since is a conflict, and stays as it is. */
  revert(): Promise<Reverted>;
}

/** Tools that work in one folder of this machine. */
export interface NodeTools {
  /** For `overrideTools` of `CodebuffRun`, and for `tools` of `CodebuffClient`. */
  readonly handlers: Readonly<Record<string, NodeToolHandler>>;
  /** The names of the tools, for `toolNames` of an agent. */
  readonly names: readonly string[];
  /** For `onReadFiles` of `CodebuffClient`: texts by path; `null` for what cannot be read, or must not be sent. */
  readonly readFiles: (paths: readonly string[]) => Promise<Readonly<Record<string, string | null>>>;
  /**
   * What a call would change, as a unified diff, or why it would fail. Writes nothing. The call, with the same turn, name and input, is refused
   * if it does not find the file as its last preview did. Pass the call as it came: the `id` tells it apart from an equal one.
   * @returns `undefined` for a call that edits no file
   */
  preview(call: NodeToolCall): Promise<string | undefined>;
  /**
   * What the tools have changed in a turn, with its sub-agents. Kept for the last 100 turns that used a tool.
   * @param turn the turn, or its id
   */
  changes(turn: string | { readonly id: string }): NodeToolChanges;
  /** Ends the calls that run, commands within 2 s, and closes the folder. Later calls fail. */
  close(): Promise<void>;
}

/** Turns whose changes are kept: who undoes, undoes one of the last. Each holds files as they were. */
const MAX_TURNS = 100;

/**
 * Makes `read_files`, `list_directory`, `glob`, `code_search`, `write_file`, `str_replace` and `apply_patch`, and with `terminal` also
 * `run_terminal_command`, for one folder. The folder is opened at the first call, and stays open until `close()`.
 * @throws InvalidInputError for wrong options. A call fails if `root` is not a folder.
 */
export function nodeTools(options: NodeToolsOptions): NodeTools {
  checkOptions(options);
  return new FolderTools(options);
}

class FolderTools implements NodeTools {
  readonly handlers: Readonly<Record<string, NodeToolHandler>>;
  readonly names: readonly string[];
  readonly #options: NodeToolsOptions;
  readonly #files = fileRoom();
  readonly #previews = new Previews();
  readonly #changes = new Recent<string, RunChanges>(MAX_TURNS);
  readonly #calls = new OpenCalls();
  #door: Promise<Door> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: NodeToolsOptions) {
    this.#options = options;
    const tools = this.#tools();
    this.names = Object.keys(tools);
    this.handlers = Object.fromEntries(
      Object.entries(tools).map(([name, tool]): [string, NodeToolHandler] => [
        name,
        this.#handler(name, tool),
      ]),
    );
  }

  #handler(name: string, tool: Tool): NodeToolHandler {
    const handler: NodeToolHandler = (call, context) =>
      this.#calls.run(context.signal, (signal) => this.#run(name, tool, call, { ...context, signal }));
    if (!isEdit(name)) return handler;
    return Object.assign(handler, {
      preview: async (call: NodeToolCall, { signal }: { readonly signal: AbortSignal }) => {
        const told = (await this.#preview(call, signal))?.told;
        return told && [told];
      },
    });
  }

  #tools(): Readonly<Record<string, Tool>> {
    const { write = true, terminal = false, searchFlags: allowFlags = false } = this.#options;
    const { ripgrepPath, ignoreFiles } = this.#options;
    const { read_files, list_directory, write_file, str_replace, apply_patch } = this.#files.tools;
    const terminalOptions = terminal === true ? {} : terminal;
    return {
      read_files,
      list_directory,
      glob: checkedTool("glob", globFiles()),
      code_search: checkedTool("code_search", codeSearch({ allowFlags, ripgrepPath, ignoreFiles })),
      ...(write ? { write_file, str_replace, apply_patch } : {}),
      ...(terminalOptions
        ? { run_terminal_command: checkedTool("run_terminal_command", runCommand(terminalOptions)) }
        : {}),
    };
  }

  async #run(
    name: string,
    tool: Tool,
    { id, input, turnId = "" }: NodeToolCall,
    { signal, onProgress = () => {} }: Parameters<NodeToolHandler>[1],
  ): Promise<readonly ToolOutput[]> {
    const door = await this.#opened();
    const shown = this.#previews.take({ id, turnId, name, input });
    const changes = this.#changesOf(turnId, door);
    return [json(await tool(input, { door, changes, shown, signal, onProgress }))];
  }

  readonly readFiles = (paths: readonly string[]): Promise<Readonly<Record<string, string | null>>> =>
    this.#calls.run(undefined, async () => textsOf(await this.#opened(), paths));

  async preview(call: NodeToolCall): Promise<string | undefined> {
    return Object.hasOwn(this.handlers, call.name) ? (await this.#preview(call, undefined))?.text : undefined;
  }

  /** @param wanted aborted: nobody sees the preview, so it is not what the call must find */
  async #preview(
    { id, name, input, turnId = "" }: NodeToolCall,
    wanted: AbortSignal | undefined,
  ): Promise<Preview | undefined> {
    const preview = await this.#calls.run(wanted, async (signal) => {
      const door = await this.#opened();
      const changes = this.#changesOf(turnId, door);
      return this.#files.preview({ name, input }, { door, changes, signal });
    });
    if (preview && wanted?.aborted !== true) this.#previews.note({ id, turnId, name, input }, preview.shown);
    return preview;
  }

  changes(turn: string | { readonly id: string }): NodeToolChanges {
    const id: unknown = isObject(turn) ? turn["id"] : turn;
    if (typeof id !== "string")
      throw new InvalidInputError(`the turn is ${describe(turn)}.`, "Pass a turn, or the id of one.");
    // Looked up each time: the turn may not have used a tool yet.
    return {
      list: () => this.#changes.get(id)?.list() ?? [],
      revert: async () => this.#changes.get(id)?.revert() ?? { reverted: [], conflicts: [] },
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.resolve(); // from here on `#closing` refuses calls
    await this.#calls.end(closed());
    const door = await this.#door?.catch(() => undefined); // who has called a tool was told
    await door?.close();
  }

  #changesOf(turnId: string, door: Door): RunChanges {
    const changes = this.#changes.get(turnId) ?? this.#files.changes(door);
    this.#changes.set(turnId, changes); // again: a long turn stays while others come and go
    return changes;
  }

  /** @throws InvalidInputError for a root that is no folder, and behind `close()` */
  #opened(): Promise<Door> {
    if (this.#closing) throw closed();
    this.#door ??= openDoor(this.#options).catch((error: unknown) => {
      this.#door = undefined; // the folder may be made later
      throw error;
    });
    return this.#door;
  }
}

function closed(): InvalidInputError {
  return new InvalidInputError("the tools were closed.", "Make new ones with nodeTools().");
}
