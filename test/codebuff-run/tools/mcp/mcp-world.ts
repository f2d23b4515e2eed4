import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Clock, CodebuffRunToolCall, SourceTool, ToolOutput } from "agentwire/codebuff-run";
import { expect } from "vitest";
import type { McpProgram, McpServerConfig } from "../../../../src/codebuff-run/tools/mcp/config.ts";
import { type McpOptions, mcpServers } from "../../../../src/codebuff-run/tools/mcp/mcp-servers.ts";
import { systemClock } from "../../../../src/core/clock.ts";
import { fastStart } from "../../../helpers/sources.ts";

const PROGRAM = fileURLToPath(new URL("./program.ts", import.meta.url));

/** The configuration of the test server. */
export const program = (mode = "plain", env: Readonly<Record<string, string>> = {}): McpProgram => ({
  command: process.execPath,
  args: [PROGRAM, mode],
  env: { ...fastStart(), ...env },
});

export interface McpWorld extends AsyncDisposable {
  readonly warnings: readonly string[];
  /** As at the start of a run. */
  tools(signal?: AbortSignal): Promise<readonly SourceTool[]>;
  /** Starts the server if it must, and calls a tool. */
  call(name: string, input?: object, signal?: AbortSignal): Promise<readonly ToolOutput[]>;
  close(): Promise<void>;
}

/** One server as a source of tools. It is closed when the scope is left. */
export function mcpWorld(
  config: McpServerConfig,
  { clock = systemClock, ...options }: McpOptions & { readonly clock?: Clock } = {},
): McpWorld {
  const [source] = mcpServers({ s: config }, options);
  if (!source) throw new Error("there is no source");
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  const tools = (signal = new AbortController().signal): Promise<readonly SourceTool[]> =>
    source.tools({ signal, clock, warn });
  return {
    warnings,
    tools,
    call: async (name, input = {}, signal = new AbortController().signal) =>
      callTool(await tools(), name, input, signal),
    close: () => source.close(),
    [Symbol.asyncDispose]: () => source.close(),
  };
}

/** Calls a tool as a run does. */
export async function callTool(
  tools: readonly SourceTool[],
  name: string,
  input: object = {},
  signal = new AbortController().signal,
): Promise<readonly ToolOutput[]> {
  const tool = tools.find((each) => each.name === name);
  if (!tool) throw new Error(`there is no tool ${name}`);
  return tool.execute({ input } as CodebuffRunToolCall, { signal, onProgress: () => {} });
}

/** The text of a result. */
export function textOf(output: readonly ToolOutput[]): string {
  const [part] = output;
  return part?.type === "json" ? String(part.value) : "";
}

/** The words of a failed call. */
export function failureOf(output: readonly ToolOutput[]): string {
  const [part] = output;
  const value: unknown = part?.type === "json" ? part.value : undefined;
  expect(value).toEqual({ errorMessage: expect.any(String) });
  return (value as { readonly errorMessage: string }).errorMessage;
}

/** Whether a process is alive. One that has ended and that nobody has collected is not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" && !existsSync("/proc/self"); // a system without /proc
  }
}
