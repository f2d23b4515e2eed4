/** The web chat on a relay: `npm run example:relay -- [options] [address]` */
import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { sqliteLog } from "agentwire/server/node";
import { AGENTS, openAcpAgent } from "../support/acp-agent.ts";
import { untilEnd } from "../support/keys.ts";
import { openMocks } from "../web-chat/mock/open.ts";
import { BACKENDS, readPort, readServer, type Servers, servePage } from "../web-chat/serve.ts";
import { tokenBeside } from "./access.ts";
import { frontOf } from "./front.ts";
import { openRelay } from "./relay.ts";

const NAMES = ["mock", ...BACKENDS, "acp"];

const HELP = `Usage: npm run example:relay -- [options] [address or agent]

Serves the web chat, and the relay that its chats are on. The agents run in this process, the chats are in a SQLite file:
a page can be reloaded in the middle of an answer, and any number of windows show the same chat. Each backend is a mock,
but for the one whose address or program is given. q or Ctrl-C ends; without a terminal, q on the standard input.

A second process over the same file serves the same chats, on another port: start the command again in another terminal.
When one ends, the other one goes on with its chats.

Options:
  --backend <name> The backend that the page begins with: ${NAMES.join(", ")}. With an address: the backend that
                   is there, such as --backend codey ws://127.0.0.1:8080/. For acp, an agent that is installed:
                   ${AGENTS.join(", ")}, or another program. It works in this folder.
  --file <path>    Where the chats are kept. A file with a token is put beside it. Default: .relay/chats.sqlite
  --port <number>  Where to find the page, on 127.0.0.1; the next free port when it is taken, 0 for any. Default: 5180
  --help           This text.
`;

interface Choice {
  readonly backend: string;
  /** Servers that are no mocks. */
  readonly real: Servers;
  /** The agent that speaks ACP. Absent for a mock. */
  readonly agent: string | undefined;
  readonly file: string;
  readonly port: number;
}

async function serve({ backend, real, agent: name, file, port }: Choice): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const log = sqliteLog(file);
  const token = tokenBeside(file);
  const agent = await openAcpAgent(name, process.cwd());
  const mocks = await openMocks();
  const relay = openRelay(log, token, { ...mocks.servers, ...real, acp: agent.options });
  try {
    const page = await servePage({
      root: import.meta.dirname,
      servers: {},
      port,
      cacheDir: process.env["AGENTWIRE_VITE_CACHE"] ?? resolve("node_modules/.vite-relay"),
      middleware: frontOf(relay, log, token),
    });
    try {
      say(`
  ${page.url}?token=${token}&backend=${backend}&chat=first

  Open it in two windows: both show the same chat. Reload one in the middle of an answer, and decide in the other.
  The link lets in whoever has it. The chats are in ${file}.

  q ends.
`);
      await untilEnd();
      say("Ending.");
    } finally {
      await relay.close(); // waits for turns, and gives the chats to other processes
      await page.close();
    }
  } finally {
    await relay.close();
    await log.close();
    await agent.stop();
    await mocks.stop();
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      backend: { type: "string", default: "mock" },
      file: { type: "string", default: ".relay/chats.sqlite" },
      port: { type: "string", default: "5180" },
      help: { type: "boolean" },
    },
  });
  const { backend, file, port, help } = values;
  if (!NAMES.includes(backend)) throw new TypeError(`--backend takes one of ${NAMES.join(", ")}.`);
  const [address, ...more] = positionals;
  if (more.length > 0) throw new TypeError("There is more than one address.");
  if (file === "") throw new TypeError("--file takes a path.");
  const isAcp = backend === "acp";
  const choice = {
    backend,
    real: isAcp ? {} : readServer(backend, address),
    agent: isAcp ? address : undefined,
    file: resolve(file),
    port: readPort(port),
  };
  if (help) say(HELP);
  else await serve(choice);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\nTry --help.\n`);
  process.exitCode = 2;
}
