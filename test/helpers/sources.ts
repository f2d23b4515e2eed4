import { fileURLToPath } from "node:url";

const source = (path: string): string => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));

/** The entries of the package, from the sources. A name comes before the names that begin with it and are shorter. */
export const SOURCES: Readonly<Record<string, string>> = {
  "#socket": source("core/link/socket.node.ts"),
  "agentwire/codebuff": source("codebuff/index.ts"),
  "agentwire/codey": source("codey/index.ts"),
  "agentwire/cass": source("cass/index.ts"),
  "agentwire/codebuff-cli": source("codebuff-cli/index.ts"),
  "agentwire/acp/agent": source("acp-agent/index.ts"),
  "agentwire/acp": source("acp/index.ts"),
  "agentwire/codebuff-run/tools": source("codebuff-run/tools/index.ts"),
  "agentwire/codebuff-run": source("codebuff-run/index.ts"),
  "agentwire/universal": source("universal/index.ts"),
  "agentwire/chat/node": source("chat/node.ts"),
  "agentwire/chat": source("chat/index.ts"),
  "agentwire/react/ui": source("react/ui/index.ts"),
  "agentwire/react": source("react/index.ts"),
  "agentwire/ink": source("ink/index.ts"),
  "agentwire/ai-sdk": source("ai-sdk/index.ts"),
  "agentwire/ag-ui": source("ag-ui/index.ts"),
  "agentwire/otel": source("otel/index.ts"),
  "agentwire/server/node": source("server/node.ts"),
  "agentwire/server/redis": source("server/redis/index.ts"),
  "agentwire/server": source("server/index.ts"),
  "agentwire/remote": source("remote/index.ts"),
  "agentwire/schemas": source("schemas/index.ts"),
  "agentwire/testing/agent": source("testing/agent/index.ts"),
  "agentwire/testing": source("testing/index.ts"),
  agentwire: source("index.ts"),
};

/** The variable that names the folder of the build of `build.ts`. */
export const BUILD = "AGENTWIRE_TEST_BUILD";

/** The program `agentwire` in that folder, without its extension. */
export const PROGRAM = "program";

/** The variables with which a program starts fast: the build, and where Node keeps what it has compiled. */
export function fastStart(): Record<string, string> {
  const names = [BUILD, "NODE_COMPILE_CACHE"];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** The file of an entry in the build, without its extension. */
export const builtName = (entry: string): string => entry.replaceAll("/", "-");
