/** Any backend as an agent for an editor, over stdio: `npm run example -- examples/acp-agent.ts --backend codey` */
import { parseArgs } from "node:util";
import { acpAgent } from "agentwire/acp/agent";
import { memoryStore } from "agentwire/chat";
import { directoryStore } from "agentwire/chat/node";
import { backendNamed, NAMES } from "./support/backends.ts";
import { wordsOf } from "./support/program.ts";

const HELP = `Usage: node examples/acp-agent.ts [options]

An agent that speaks ACP, the Agent Client Protocol, on stdin and stdout. An editor starts it. Zed does so with this
in its settings, where <repository> is the path of this repository, built by \`npm run build\`:

  "agent_servers": {
    "Agentwire": { "command": "node", "args": ["<repository>/examples/acp-agent.ts"] }
  }

Options:
  --backend <name>    ${NAMES.join(", ")}. Otherwise mock.
  --url <address>     The address of a server of yours, the program of cli, or the agent of acp. Needs --backend.
                      Otherwise a mock.
  --sessions <folder> Keeps the sessions there, so that the editor can open them again. Otherwise they are forgotten.
  --help              This text.

It ends with its stdin, and at SIGTERM and SIGINT. What it prints besides the protocol goes to stderr.
`;

async function serve(name: string, url: string | undefined, folder: string | undefined): Promise<void> {
  const backend = await backendNamed(name, url);
  try {
    const store = folder === undefined ? memoryStore() : directoryStore(folder);
    await acpAgent(() => backend.source, { store, name: `agentwire-${name}`, title: "Agentwire" }).stdio();
  } finally {
    await backend.stop();
  }
}

try {
  const options = {
    backend: { type: "string", default: "mock" },
    url: { type: "string" },
    sessions: { type: "string" },
    help: { type: "boolean", default: false },
  } as const;
  const { values } = parseArgs({ options });
  if (values.help) process.stdout.write(HELP);
  else await serve(values.backend, values.url, values.sessions);
} catch (error) {
  process.stderr.write(`${wordsOf(error)}\n`);
  process.exitCode = 2;
}
