// `mcpServers`: the tools of MCP servers for runs, and its options.
import { type Checks, checkFields, checks, isObject } from "../../../core/checks.ts";
import { InvalidInputError } from "../../../core/errors.ts";
import { programEnvironment } from "../../../process/environment.ts";
import type { ToolSource } from "../../calls/tool-sources.ts";
import { checkConfig, type McpServerConfig, targetOf } from "./config.ts";
import { McpServer } from "./mcp-server.ts";
import type { McpLimits } from "./session.ts";

/** Options of {@link mcpServers}. Times are in ms; 0 disables a limit. */
export interface McpOptions extends Partial<McpLimits> {
  /** ms for start and handshake. @default 30_000: `npx` may download the package first */
  readonly startTimeout?: number;
  /** ms for the list of tools. Each run waits for it. @default 10_000 */
  readonly listTimeout?: number;
  /** ms per call. @default 300_000: builds and browsers take minutes */
  readonly callTimeout?: number;
  /** The working directory of programs. @default that of this process */
  readonly cwd?: string;
  /** Makes a program's environment from its `env`. @default `env` and this process's variables, without credentials */
  readonly environment?: (
    env: Readonly<Record<string, string>>,
  ) => Readonly<Record<string, string | undefined>>;
  /** Allows headers and parameters over plain `http:` to other machines. @default false */
  readonly allowInsecure?: boolean;
  /** @default the platform's, read for each request */
  readonly fetch?: typeof globalThis.fetch;
}

const CHECKS: Checks<McpOptions> = {
  startTimeout: checks.delay,
  listTimeout: checks.delay,
  callTimeout: checks.delay,
  cwd: checks.text,
  environment: checks.function,
  allowInsecure: checks.boolean,
  fetch: checks.function,
};

/**
 * The tools of MCP servers, for `toolSources`. A server starts with the first run, and ends with the client. **A
 * program runs with your rights**, without a root, in a process group of its own; the next run starts an ended one
 * again. Needs the package `@modelcontextprotocol/client`, version 2.
 *
 * The tool `create` of `tickets` is `tickets__create` for the model and the gate, and `tickets/create` in `toolNames`. It
 * cannot take the name of a built-in tool. A server that does not start is an `error` event, and the run goes on; after
 * three failures in a row it is tried again after 60 s. Limits: 128 tools a server, 16 MiB a message, 500 levels of
 * nesting in an answer.
 *
 * @example
 * const client = new CodebuffRun({ toolSources: mcpServers({ docs: { command: "npx", args: ["-y", "docs-server"] } }) });
 * @throws InvalidInputError for the first invalid configuration or option
 */
export function mcpServers(
  servers: Readonly<Record<string, McpServerConfig>>,
  options: McpOptions = {},
): readonly ToolSource[] {
  if (!isObject(servers as unknown) || !isObject(options as unknown))
    throw new InvalidInputError(
      "the servers or the options are no object.",
      "Pass { name: { command } }, and options.",
    );
  checkFields(options, CHECKS, "option");
  const { startTimeout = 30_000, listTimeout = 10_000, callTimeout = 300_000 } = options;
  const { allowInsecure = false, environment = withoutCredentials } = options;
  return Object.entries(servers).map(([name, config]) => {
    checkConfig(name, config, allowInsecure);
    return new McpServer({
      name,
      target: () => targetOf(config, process.env, options.cwd),
      limits: { startTimeout, listTimeout, callTimeout },
      environment,
      fetch: (url, init) => (options.fetch ?? globalThis.fetch)(url, init),
    });
  });
}

function withoutCredentials(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { platform } = process;
  return programEnvironment({ own: process.env, env, platform });
}
