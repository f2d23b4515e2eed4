/** A chat on the terminal, for every backend: `npm run example -- examples/tui/main.tsx --backend codey` */
import { parseArgs } from "node:util";
import { backendNamed, NAMES } from "../support/backends.ts";
import { wordsOf } from "../support/program.ts";

const HELP = `Usage: npm run example -- examples/tui/main.tsx [--backend <name>] [--url <address>] [--chats <folder>]

--backend  ${NAMES.join(", ")}
--url      The address of a server of yours, the program of cli, or the agent of acp (gemini, claude,
           codex ..., or a program that needs no arguments). Needs --backend. Otherwise a mock answers.

--chats    A folder that keeps the chats, for /chats and /new.

Without a terminal, the chat is in plain lines. /help shows the keys. NO_COLOR takes the colours away.
`;

try {
  const options = {
    backend: { type: "string", default: "mock" },
    url: { type: "string" },
    chats: { type: "string" },
    help: { type: "boolean" },
  } as const;
  const { values } = parseArgs({ options });
  if (values.help) process.stdout.write(HELP);
  else {
    await import("agentwire/ink"); // names the packages to install, if they are missing
    const { runTui } = await import("./run.ts");
    const { chatsIn } = await import("./chats.ts");
    const header = { backend: values.backend, folder: process.cwd() };
    const backend = await backendNamed(values.backend, values.url);
    try {
      process.exitCode = await runTui({
        source: backend.source,
        header,
        ...(values.chats === undefined ? {} : { chats: chatsIn(values.chats) }),
      });
    } finally {
      await backend.stop();
    }
  }
} catch (error) {
  process.stderr.write(`${wordsOf(error)}\n`);
  process.exitCode = 2;
}
