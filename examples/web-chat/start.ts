/** A chat in the browser with a Cass: `npm run example:web -- [options] [http://127.0.0.1:8000/]` */
import { resolve } from "node:path";
import { parseArgs, styleText } from "node:util";
import { wantsColour } from "../support/terminal.ts";
import { type LivelyMock, LOGIN, openMock } from "./mock/open.ts";
import { TOPICS } from "./mock/topics.ts";
import { buildPage, servePage } from "./serve.ts";

const HELP = `Usage: npm run example:web -- [options] [http://127.0.0.1:8000/]

Serves a chat with the Cass server at that address, or with a mock inside this process.
r restarts the mock, q or Ctrl-C ends; without a terminal the same letters are read from the standard input.

Options:
  --port <number>  Where to find the page; the next free port when it is taken, 0 for any. Default: 5173
  --build <folder> Build the page into that folder instead, for a web server.
                   That has to pass on /cass, with WebSockets, to the server of Cass.
  --help           This text.
`;

const CTRL_C = "\u0003";
const colour = wantsColour(process.env, process.stdout.isTTY);
const bold = (text: string): string => (colour ? styleText("bold", text) : text);

async function serve(address: string | undefined, port: number): Promise<void> {
  const mock = address === undefined ? await openMock() : undefined;
  try {
    const server = address ?? mock?.url ?? "";
    const page = await servePage({ server, port, cacheDir: process.env["AGENTWIRE_VITE_CACHE"] });
    try {
      say(introduction(page.url, server, mock !== undefined));
      await endOfShow(mock);
      say("Ending.");
    } finally {
      await page.close();
    }
  } finally {
    await mock?.stop();
  }
}

function introduction(page: string, server: string, isMock: boolean): string {
  const lines = ["", bold(`  ${page}`), ""];
  if (isMock) {
    const width = Math.max(...TOPICS.map((topic) => topic.say.length));
    lines.push(
      `  Cass is a mock inside this process, at ${server}`,
      `  Log in as ${bold(LOGIN.email)} with the password ${bold(LOGIN.password)}, or go on without an account. Say:`,
      "",
      ...TOPICS.map((topic) => `    ${topic.say.padEnd(width)}  ${topic.shows}`),
      "",
      "  r restarts the mock, q ends.",
    );
  } else lines.push(`  Cass is at ${server}; q ends.`);
  return `${lines.join("\n")}\n`;
}

/** Obeys the keys until one, or a signal, ends it all. */
async function endOfShow(mock: LivelyMock | undefined): Promise<void> {
  const { stdin } = process;
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const onKeys = (keys: string): void => {
    for (const key of keys) {
      if (key === "q" || key === CTRL_C) end();
      if (key === "r" && mock) void restart(mock);
    }
  };
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  // A raw terminal hands out keys one by one, Ctrl-C among them.
  if (stdin.isTTY) stdin.setRawMode(true);
  stdin.setEncoding("utf8").on("data", onKeys);
  await ended;
  stdin.off("data", onKeys).pause();
  if (stdin.isTTY) stdin.setRawMode(false);
}

async function restart(mock: LivelyMock): Promise<void> {
  say("The mock restarts.");
  await mock.restart();
  say("It is back.");
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { port: { type: "string" }, build: { type: "string" }, help: { type: "boolean" } },
  });
  const [address] = positionals;
  const port = Number(values.port ?? 5173);
  if (!(Number.isInteger(port) && port >= 0 && port < 65_536)) throw new TypeError("--port takes a number.");
  if (address !== undefined && !/^https?:$/.test(new URL(address).protocol))
    throw new TypeError(`${address} is no http:// or https:// address.`);
  if (values.help) say(HELP);
  else if (values.build !== undefined) await buildPage(resolve(values.build));
  else await serve(address, port);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\nTry --help.\n`);
  process.exitCode = 2;
}
