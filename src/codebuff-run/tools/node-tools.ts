// `nodeTools`: file, search and terminal tools for one folder, as handlers by name.
import type { ToolOutput } from "../../codebuff-events/print-mode.ts";
import { describe, isObject } from "../../core/checks.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { Recent } from "../../core/recent.ts";
import type { PromptFiles } from "../../core/turn/prompt-files.ts";
import type { ToolCall, ToolPreview } from "../../core/values.ts";
import { json } from "../calls/toolbox.ts";
import type { ReadProject } from "../project.ts";
import type { Reverted, RunChanges } from "./changes/run-changes.ts";
import type { Change } from "./changes/segment.ts";
import type { Door } from "./door/door.ts";
import { openDoor } from "./door/open-door.ts";
import type { Preview } from "./files/edit.ts";
import { fileTools, isEdit } from "./files/file-tools.ts";
import { Previews } from "./files/previews.ts";
import { promptFiles } from "./files/prompt-files.ts";
import { textsOf } from "./files/read-files.ts";
import { type CheckedTool, checkedTool } from "./job.ts";
import { checkOptions, type NodeToolsOptions } from "./options.ts";
import { BesideFiles } from "./project/knowledge.ts";
import { listFiles } from "./project/list-files.ts";
import { readProject } from "./project/read-project.ts";
import { codeSearch } from "./search/code-search.ts";
import { globFiles } from "./search/glob.ts";
import { runCommand } from "./terminal/run-command.ts";

/** A tool call of `CodebuffRun` or `CodebuffClient`. */
type NodeToolCall = Pick<ToolCall, "name" | "input" | "turnId"> & Partial<Pick<ToolCall, "id">>;

/** Runs one tool. For `overrideTools` of `CodebuffRun`, and `tools` of `CodebuffClient`. */
export interface NodeToolHandler {
  (
    call: NodeToolCall,
    context: { readonly signal: AbortSignal; readonly onProgress?: (output: string) => void },
  ): Promise<readonly ToolOutput[]>;
  /** Shows what an edit would change, for its approval. Only for tools that edit files. */
  readonly preview?: (
    call: NodeToolCall,
    context: { readonly signal: AbortSignal },
  ) => Promise<readonly ToolPreview[] | undefined>;
  /** Whether the tool changes nothing: several such calls of one answer run at the same time. */
  readonly readOnly?: boolean;
}

/** The file changes of one turn. */
export interface NodeToolChanges {
  /** The changed files with unified diffs, newest last. */
  list(): readonly Change[];
  /**
   * Undoes the changes, restores the modes, and removes folders that the turn made. A file that changed afterwards is a
   * conflict, and stays.
   */
  revert(): Promise<Reverted>;
}

/**
 * Tools for one local folder. As the option `files` of a client: prompts may name files of the folder. `listFiles` finds
 * paths in the folder that is typed, then by name, then by any part, among the first 25,000 entries; it follows no links.
 */
export interface NodeTools extends PromptFiles {
  /** For `overrideTools` of `CodebuffRun`, and `tools` of `CodebuffClient`, whose server sends edits as files or patches. */
  readonly handlers: Readonly<Record<string, NodeToolHandler>>;
  /** The tools' names, for an agent's `toolNames`. */
  readonly names: readonly string[];
  /**
   * For `project` of `CodebuffRun`: what prompts may say about the folder. From then on `read_files` also gives the
   * knowledge files beside what it reads.
   */
  readonly project: ReadProject;
  /** For `onReadFiles` of `CodebuffClient`: texts by path; `null` if unreadable, blocked, or over the limits of `read_files`. */
  readonly readFiles: (paths: readonly string[]) => Promise<Readonly<Record<string, string | null>>>;
  /**
   * A unified diff of what a call would change, or in brackets why it would fail. Writes nothing. The call is refused if
   * the file differs from its last preview, whoever has changed it; 10,000 previews are remembered. Pass the call
   * unchanged, with its `id`.
   * @returns `undefined` for a call that edits no file
   */
  preview(call: NodeToolCall): Promise<string | undefined>;
  /**
   * The changes that the tools have made in a turn and its sub-agents; none for an unknown id. Kept until `close()` for the
   * last 100 turns with tool calls, with 64 MiB of old and new files a turn: larger changes have `isRevertible: false`.
   * Changes by commands are not known. Universal events have the id as `native_turn_id` of `turn.started`.
   */
  changes(turn: string | { readonly id: string }): NodeToolChanges;
  /** Stops running calls (commands within 2 s), and closes the folder. Later calls fail. */
  close(): Promise<void>;
}

/** Turns whose changes are kept. Each holds old versions of files. */
const MAX_TURNS = 100;

/**
 * The tools for one folder. The first call opens the folder; it stays open until `close()`.
 *
 * - `read_files`: texts of files: 1 MiB a file, 2 Mi characters a call. Of a file of up to 10 MiB some lines can be read.
 *   What cannot be read is a marker: `[FILE_DOES_NOT_EXIST]`, `[BLOCKED]`, `[FILE_OUTSIDE_PROJECT]`, `[FILE_TOO_LARGE]`,
 *   `[FILE_READ_ERROR]`. A template of a file of secrets begins with `[TEMPLATE]`.
 * - `write_file`: a whole file, new or not, with missing folders. `str_replace`: texts in a file, 100 replacements a call;
 *   an `old` that is not there is tried with another indentation, then without spaces. `apply_patch`: creates, changes or
 *   deletes a file by a diff. Files have up to 10 MiB. An edit of a file that has changed since the agent read it is
 *   refused; edits of one file wait for each other. The result has `unifiedDiff`, but for `apply_patch`.
 * - `list_directory`: 10,000 names, without links. `glob`: 10,000 paths, without ignored files, 10 s.
 * - `code_search`: lines that match a regular expression of ripgrep: 250 matches, 20,000 characters, files of up to 10 MiB,
 *   10 s.
 * - `run_terminal_command`, with `terminal`: a command in a shell, without input; its output comes as `tool_progress`, and
 *   50,000 characters of each stream stay, without the middle. 30 s unless the agent asks for more. No background. An exit
 *   code is a result; a command that a signal ended has `signal` instead.
 *
 * No result but the output of commands has an absolute path that the agent has not named.
 * @throws InvalidInputError for invalid options. Calls fail if `root` is not a folder.
 */
