/** A chat in the browser, for every backend that a browser can reach: `npm run example:web -- [options] [address]` */
import { resolve } from "node:path";
import { parseArgs, styleText } from "node:util";
import { untilEnd } from "../support/keys.ts";
import { wantsColour } from "../support/terminal.ts";
import { TOPICS } from "./mock/cass-topics.ts";
import { type LivelyMocks, LOGIN, openMocks } from "./mock/open.ts";
import { BACKENDS, buildPage, readPort, readServer, type Servers, servePage } from "./serve.ts";

const NAMES = ["mock", ...BACKENDS];

const HELP = `Usage: npm run example:web -- [options] [address]

Serves a chat with an agent. The page offers every backend that a browser can reach; each is a mock, but for the backend
whose address is given. An agent that speaks ACP is a program, which no browser can start: the same page offers it behind
a relay, with npm run example:relay -- --backend acp.
r restarts the mocks, q or Ctrl-C ends; without a terminal the same letters are read from the standard input.

Options:
  --backend <name> The backend that the page begins with: ${NAMES.join(", ")}. With an address: the backend that is
                   there, such as --backend codey ws://127.0.0.1:8080/
  --port <number>  Where to find the page; the next free port when it is taken, 0 for any. Default: 5173
  --build <folder> Build the page into that folder instead, for a web server.
                   That has to pass on ${BACKENDS.map((name) => `/${name}`).join(", ")}, with WebSockets, to the servers,
                   and to refuse what comes from another origin.
  --help           This text.
`;

const colour = wantsColour(process.env, process.stdout.isTTY);
const bold = (text: string): string => (colour ? styleText("bold", text) : text);

/** What the page begins with, and where it is. */
interface Choice {
  readonly backend: string | undefined;
  /** Servers that are no mocks. */
  readonly real: Servers;
  readonly port: number;
}

async function serve({ backend, real, port }: Choice): Promise<void> {
  const mocks = await openMocks();
  try {
    const servers = { ...mocks.servers, ...real };
    const page = await servePage({ servers, port, cacheDir: process.env["AGENTWIRE_VITE_CACHE"] });
    try {
      const url = backend === undefined ? page.url : `${page.url}?backend=${backend}`;
      say(introduction(url, real));
      await untilEnd({ r: () => void restart(mocks) });
      say("Ending.");
    } finally {
      await page.close();
    }
  } finally {
    await mocks.stop();
  }
}

function introduction(page: string, real: Servers): string {
  const lines = ["", bold(`  ${page}`), ""];
  for (const name of BACKENDS) {
    const address = real[name];
    if (address !== undefined) lines.push(`  ${name} is at ${address}; the other backends are mocks.`, "");
  }
  if (real.cass === undefined) {
    const width = Math.max(...TOPICS.map((topic) => topic.say.length));
    lines.push(
      `  Cass: log in as ${bold(LOGIN.email)} with the password ${bold(LOGIN.password)}, or go on without an account. Say:`,
      "",
      ...TOPICS.map((topic) => `    ${topic.say.padEnd(width)}  ${topic.shows}`),
      "",
    );
  }
  lines.push(
    "  An agent that speaks ACP is a program, which no browser can start. The same page with one, behind a relay:",
    `    ${bold("npm run example:relay -- --backend acp")}`,
    "",
    "  r restarts the mocks, q ends.",
  );
  return `${lines.join("\n")}\n`;
}

async function restart(mocks: LivelyMocks): Promise<void> {
  say("The mocks restart.");
  await mocks.restart();
  say("They are back.");
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** @throws TypeError for a name or an address that cannot work. */
function choiceOf(backend: string | undefined, address: string | undefined, port: string): Choice {
  const number = readPort(port);
  if (backend !== undefined && !NAMES.includes(backend))
    throw new TypeError(`--backend takes one of ${NAMES.join(", ")}.`);
  return { backend, real: readServer(backend, address), port: number };
}

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      backend: { type: "string" },
      port: { type: "string", default: "5173" },
      build: { type: "string" },
      help: { type: "boolean" },
    },
  });
  const choice = choiceOf(values.backend, positionals[0], values.port);
  if (values.help) say(HELP);
  else if (values.build !== undefined) await buildPage(resolve(values.build));
  else await serve(choice);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\nTry --help.\n`);
  process.exitCode = 2;
}
