// Checks the configurations of MCP servers, and fills in environment variables.
import { type Checks, checkFields, checks, describe, isObject, oneOf } from "../../../core/checks.ts";
import { InvalidInputError } from "../../../core/errors.ts";
import { assertPrivate } from "../../../core/link/private-address.ts";
import { checkNames } from "../../../core/names.ts";

/** A local server that communicates over stdin and stdout. It runs with the rights of this process. */
export interface McpProgram {
  readonly type?: "stdio";
  /** The program. Started without a shell. */
  readonly command: string;
  readonly args?: readonly string[];
  /**
   * Added to the reduced environment. `$NAME` in a value is replaced by this process's variable, if set; its value is
   * taken out of errors.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** @default the option `cwd` */
  readonly cwd?: string;
}

/** A remote server. `sse` is the older transport. */
export interface McpAddress {
  /** @default "http": Streamable HTTP */
  readonly type?: "http" | "sse";
  readonly url: string | URL;
  /** Query parameters. */
  readonly params?: Readonly<Record<string, string>>;
  /** Headers of each request. `$NAME` as in `env` of a program. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type McpServerConfig = McpProgram | McpAddress;

export type Target = {
  /** Values to redact from messages. */
  readonly secrets: readonly string[];
} & (
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string | undefined;
    }
  | {
      readonly kind: "http" | "sse";
      readonly url: URL;
      readonly headers: Readonly<Record<string, string>>;
    }
);

type Variables = Readonly<Record<string, string | undefined>>;

const texts = checks.headers;

const PROGRAM_CHECKS: Checks<McpProgram> = {
  type: oneOf("stdio"),
  command: checks.text,
  args: {
    expects: "an array of strings",
    holds: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
  },
  env: texts,
  cwd: checks.text,
};

const ADDRESS_CHECKS: Checks<McpAddress> = {
  type: oneOf("http", "sse"),
  url: {
    expects: "a string or a URL",
    holds: (value) => typeof value === "string" || value instanceof URL,
  },
  params: texts,
  headers: texts,
};

const EITHER = { ...ADDRESS_CHECKS, ...PROGRAM_CHECKS };

/** @throws InvalidInputError for an invalid configuration, or if credentials would travel unencrypted */
export function checkConfig(name: string, config: McpServerConfig, allowInsecure: boolean): void {
  const what = `field of the MCP server \`${name}\``;
  if (!isObject(config as unknown))
    throw new InvalidInputError(
      `the MCP server \`${name}\` is ${describe(config)}.`,
      "Pass { command, args, env } or { url, headers }.",
    );
  // Without both fields, `url` may be misspelt: check the names first.
  if (!("url" in config) && !("command" in config)) checkNames(config, EITHER, what);
  if ("url" in config) {
    checkFields(config, ADDRESS_CHECKS, what);
    addressOf(name, config, allowInsecure);
    return;
  }
  checkFields(config, PROGRAM_CHECKS, what);
  if ((config.command as unknown) === undefined)
    throw new InvalidInputError(
      `the MCP server \`${name}\` has neither \`command\` nor \`url\`.`,
      "Pass { command, args, env } or { url, headers }.",
    );
}

/** @param variables this process's environment, for `$NAME` */
export function targetOf(config: McpServerConfig, variables: Variables, cwd: string | undefined): Target {
  if ("url" in config) {
    const { type = "http", params = {} } = config;
    const headers = expanded(config.headers ?? {}, variables);
    const values = Object.values(headers);
    const url = new URL(String(config.url));
    for (const [name, value] of Object.entries(params)) url.searchParams.append(name, value);
    const tokens = values.map((value) => value.replace(/^\S+\s+/, "")); // the token after `Bearer`
    return { kind: type, url, headers, secrets: [...values, ...tokens, ...url.searchParams.values()] };
  }
  const { command, args = [], env = {} } = config;
  const own = expanded(env, variables);
  const secrets = Object.entries(own).flatMap(([name, value]) => (value === env[name] ? [] : [value]));
  return { kind: "stdio", command, args, env: own, cwd: config.cwd ?? cwd, secrets };
}

function addressOf(
  name: string,
  { url: given, params = {}, headers = {} }: McpAddress,
  allowInsecure: boolean,
) {
  let url: URL;
  try {
    url = new URL(String(given));
  } catch {
    throw new InvalidInputError(
      `the \`url\` of the MCP server \`${name}\` cannot be read.`,
      'Give a string such as "https://host/mcp".',
    );
  }
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new InvalidInputError(
      `the \`url\` of the MCP server \`${name}\` begins with ${url.protocol}.`,
      "Use https://.",
    );
  if (url.username !== "" || url.password !== "")
    throw new InvalidInputError(
      `the \`url\` of the MCP server \`${name}\` holds a user name or a password.`,
      "`fetch` refuses that: pass `headers`.",
    );
  const hasSecrets = url.search !== "" || [params, headers].some((values) => Object.keys(values).length > 0);
  if (hasSecrets && !allowInsecure) assertPrivate(url);
}

/** Replaces `$NAME` in each value. Keeps `$NAME` if the variable is not set. */
function expanded(
  values: Readonly<Record<string, string>>,
  variables: Variables,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      value.replace(/\$([A-Z_][A-Z0-9_]*)/g, (written, variable: string) => variables[variable] ?? written),
    ]),
  );
}
