// Tool sources, such as MCP servers: started with a run, closed with the client.
import { describe, isObject } from "../../core/checks.ts";
import type { CancelTimer, Clock } from "../../core/clock.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { abortable } from "../model/abortable.ts";
import { type CodebuffRunTool, customTool, type Tool } from "./toolbox.ts";

/** A tool, named as in its source. */
export interface SourceTool extends CodebuffRunTool {
  readonly name: string;
}

export interface ToolSourceContext {
  /** Aborted when the run that waits for the tools stops. Other runs may still wait for them. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Warns about unusable tools. The client drops repeated messages. */
  readonly warn: (message: string) => void;
}

/** Tools that take time to start, for example those of a server. A source belongs to one client. */
export interface ToolSource {
  /**
   * At most 32 letters, digits, `-`, single `_`; no `_` at the end. The tool `read` of `files` is `files/read` in
   * `toolNames`, and `files__read` for the model and the gate.
   */
  readonly name: string;
  /** Called at the start of each run. If it fails, the run emits `error` and goes on without these tools. */
  tools(context: ToolSourceContext): Promise<readonly SourceTool[]>;
  /** Called when the client closes. Ends everything that the source started. */
  close(): Promise<void>;
}

export interface Sourced {
  readonly tools: readonly Tool[];
  readonly failed: readonly { readonly source: string; readonly error: unknown }[];
}

/** ms for a source to close. Longer than the stop of a server that must be killed. */
const CLOSE_GRACE = 5_000;

const NAME = /^(?!.*__)[A-Za-z0-9_-]{0,31}[A-Za-z0-9-]$/;

/** @throws InvalidInputError for invalid sources, and for duplicate names */
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

  /** Asks all sources in parallel. @throws the signal's reason */
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

  /** Closes all sources. Never rejects. Waits at most `CLOSE_GRACE`. */
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

/** Characters of a tool's name that model providers accept. */
const MAX_NAME = 64;

/** The tool's name for the model. Replaces other characters by `_`. A long name ends in its hash. */
function wireNameOf(source: string, tool: string): string {
  const name = `${source}__${tool.replace(/[^A-Za-z0-9_-]/g, "_")}`;
  if (name.length <= MAX_NAME) return name;
  const hash = hashOf(tool);
  return `${name.slice(0, MAX_NAME - hash.length - 1)}_${hash}`;
}

/** FNV-1a with 32 bits, as 8 hexadecimal digits. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
