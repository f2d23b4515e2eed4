// The table of commands: a command is a file and a row.
import type { CommandRow } from "./command.ts";

export const COMMAND_TABLE: readonly CommandRow[] = [
  {
    name: "chat",
    args: "<backend> [agent]",
    rest: "command ...",
    about: "Talks with an agent: a screen, plain lines without a terminal, or one turn.",
    hasBackends: true,
    options: [
      {
        name: "prompt",
        short: "p",
        value: "[text]",
        about: "One turn. Without a text, the standard input is the prompt.",
      },
      {
        name: "output",
        value: "text|json|stream-json",
        about:
          "What one turn prints: the answer; one object at the end; or universal events, one each line. By default text.",
      },
      { name: "continue", short: "c", about: "Goes on with the last chat of this backend." },
      {
        name: "session",
        value: "name",
        about:
          "Goes on with the chat of this name, or begins it. For remote: the id of the chat, by default main.",
      },
      {
        name: "allow",
        value: "tool",
        many: true,
        about: "Allows a tool without asking; * stands for any letters.",
      },
      {
        name: "deny",
        value: "tool",
        many: true,
        about: "Denies a tool without asking; it wins over --allow.",
      },
      {
        name: "ask-stdio",
        about:
          "For programs: requests are events on stdout, decisions are lines of JSON on the standard input.",
      },
      { name: "timeout", value: "seconds", about: "Cancels one turn after this time. By default never." },
    ],
    notes: [
      "In one turn nobody is there to ask: what --allow does not name is denied, and the exit code is 3.",
      "Chats are kept in ~/.agentwire/chats (or $AGENTWIRE_HOME/chats): for this user alone, one file each; the last prompts of a folder are in ~/.agentwire/history. `chat mock` keeps one only with --session.",
      '--ask-stdio: an event `permission.requested` waits for a line {"permission_id": "...", "decision": "once"}, where decision is once, always or reject; `question.requested` for {"question_id": "...", "answers": [["yes"]]}, a list of labels for each question, or null. What waits when the input ends is denied.',
    ],
    examples: [
      { line: "agentwire chat mock", about: "an agent that needs nothing" },
      { line: 'agentwire chat mock -p "Hello" --allow shell', about: "one turn" },
      {
        line: 'agentwire chat mock -p "Hello" --output stream-json --deny shell',
        about: "its events; the exit code is 3",
      },
      {
        line: "agentwire chat codey --url ws://127.0.0.1:8080 --continue",
        about: "the last chat with a server",
      },
      { line: "agentwire chat acp -- gemini --acp", about: "any ACP agent" },
    ],
    run: async (call) => (await import("./commands/chat.ts")).chatCommand(call),
  },
  {
    name: "serve",
    args: "<backend> [agent]",
    rest: "command ...",
    about: "Serves chats that outlive their pages: a relay over a backend.",
    hasBackends: true,
    options: [
      { name: "port", value: "number", about: "By default 8787; 0 for a free one." },
      { name: "host", value: "address", about: "Where to listen. By default 127.0.0.1: this machine alone." },
      {
        name: "name",
        value: "host",
        many: true,
        about: "A further host name by which clients know the server, such as that of a proxy.",
      },
      {
        name: "origin",
        value: "origin",
        many: true,
        about: "A foreign origin whose pages may use the server.",
      },
      {
        name: "log",
        value: "file|memory|redis",
        about:
          "Where chats are kept: a SQLite file, by default in ~/.agentwire; in memory; or in the Redis of AGENTWIRE_REDIS_URL.",
      },
      {
        name: "allow",
        value: "tool",
        many: true,
        about: "Allows a tool without asking; * stands for any letters.",
      },
      {
        name: "deny",
        value: "tool",
        many: true,
        about: "Denies a tool without asking; it wins over --allow.",
      },
    ],
    notes: [
      "Requests need the header `Authorization: Bearer <token>`. The token is that of AGENTWIRE_TOKEN, or a random one that is printed once.",
      "SIGTERM and Ctrl-C end it: running turns get 5 s, and other servers over the same log go on with its chats.",
      'With --json, the first line on stdout is {"type": "ready", "url", "token"?, "log", "pid"}.',
    ],
    examples: [
      { line: "agentwire serve mock --log memory --port 0", about: "a server for a try" },
      {
        line: "agentwire chat remote --url http://127.0.0.1:8787/chats",
        about: "talks with it, from another terminal",
      },
      {
        line: "agentwire serve acp gemini --cwd my-project",
        about: "an agent that goes on when the page is closed",
      },
    ],
    run: async (call) => (await import("./commands/serve.ts")).serveCommand(call),
  },
];