export function nodeTools(options: NodeToolsOptions): NodeTools {
  checkOptions(options);
  return new FolderTools(options);
}

class FolderTools implements NodeTools {
  readonly root: string;
  readonly handlers: Readonly<Record<string, NodeToolHandler>>;
  readonly names: readonly string[];
  readonly #options: NodeToolsOptions;
  readonly #files = fileTools();
  readonly #previews = new Previews();
  readonly #changes = new Recent<string, RunChanges>(MAX_TURNS);
  readonly #calls = new OpenCalls();
  /** Set once a run has asked for the project. */
  #beside: BesideFiles | undefined;
  #door: Promise<Door> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: NodeToolsOptions) {
    this.#options = options;
    this.root = options.root;
    const tools = this.#tools();
    this.names = Object.keys(tools);
    this.handlers = Object.fromEntries(
      Object.entries(tools).map(([name, tool]): [string, NodeToolHandler] => [
        name,
        this.#handler(name, tool),
      ]),
    );
  }

  #handler(name: string, tool: CheckedTool): NodeToolHandler {
    const handler: NodeToolHandler = (call, context) =>
      this.#calls.run(context.signal, (signal) => this.#run(name, tool, call, { ...context, signal }));
    if (!isEdit(name)) return Object.assign(handler, { readOnly: name !== "run_terminal_command" });
    return Object.assign(handler, {
      preview: async (call: NodeToolCall, { signal }: { readonly signal: AbortSignal }) => {
        const told = (await this.#preview(call, signal))?.told;
        return told && [told];
      },
    });
  }

  #tools(): Readonly<Record<string, CheckedTool>> {
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
    tool: CheckedTool,
    { id, input, turnId = "" }: NodeToolCall,
    { signal, onProgress = () => {} }: Parameters<NodeToolHandler>[1],
  ): Promise<readonly ToolOutput[]> {
    const door = await this.#opened();
    const shown = this.#previews.take({ id, turnId, name, input });
    const changes = this.#changesOf(turnId, door);
    const result = await tool(input, { door, changes, shown, signal, onProgress });
    const beside = name === "read_files" ? this.#beside : undefined;
    return [json(beside ? await beside.addTo(result, door) : result)];
  }

  readonly project: ReadProject = ({ signal }) =>
    this.#calls.run(signal, async (limited) => {
      const { project = {} } = this.#options;
      if (project.knowledge !== false) this.#beside = new BesideFiles();
      return readProject(await this.#opened(), project, limited);
    });

  readonly readFiles = (paths: readonly string[]): Promise<Readonly<Record<string, string | null>>> =>
    this.#calls.run(undefined, async () => textsOf(await this.#opened(), paths));

  readonly listFiles: PromptFiles["listFiles"] = (prefix, { signal }) =>
    this.#calls.run(signal, async (limited) => listFiles(await this.#opened(), prefix, limited));

  readonly promptFiles: PromptFiles["promptFiles"] = (paths, { signal }) =>
    this.#calls.run(signal, async (limited) => promptFiles(await this.#opened(), this.root, paths, limited));

  async preview(call: NodeToolCall): Promise<string | undefined> {
    return Object.hasOwn(this.handlers, call.name) ? (await this.#preview(call, undefined))?.text : undefined;
  }

  /** @param wanted aborted: the user does not see the preview, so the call need not match it */
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
    // Looked up on each call: the turn may not have used a tool yet.
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
    const door = await this.#door?.catch(() => undefined); // the callers got the error
    await door?.close();
  }

  #changesOf(turnId: string, door: Door): RunChanges {
    const changes = this.#changes.get(turnId) ?? this.#files.changes(door);
    this.#changes.set(turnId, changes); // marks the turn as recently used
    return changes;
  }

  /** @throws InvalidInputError if `root` is not a folder, and after `close()` */
  #opened(): Promise<Door> {
    if (this.#closing) throw closed();
    this.#door ??= openDoor(this.#options).catch((error: unknown) => {
      this.#door = undefined; // the folder may be created later
      throw error;
    });
    return this.#door;
  }
}

function closed(): InvalidInputError {
  return new InvalidInputError("the tools were closed.", "Make new ones with nodeTools().");
}

/** The running tool calls, so that `close()` can stop them. */
class OpenCalls {
  readonly #open = new Map<AbortController, Promise<unknown>>();

  /** @param signal the caller's. `end()` also aborts the work. */
  async run<Result>(
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const controller = new AbortController();
    const abort = (): void => controller.abort(signal?.reason); // `AbortSignal.any` refuses signals of other realms
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    const result = work(controller.signal);
    this.#open.set(controller, result);
    try {
      return await result;
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#open.delete(controller);
    }
  }

  /** Aborts all calls, and waits until they settle. */
  async end(reason: Error): Promise<void> {
    const all = [...this.#open];
    for (const [controller] of all) controller.abort(reason);
    await Promise.allSettled(all.map(([, result]) => result));
  }
}
