// Tools that take time to start, such as those of MCP servers: started with a run, closed with the client.
import { describe, isObject } from "../../core/checks.ts";
import type { CancelTimer, Clock } from "../../core/clock.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { abortable } from "../model/abortable.ts";
import { type CodebuffRunTool, customTool, type Tool } from "./toolbox.ts";

/** A tool with the name that it has at its source. */
export interface SourceTool extends CodebuffRunTool {
  readonly name: string;
}

export interface ToolSourceContext {
  /** Aborted when the run that waits for the tools is stopped. Other runs may wait for them too. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Tells what is wrong with some of the tools. The client repeats no text. */
  readonly warn: (message: string) => void;
}

/** Tools that take time to start: a server has them, for example. A source belongs to one client. */
export interface ToolSource {
  /**
   * Letters, digits, `-` and single `_`, 32 at most, without `_` at the end. The tool `read` of the source `files` is `files__read` for the
   * model and the gate, and `files/read` in `toolNames`.
   */
  readonly name: string;
  /** Called at the start of each run. If it fails, the run tells an `error` event and goes on without these tools. */
  tools(context: ToolSourceContext): Promise<readonly SourceTool[]>;
  /** The client is closed: ends all that the source has started. */
  close(): Promise<void>;
}

/** The tools of the sources, for one run. */
export interface Sourced {
  readonly tools: readonly Tool[];
  /** The sources that have failed. */
  readonly failed: readonly { readonly source: string; readonly error: unknown }[];
}

/** ms that a source has to end its work. Longer than a server needs that is killed after it was asked to end. */
const CLOSE_GRACE = 5_000;

const NAME = /^(?!.*__)[A-Za-z0-9_-]{0,31}[A-Za-z0-9-]$/;

/** @throws InvalidInputError for objects that are no sources, and for two of the same name. */
export function checkSources(sources: readonly ToolSource[]): void {
  const names = new Set<string>();
  for (const source of sources) {
    const { name } = source;
    if (typeof source.tools !== "function" || typeof source.close !== "function")
      throw new InvalidInputError(
        "`toolSources` holds an object without `tools` or `close`.",
        "Pass what `mcpServers()` returns, or { name, tools(), close() }.",
      );
    if (typeof name !== "string" || !NAME.test(name))
      throw new InvalidInputError(
        `${typeof name === "string" ? `\`${name}\`` : describe(name)} is no name of a tool source.`,
        "Use at most 32 letters, digits, `-` and single `_`, and no `_` at the end.",
      );
    if (names.has(name))
      throw new InvalidInputError(`two tool sources have the name \`${name}\`.`, "Rename one of them.");
    names.add(name);
  }
}

/** The tool sources of one client. */
export class ToolSources {
  readonly #sources: readonly ToolSource[];
  readonly #clock: Clock;
  readonly #warn: (message: string) => void;
  readonly #warned = new Set<string>();

  constructor(sources: readonly ToolSource[], clock: Clock, warn: (message: string) => void) {
    this.#sources = sources;
    this.#clock = clock;
    this.#warn = (message) => {
      if (this.#warned.has(message)) return;
      this.#warned.add(message);
      warn(message);
    };
  }

  get isEmpty(): boolean {
    return this.#sources.length === 0;
  }

  /** Asks all sources at the same time. @throws the signal's reason when it is aborted */
  async tools(signal: AbortSignal): Promise<Sourced> {
    const failed: Sourced["failed"][number][] = [];
    const lists = await Promise.all(
      this.#sources.map(async (source) => {
        try {
          const context = { signal, clock: this.#clock, warn: this.#warn };
          return this.#named(source.name, await abortable(source.tools(context), signal));
        } catch (error) {
          if (signal.aborted) throw signal.reason;
          failed.push({ source: source.name, error });
          return [];
        }
      }),
    );
    return { tools: lists.flat(), failed };
  }

  #named(source: string, list: readonly SourceTool[]): readonly Tool[] {
    const tools = new Map<string, Tool>();
    for (const each of list) {
      const tool = this.#tool(source, each);
      if (tool && tools.has(tool.name))
        this.#warn(`the tool ${source}/${each.name} is not offered: another tool is named ${tool.name}`);
      else if (tool) tools.set(tool.name, tool);
    }
    return [...tools.values()];
  }

  #tool(source: string, { name, ...tool }: SourceTool): Tool | undefined {
    try {
      return { ...customTool(wireNameOf(source, name), tool), origin: { source, path: `${source}/${name}` } };
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      this.#warn(`the tool ${source}/${name} is not offered: ${error.message}`);
      return undefined;
    }
  }

  /** Ends all sources. Never rejects, and waits at most `CLOSE_GRACE`. */
  async close(): Promise<void> {
    await Promise.all(this.#sources.map((source) => this.#close(source)));
  }

  async #close(source: ToolSource): Promise<void> {
    let cancel: CancelTimer = () => {};
    const late = new Promise<never>((_, reject) => {
      const error = new Error(`it has not ended within ${CLOSE_GRACE} ms`);
      cancel = this.#clock.setTimeout(() => reject(error), CLOSE_GRACE);
    });
    try {
      await Promise.race([source.close(), late]);
    } catch (error) {
      const why = isObject(error) ? String(error["message"]) : describe(error);
      this.#warn(`the tool source ${source.name} did not close: ${why}`);
    } finally {
      cancel();
    }
  }
}

/** Characters of a tool's name that models and their servers take. */
const MAX_NAME = 64;

/** The name for the model. Other characters than a name may have become `_`; a long name ends in a hash of itself. */
function wireNameOf(source: string, tool: string): string {
  const name = `${source}__${tool.replace(/[^A-Za-z0-9_-]/g, "_")}`;
  if (name.length <= MAX_NAME) return name;
  const hash = hashOf(tool);
  return `${name.slice(0, MAX_NAME - hash.length - 1)}_${hash}`;
}

/** FNV-1a, 32 bits, as 8 hexadecimal digits. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
